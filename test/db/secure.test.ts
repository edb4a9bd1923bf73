/** Towards servers that are not what they say: what a client of ours tells them, over every kind of connection. */
import { expect } from 'chai';
import pg from 'pg';
import { openStream } from '../../src/capture/replication/connection.ts';
import { mayTell } from '../../src/db/connection.ts';
import { clientConfig, openPool, type PoolOptions } from '../../src/db/pool.ts';
import { optionsOf } from '../../src/db/tls.ts';
import { connectionFault, DECLARED_DATABASE } from '../../src/model/connection-fault.ts';
import { readAddress, tlsOf } from '../../src/model/database-address.ts';
import { selfSignedCertificate } from '../support/fixtures/certificate.ts';
import { type FakePostgres, leadHere, startFakePostgres } from '../support/postgres/fake-postgres.ts';

const MODES = ['disable', 'prefer', 'require', 'verify-full'] as const;
const PUBLIC = '8.8.8.8';
const PASSWORD = /hunter22/;

describe('a server that is not what it says', () => {
  const certificate = selfSignedCertificate();
  const fakes: FakePostgres[] = [];
  let undo: (() => void) | undefined;

  const fake = async (...args: Parameters<typeof startFakePostgres>): Promise<FakePostgres> => {
    const server = await startFakePostgres(...args);
    fakes.push(server);
    return server;
  };
  /** Where every name is this address. */
  const settings = (server: FakePostgres, mode: string, address: string) => {
    const read = readAddress(`postgres://ann:hunter22@db.example:${server.port}/shop?sslmode=${mode}`);
    const ssl = tlsOf(read as never, { ca: null, name: 'ca' });
    if ('message' in read || (typeof ssl === 'object' && 'message' in ssl)) throw new Error('a wrong address');
    const { host, port, database, user = '', password = '' } = read;
    const resolver = (_name: string, _options: object, done: (error: null, found: object[]) => void) =>
      done(null, [{ address, family: 4 }]);
    return {
      address: { host, port, database, user, password },
      settings: { ssl },
      reach: { allowed: true, resolver } as NonNullable<PoolOptions['reach']>,
    };
  };
  /** What connecting comes to: `in`, or the error. */
  const login = async (server: FakePostgres, mode: string, address: string): Promise<unknown> => {
    try {
      const options = await optionsOf(settings(server, mode, address), { max: 1, applicationName: 'test' });
      const client = new pg.Client(clientConfig(options));
      client.on('error', () => undefined);
      await client.connect();
      await client.end();
      return 'in';
    } catch (error) {
      return error;
    }
  };
  const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : error);

  afterEach(async () => {
    undo?.();
    undo = undefined;
    await Promise.all(fakes.splice(0).map((server) => server.close()));
  });

  it('gets no plain text but on this machine and in private networks, or where it was asked for', async () => {
    for (const [address, mode, expected] of [
      ['127.0.0.1', 'prefer', 'in'],
      ['10.1.2.3', 'prefer', 'in'],
      ['172.20.0.2', 'prefer', 'in'],
      [PUBLIC, 'prefer', 'MR_PLAIN_TEXT'],
      ['fd12::5', 'prefer', 'in'],
      ['2606:4700::1', 'prefer', 'MR_PLAIN_TEXT'],
      [PUBLIC, 'disable', 'in'],
      ['127.0.0.1', 'require', undefined],
      ['127.0.0.1', 'verify-full', undefined],
    ] as const) {
      const server = await fake('ok');
      undo = leadHere();
      const result = await login(server, mode, address);
      undo();
      const message = `${mode} at ${address}`;
      if (expected === undefined) expect(String(result), message).to.contain('does not support SSL');
      else expect(codeOf(result), message).to.equal(expected);
      expect(server.logins.length > 0, message).to.equal(expected === 'in');
    }
  });

  for (const how of ['cleartext', 'md5'] as const) {
    it(`is not told the password as ${how}, unless plain text was allowed and it is near`, async () => {
      for (const [address, mode, secure, expected] of [
        ['127.0.0.1', 'prefer', false, 'in'],
        ['10.1.2.3', 'prefer', true, 'in'],
        ['127.0.0.1', 'disable', false, 'in'],
        [PUBLIC, 'disable', false, 'MR_WEAK_PASSWORD'],
        [PUBLIC, 'prefer', true, 'MR_WEAK_PASSWORD'],
        [PUBLIC, 'require', true, 'MR_WEAK_PASSWORD'],
        ['127.0.0.1', 'require', true, 'MR_WEAK_PASSWORD'],
      ] as const) {
        const server = await fake(how, secure ? certificate : undefined);
        undo = leadHere();
        const result = await login(server, mode, address);
        undo();
        const message = `${mode} at ${address}`;
        expect(codeOf(result), message).to.equal(expected);
        expect(server.told.length > 0, message).to.equal(expected === 'in');
        if (expected === 'in') continue;
        expect(server.logins.at(-1), message).to.equal(secure ? 'tls' : 'plain');
        const fault = connectionFault(result, DECLARED_DATABASE);
        expect(fault?.remedy, message).to.contain('scram-sha-256').and.to.contain('`ssl: { ca }`');
        expect(`${fault?.message} ${fault?.remedy}`).not.to.match(PASSWORD);
      }
    });
  }

  it('is told it over verified TLS, however it asks', () => {
    const far = { isLocal: false };
    expect(mayTell({ ssl: { rejectUnauthorized: true }, plain: 'never' }, far)).to.equal(true);
    expect(mayTell({ ssl: {}, plain: 'never' }, far)).to.equal(true);
    expect(mayTell({ ssl: { rejectUnauthorized: false }, plain: 'never' }, far)).to.equal(false);
    expect(mayTell({ ssl: false, plain: 'anywhere' }, far)).to.equal(false);
    expect(mayTell({}, { isLocal: true })).to.equal(true);
  });

  it('never gets further than its certificate with verify-full', async () => {
    const server = await fake('cleartext', certificate);
    undo = leadHere();
    const result = await login(server, 'verify-full', '127.0.0.1');
    expect(codeOf(result)).to.equal('DEPTH_ZERO_SELF_SIGNED_CERT');
    expect(server.logins).to.deep.equal([]);
    const { remedy } = connectionFault(result, DECLARED_DATABASE)!;
    expect(remedy).to.contain('`ssl: { ca }`').and.to.contain('`ssl: { verify: false }`');
  });

  it('must prove that it knows the password once it has asked by SCRAM', async () => {
    const server = await fake('scram-then-ok');
    undo = leadHere();
    expect(codeOf(await login(server, 'disable', '127.0.0.1'))).to.equal('MR_UNPROVEN');
  });

  it('must bind the login to its TLS connection where that is asked for', async () => {
    for (const how of ['ok', 'cleartext', 'scram'] as const) {
      const server = await fake(how, certificate);
      undo = leadHere();
      const result = await login(server, 'require&channel_binding=require', '127.0.0.1');
      undo();
      expect(codeOf(result), how).to.equal('MR_UNPROVEN');
      expect(server.told, how).to.deep.equal([]);
    }
  });

  it('ends nothing but its connection by a question that nobody understands', async () => {
    for (const mode of ['disable', 'require']) {
      const server = await fake('gss', mode === 'require' ? certificate : undefined);
      undo = leadHere();
      const result = await login(server, mode, '127.0.0.1');
      undo();
      expect(String(result)).to.contain('Unknown authenticationOk message type');
      expect(connectionFault(result, DECLARED_DATABASE)?.remedy).to.contain('scram-sha-256');
    }
  });

  it('learns no more from a pool or a replication stream', async () => {
    for (const mode of MODES.slice(0, 3)) {
      const secure = mode === 'disable' ? undefined : certificate;
      const server = await fake('cleartext', secure);
      undo = leadHere();
      const { address, reach } = settings(server, mode, PUBLIC);
      const plain = { disable: 'anywhere', prefer: 'local', require: 'never' } as const;
      const ssl = mode === 'disable' ? (false as const) : { rejectUnauthorized: false };
      const source: PoolOptions = {
        address,
        reach,
        ssl,
        plain: plain[mode as 'prefer'],
        max: 1,
        applicationName: 'test',
      };
      const pool = openPool(source);
      expect(codeOf(await pool.query('select').catch((error: unknown) => error)), mode).to.equal('MR_WEAK_PASSWORD');
      await pool.close();
      const handlers = { onMessage: () => undefined, onKeepAlive: () => undefined };
      const stream = openStream(handlers, { source, slot: 's', publication: 'p', raw: false });
      expect(codeOf(await stream.started.catch((error: unknown) => error)), mode).to.equal('MR_WEAK_PASSWORD');
      await stream.close();
      undo();
      expect(server.logins.length, mode).to.equal(2);
      expect(server.told, mode).to.deep.equal([]);
    }
  });
});
