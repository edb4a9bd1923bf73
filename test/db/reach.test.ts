/** Where a declared database may be, over every way that we connect to one. */
import { expect } from 'chai';
import { openStream } from '../../src/capture/replication/connection.ts';
import { openPool, type PoolOptions } from '../../src/db/pool.ts';
import { optionsOf } from '../../src/db/tls.ts';
import { connectionFault, DECLARED_DATABASE } from '../../src/model/connection-fault.ts';
import type { PrivateAllowed } from '../../src/runtime/addresses.ts';
import type { Reach, Resolver } from '../../src/runtime/checked-lookup.ts';
import { readBranch } from '../../src/source/timeline.ts';
import { type FakePostgres, leadHere, startFakePostgres } from '../support/postgres/fake-postgres.ts';

describe('the address of a declared database', () => {
  let server: FakePostgres;
  let dialled: string[];
  let undo: () => void;

  beforeEach(async () => {
    server = await startFakePostgres('ok');
    dialled = [];
    undo = leadHere(dialled);
  });
  afterEach(async () => {
    undo();
    await server.close();
  });

  const declared = (host: string, reach?: Reach) => ({
    address: { host, port: server.port, database: 'shop', user: 'ann', password: 'hunter22' },
    settings: { ssl: 'prefer' as const },
    ...(reach ? { reach } : {}),
  });
  /** Each round is the answer to one question. */
  const answering = (...rounds: string[][]): Resolver => {
    return (_name, _options, done) =>
      done(
        null,
        (rounds.shift() ?? []).map((address) => ({ address, family: 4 })),
      );
  };
  const outcome = async (work: () => Promise<unknown>): Promise<string> => {
    try {
      await work();
      return 'in';
    } catch (error) {
      const fault = connectionFault(error, DECLARED_DATABASE);
      return fault ? `${fault.message}. ${fault.remedy}` : String(error);
    }
  };
  const reached = (host: string, reach?: Reach): Promise<string> =>
    outcome(() => optionsOf(declared(host, reach), { max: 1, applicationName: 'test' }));

  it('is never a metadata or link-local one, however it is written, and whatever is allowed', async () => {
    undo();
    for (const host of [
      ...['169.254.169.254', '0xa9fea9fe', '2852039166', '0251.0376.0251.0376', '169.254.43518', '0xa9.254.0xa9fe'],
      ...['::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::', 'fe80::1'],
      ...['fd00:ec2::254', '100.100.100.200', '0.0.0.0', '0', '::', '224.0.0.1'],
    ]) {
      expect(await reached(host, { allowed: true }), host).to.contain('is not connected to');
      expect(await reached(host), host).to.contain('is not connected to');
    }
    expect(server.logins).to.deep.equal([]);
  });

  it('is private where that is allowed, and the error says what to list', async () => {
    undo();
    for (const host of ['127.0.0.1', '0x7f.1', '2130706433', '127.1', 'localhost', '::ffff:127.0.0.1']) {
      expect(await reached(host), host).to.equal('in');
      expect(await reached(host, { allowed: ['127.0.0.0/8', '::1'] }), host).to.equal('in');
      for (const allowed of [false, ['10.0.0.0/8']] as PrivateAllowed[]) {
        expect(await reached(host, { allowed }), host)
          .to.match(/(127\.0\.0\.0\/8|::1\/128)/)
          .and.to.contain('ALLOW_PRIVATE_DESTINATIONS');
      }
    }
    const socket = () => optionsOf(declared('/nowhere', { allowed: false }), { max: 1, applicationName: 'test' });
    const pool = openPool(await socket());
    expect(await outcome(() => pool.query('select'))).to.contain('127.0.0.0/8');
    await pool.close();
  });

  it('is asked for once for each connection, which goes to what was checked', async () => {
    const resolver = answering(['10.0.0.1'], ['10.0.0.2'], ['169.254.169.254'], ['10.0.0.4']);
    const options = await optionsOf(declared('db.example', { allowed: true, resolver }), {
      max: 1,
      applicationName: 'test',
    });
    expect(dialled).to.deep.equal(['10.0.0.1', '10.0.0.2']);
    const refused = openPool(options);
    expect(await outcome(() => refused.query('select'))).to.contain("cloud provider's metadata");
    await refused.close();
    const pool = openPool(options);
    expect(await outcome(() => pool.query('select'))).to.equal('in');
    await pool.close();
    expect(dialled).to.deep.equal(['10.0.0.1', '10.0.0.2', '10.0.0.4']);
  });

  it('is checked for a replication stream, and for commands of its protocol, too', async () => {
    const source = (host: string, resolver?: Resolver): PoolOptions => ({
      ...{ max: 1, applicationName: 'test', address: declared(host).address },
      reach: { allowed: 'declared', ...(resolver ? { resolver } : {}) },
    });
    const handlers = { onMessage: () => undefined, onKeepAlive: () => undefined };
    for (const options of [source('169.254.169.254'), source('db.example', answering(['10.0.0.1', 'fe80::1']))]) {
      const stream = openStream(handlers, { source: options, slot: 's', publication: 'p', raw: false });
      expect(await outcome(() => stream.started)).to.contain('is not connected to');
      await stream.close();
    }
    expect(await outcome(() => readBranch(source('169.254.169.254'), { from: 1, to: 2 }))).to.contain('metadata');
    expect(dialled).to.deep.equal([]);
  });
});
