import { expect } from 'chai';
import { readAddress, tlsOf, withDatabaseName } from '../../src/model/database-address.ts';

const read = (url: string) => readAddress(url);
const fault = (url: string): string => {
  const found = read(url);
  return 'message' in found ? `${found.message}. ${found.remedy}` : 'taken';
};

describe('the address of a database', () => {
  it('is taken apart', () => {
    const nothing = { user: undefined, password: undefined, tls: undefined, channelBinding: false };
    for (const [url, parts] of [
      ['postgres://h/d', { host: 'h' }],
      ['postgresql://H.Example.:6432/d', { host: 'H.Example.', port: 6432 }],
      [' postgres://h/d\n', { host: 'h' }],
      ['postgres://a%40b:c%2Fd%3a@h/d', { host: 'h', user: 'a@b', password: 'c/d:' }],
      ['postgres://u:p:q@ss@h/d', { host: 'h', user: 'u', password: 'p:q@ss' }],
      ['postgres://u@h/d', { host: 'h', user: 'u' }],
      ['postgres://[::1]:99/d', { host: '::1', port: 99 }],
      ['postgres://[fe80::1%25eth0]/d', { host: 'fe80::1%eth0' }],
      ['postgres:///d?host=/var/run/postgresql', { host: '/var/run/postgresql' }],
      ['postgres://u@/d?host=/tmp&port=7', { host: '/tmp', port: 7, user: 'u' }],
      ['postgres://%2Fvar%2Frun/d', { host: '/var/run' }],
      ['postgres://x/y?host=h&dbname=d&user=u&password=p%26', { host: 'h', user: 'u', password: 'p&' }],
      ['postgres://h/d?host=[::1]', { host: '::1' }],
      ['postgres://0x7f.1/d?application_name=app&connect_timeout=10', { host: '0x7f.1' }],
    ] as const) {
      expect(read(url), url).to.deep.equal({ port: 5432, database: 'd', ...nothing, ...parts });
    }
    expect(read('postgres://h/x%20y%2e')).to.have.property('database', 'x y.');
  });

  it('says how it is secured, in libpq’s words', () => {
    for (const [parameters, tls, channelBinding = false] of [
      ['sslmode=disable', 'disable'],
      ['sslmode=allow', 'prefer'],
      ['sslmode=prefer', 'prefer'],
      ['sslmode=require', 'require'],
      ['sslmode=verify-ca', 'verify-ca'],
      ['sslmode=verify-full', 'verify-full'],
      ['sslrootcert=system', 'verify-full'],
      ['sslmode=require&channel_binding=require', 'require', true],
      ['channel_binding=require', 'require', true],
      ['channel_binding=prefer', undefined],
    ] as const) {
      expect(read(`postgres://h/d?${parameters}`), parameters).to.include({ tls, channelBinding });
    }
  });

  it('is refused by what is wrong with it', () => {
    for (const [url, words] of [
      ['mysql://h/d', 'must be a postgres:// URL'],
      ['h/d', 'must be a postgres:// URL'],
      ['postgres://h', 'names no database'],
      ['postgres://h/', 'names no database'],
      ['postgres:///d', 'names no host'],
      ['postgres://h/d?host=', 'names no host'],
      ['postgres://h1,h2/d', 'names several hosts'],
      ['postgres://h1:1,h2:2/d', 'names several hosts'],
      ['postgres://h/d?host=h1,h2', 'names several hosts'],
      ['postgres://h/d?port=1,2', 'names several hosts'],
      ['postgres://::1/d', 'in brackets'],
      ['postgres://h:0/d', 'a port that is not a number from 1 to 65535'],
      ['postgres://h:65536/d', 'a port that is not a number'],
      ['postgres://h:x/d', 'a port that is not a number'],
      ['postgres://a b/d', 'not a valid host name'],
      ['postgres://u:100%@h/d', 'a `%` that is not'],
      ['postgres://u:a%00b@h/d', '%00'],
      ['postgres://h/d?sslmode=bogus', 'unknown sslmode. Use one of: disable, allow, prefer, require'],
      ['postgres://h/d?sslmode=', 'unknown sslmode'],
      ['postgres://h/d?sslmode=toString', 'unknown sslmode'],
      ['postgres://h/d?sslmode=require&sslmode=disable', '`sslmode` twice'],
      ['postgres://h/d?channel_binding=maybe', 'unknown channel_binding'],
      ['postgres://h/d?channel_binding=require&sslmode=disable', 'Channel binding needs TLS'],
      ['postgres://h/d?ssl=true', '`ssl`'],
      ['postgres://h/d?sslrootcert=/ca.pem', 'DATABASE_CA_CERT'],
      ['postgres://h/d?sslrootcert=system&sslmode=require', 'weak sslmode'],
      ['postgres://h/d?sslcert=x', '`sslcert`, which Millrace does not take. Millrace logs in by password'],
      ['postgres://h/d?sslkey=x', '`sslkey`'],
      ['postgres://h/d?hostaddr=::1', '`hostaddr`'],
      ['postgres://h/d?options=-c%20x%3dy', '`options`'],
      ['postgres://h/d?schema=public', '`schema`'],
      ['postgres://h/d?constructor=x', '`constructor`, which Millrace does not take. Remove it'],
    ] as const) {
      expect(fault(url), url).to.contain(words);
    }
  });

  it('is never quoted when its password holds what would have to be encoded', () => {
    for (const url of [
      'postgres://ann:hunter/22@h/d',
      'postgres://ann:hunter?22=x@h/d',
      'postgres://ann:hunter?hunter@h/d',
      'postgres://ann:hunter#22@h/d',
      'postgres://ann:hunter%22@h/d%zz',
      'postgres://h/d?password=hunter&hunter=1',
    ]) {
      expect(fault(url), url).not.to.match(/hunter|taken/);
    }
  });

  it('keeps everything else when another database is meant', () => {
    expect(withDatabaseName('postgres://u:p@h:1/d?sslmode=require', 'a b$&')).to.equal(
      'postgres://u:p@h:1/a%20b%24%26?sslmode=require',
    );
    expect(withDatabaseName('postgres://u@/d?host=/tmp', 'x')).to.equal('postgres://u@/x?host=/tmp');
    expect(read(withDatabaseName('postgres://h?dbname=d', 'x'))).to.have.property('database', 'x');
  });
});

describe('tlsOf', () => {
  const of = (parameters: string, ca: string | null = null) =>
    tlsOf(read(`postgres://h/d?${parameters}`) as never, { ca, name: 'DATABASE_CA_CERT' });

  it('has one meaning for each word, with and without a certificate', () => {
    expect(of('')).to.equal('prefer');
    expect(of('', 'pem')).to.deep.equal({ ca: 'pem', verify: true });
    expect(of('sslmode=disable')).to.equal(false);
    expect(of('sslmode=allow')).to.equal('prefer');
    expect(of('sslmode=require')).to.deep.equal({ ca: null, verify: false });
    expect(of('sslmode=require', 'pem')).to.deep.equal({ ca: 'pem', verify: 'ca' });
    expect(of('sslmode=verify-ca')).to.equal(true);
    expect(of('sslmode=verify-ca', 'pem')).to.deep.equal({ ca: 'pem', verify: 'ca' });
    expect(of('sslmode=verify-full')).to.equal(true);
    expect(of('sslmode=verify-full', 'pem')).to.deep.equal({ ca: 'pem', verify: true });
    expect(of('channel_binding=require')).to.deep.equal({ ca: null, verify: false, channel_binding: true });
  });

  it('refuses a certificate that nothing would be verified by', () => {
    for (const mode of ['disable', 'allow', 'prefer']) {
      expect(of(`sslmode=${mode}`, 'pem'), mode)
        .to.have.property('remedy')
        .that.contains('DATABASE_CA_CERT');
    }
  });
});
