import { expect } from 'chai';
import { MillraceError } from '../../src/model/errors.ts';
import { readSettings, withDatabase } from '../../src/runtime/settings.ts';
import { certificateAuthority } from '../support/fixtures/certificate.ts';

const KEY = 'uN4xW9cZq2Lr7TfYb1KsJd6HgVp3Am8E';
const URL_TEXT = 'postgres://ann:hunter22@db.example:5432/app';

function faultsOf(env: NodeJS.ProcessEnv): { fields: string[]; text: string } {
  try {
    readSettings(env);
  } catch (error) {
    expect(error).to.be.instanceOf(MillraceError).and.to.have.property('code', 'bad_setting');
    const { faults, message } = error as MillraceError;
    return { fields: faults.map((fault) => fault.field), text: message + JSON.stringify(faults) };
  }
  throw new Error('no fault was found');
}

describe('readSettings', () => {
  it('has defaults for an empty environment, on the loopback with the embedded server', () => {
    expect(readSettings({ PORT: '', DATABASE_URL: '' })).to.deep.equal({
      port: 7376,
      portGiven: false,
      metricsPort: null,
      host: '127.0.0.1',
      allowedHosts: null,
      trustProxy: 0,
      baseUrl: null,
      databaseUrl: null,
      databaseCaCert: null,
      secretKey: null,
      previousKeys: [],
      adminPassword: null,
      logLevel: 'info',
      privateAllowed: true,
      configFilePath: null,
      configFileYaml: null,
    });
  });

  it('reads every variable, and listens everywhere with a database of its own', () => {
    const { cert } = certificateAuthority();
    const yaml = Buffer.from('databases: []\n# ü\n').toString('base64');
    const settings = readSettings({
      PORT: '80',
      METRICS_PORT: '81',
      DATABASE_URL: URL_TEXT,
      DATABASE_CA_CERT: cert.replaceAll('\n', '\\n'),
      SECRET_KEY: KEY,
      ADMIN_PASSWORD: 'long enough',
      LOG_LEVEL: 'debug',
      TRUST_PROXY: '2',
      BASE_URL: 'https://millrace.example.com/ops/',
      CONFIG_FILE_YAML: yaml,
    });
    expect(settings).to.include({
      port: 80,
      metricsPort: 81,
      portGiven: true,
      host: null,
      databaseUrl: URL_TEXT,
      logLevel: 'debug',
      trustProxy: 2,
      baseUrl: 'https://millrace.example.com/ops',
    });
    expect(settings.configFileYaml).to.equal('databases: []\n# ü\n');
    expect(settings.databaseCaCert).to.equal(cert);
    expect(withDatabase(settings).databaseUrl).to.equal(URL_TEXT);
    expect(readSettings({ HOST: '::1' }).host).to.equal('::1');
  });

  it('reports every fault at once, by name, without any value', () => {
    const found = faultsOf({
      PORT: '70000',
      HOST: 'not a host',
      DATABASE_URL: 'mysql://ann:hunter22@db/app',
      DATABASE_CA_CERT: 'hunter22',
      SECRET_KEY: 'hunter22',
      SECRET_KEY_PREVIOUS: 'hunter22',
      ADMIN_PASSWORD: 'hunter2',
      LOG_LEVEL: 'hunter22',
      CONFIG_FILE_PATH: 'hunter22.yaml',
      CONFIG_FILE_YAML: '*hunter22*',
    });
    expect(found.fields).to.have.members([
      'PORT',
      'HOST',
      'DATABASE_URL',
      'DATABASE_CA_CERT',
      'SECRET_KEY',
      'SECRET_KEY_PREVIOUS',
      'ADMIN_PASSWORD',
      'LOG_LEVEL',
      'CONFIG_FILE_YAML',
      'CONFIG_FILE_YAML',
    ]);
    expect(found.text).not.to.match(/hunter2|70000/);
  });

  for (const [variable, value] of [
    ['PORT', '12.5'],
    ['PORT', '-1'],
    ['TRUST_PROXY', 'true'],
    ['BASE_URL', 'millrace.example.com'],
    ['BASE_URL', 'https://ann:word@millrace.example.com'],
    ['DATABASE_URL', 'postgres://db'],
    ['DATABASE_URL', 'db.example/app'],
    ['ALLOW_PRIVATE_DESTINATIONS', 'yes'],
    ['ALLOW_PRIVATE_DESTINATIONS', '10.0.0.0/33'],
    ['DATABASE_URL', 'postgres://db.example/app?sslmode=bogus'],
    ['DATABASE_URL', 'postgres://db.example/app?schema=public'],
    ['DATABASE_URL', 'postgres://one,two/app'],
    ['DATABASE_CA_CERT', '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----'],
    ['CONFIG_FILE_YAML', Buffer.from([0xff, 0xfe, 0x00]).toString('base64')],
  ] as const) {
    it(`refuses ${variable}=${value.split('\n')[0]}`, () => {
      expect(faultsOf({ SECRET_KEY: KEY, [variable]: value }).fields).to.deep.equal([variable]);
    });
  }

  it('allows what is declared to be private, and with the embedded server everything', () => {
    const env = { SECRET_KEY: KEY, DATABASE_URL: URL_TEXT };
    expect(readSettings(env).privateAllowed).to.equal('declared');
    expect(readSettings({ ...env, ALLOW_PRIVATE_DESTINATIONS: 'false' }).privateAllowed).to.equal(false);
    const listed = readSettings({ ...env, ALLOW_PRIVATE_DESTINATIONS: '10.0.0.0/8,fd00::/8' }).privateAllowed;
    expect(listed).to.deep.equal(['10.0.0.0/8', 'fd00::/8']);
  });

  it('refuses a certificate beside an sslmode that verifies nothing', () => {
    const env = { SECRET_KEY: KEY, DATABASE_CA_CERT: certificateAuthority().cert };
    for (const mode of ['disable', 'allow', 'prefer']) {
      const found = faultsOf({ ...env, DATABASE_URL: `${URL_TEXT}?sslmode=${mode}` });
      expect(found.fields).to.deep.equal(['DATABASE_URL']);
      expect(found.text).to.contain('sslmode=verify-full').and.to.contain('remove DATABASE_CA_CERT');
    }
    expect(readSettings({ ...env, DATABASE_URL: `${URL_TEXT}?sslmode=require` }).databaseCaCert).to.be.a('string');
  });

  it('wants a key with a database, and a database for a role on its own', () => {
    expect(faultsOf({ DATABASE_URL: URL_TEXT }).fields).to.deep.equal(['SECRET_KEY']);
    expect(() => withDatabase(readSettings({}))).to.throw(MillraceError, 'DATABASE_URL is required');
  });
});
