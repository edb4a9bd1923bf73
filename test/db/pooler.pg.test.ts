/** A pooler in session mode is like Postgres; one that shares sessions is refused, however many it has. */
import { expect } from 'chai';
import { openPool } from '../../src/db/pool.ts';
import { refuseSharedSessions } from '../../src/db/pooler.ts';
import { hasPgbouncer, type Pgbouncer, startPgbouncer } from '../support/postgres/pgbouncer.ts';
import {
  type Cluster,
  hasPostgres15,
  sharedCluster,
  startCluster,
  type TestDatabase,
} from '../support/postgres/postgres.ts';

const MODES: { mode: string; settings: Record<string, string>; busy: number }[] = [
  { mode: 'transaction', settings: { default_pool_size: '1' }, busy: 0 },
  { mode: 'transaction', settings: { default_pool_size: '20' }, busy: 0 },
  { mode: 'transaction', settings: { default_pool_size: '2', server_round_robin: '1' }, busy: 2 },
  { mode: 'transaction', settings: { default_pool_size: '5', server_round_robin: '1' }, busy: 5 },
  {
    mode: 'transaction',
    settings: { ignore_startup_parameters: 'options,statement_timeout,extra_float_digits' },
    busy: 3,
  },
  { mode: 'statement', settings: { default_pool_size: '1' }, busy: 0 },
  { mode: 'statement', settings: {}, busy: 4 },
];

for (const major of [18, 15] as const) {
  describe(`pgbouncer before Postgres ${major}`, () => {
    let cluster: Cluster;
    let database: TestDatabase;
    let pooler: Pgbouncer | undefined;
    before(async function () {
      if (!hasPgbouncer() || (major === 15 && !hasPostgres15())) this.skip();
      cluster = major === 18 ? await sharedCluster() : await startCluster({ major });
      database = await cluster.createDatabase();
    });
    after(async () => {
      await database?.drop();
      if (major === 15) await cluster?.stop();
    });
    afterEach(async () => {
      await pooler?.stop();
      pooler = undefined;
    });

    const optionsTo = (url: string) => ({ address: url, max: 1, applicationName: 'millrace test', queue: true });
    const refuse = (url: string): Promise<void> => refuseSharedSessions(optionsTo(url), 'DATABASE_URL');

    for (const { mode, settings, busy } of MODES) {
      it(`in ${mode} mode is refused: ${JSON.stringify(settings)}, ${busy} sessions in use before`, async () => {
        pooler = await startPgbouncer(database.url, { ...settings, pool_mode: mode });
        const others = openPool({ address: pooler.url, max: Math.max(busy, 1), applicationName: 'test', path: 'role' });
        await Promise.all(Array.from({ length: busy }, () => others.query('select pg_sleep(0.2)')));
        const error: unknown = await refuse(pooler.url).catch((thrown: unknown) => thrown);
        await others.close();
        expect(error)
          .to.be.an('error')
          .with.property('message')
          .that.matches(/^DATABASE_URL leads to a connection pooler in transaction or statement mode/);
        expect(error).to.have.property('remedy').that.contains('session mode');
      });
    }

    it('in session mode is let through, with our settings in every session', async () => {
      // Without a clean-up of its own.
      pooler = await startPgbouncer(database.url, { pool_mode: 'session', server_reset_query: '' });
      await refuse(pooler.url);
      for (const [queue, seqscan] of [
        [true, 'off'],
        [true, 'off'],
      ] as const) {
        const db = openPool({ ...optionsTo(pooler.url), queue, statementTimeoutMs: 4_000 });
        const { rows } = await db.query({
          name: 'same',
          text: `select current_setting('enable_seqscan') as seqscan,
              current_setting('statement_timeout') as deadline, current_setting('TimeZone') as zone`,
        });
        expect(rows).to.deep.equal([{ seqscan, deadline: '4s', zone: 'UTC' }]);
        await db.close();
      }
    });

    it('is not looked for where Postgres itself answers', async () => {
      await refuse(database.url);
    });
  });
}

describe('a pooler in session mode with fewer sessions than a pool wants', () => {
  it('shares those that there are', async function () {
    if (!hasPgbouncer()) this.skip();
    const database = await (await sharedCluster()).createDatabase();
    const pooler = await startPgbouncer(database.url, { pool_mode: 'session', default_pool_size: '2' });
    let refusals = 0;
    const db = openPool({
      address: pooler.url,
      applicationName: 'test',
      max: 4,
      least: 1,
      onFull: () => (refusals += 1),
      patienceMs: 30_000,
    });
    const held = Array.from({ length: 4 }, () => db.query('select pg_sleep(0.1)'));
    expect(await Promise.all(held)).to.have.lengthOf(4);
    expect(refusals).to.be.at.least(1);
    await db.close();
    await pooler.stop();
    await database.drop();
  }).timeout(40_000);
});
