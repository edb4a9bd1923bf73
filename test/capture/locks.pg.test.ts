/** Whoever has a table locked, for however long, keeps no other table from being captured, checked or backfilled. */
import { expect } from 'chai';
import pg from 'pg';
import { backfilled } from '../support/fixtures/backfilled.ts';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { type Cluster, eachMajor } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

const TIMING = { checkMs: 100, recheckMs: 100, statementMs: 2_000 };

function suite(cluster: () => Cluster): void {
  let on: Captured;
  let sink: number;
  let locker: pg.Client;

  beforeEach(async () => {
    on = await captured(
      `create table t (id int primary key); create table busy (id int primary key);
       create schema apart; create table apart.parts (id int primary key) partition by range (id);
       create table apart.parts_1 partition of apart.parts for values from (0) to (1000)`,
      { cluster: cluster(), timing: TIMING },
    );
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    locker = new pg.Client({ connectionString: on.sourceUrl });
    locker.on('error', () => undefined);
    await locker.connect();
  });
  afterEach(async () => {
    await locker.end();
    await on.close();
  });

  /** The walsender is the same all along. */
  const walsender = async (): Promise<number | null> =>
    (await on.source.query('select active_pid from pg_replication_slots where slot_name = $1', [on.slot])).rows[0]
      ?.active_pid;
  /** Checks that have ended since. */
  async function checked(times: number): Promise<void> {
    const heartbeat = `select count(*)::int4 as count from pg_stat_activity where query like '%millrace:heartbeat%'`;
    await on.source.query(heartbeat);
    for (let n = 0; n < times; n++) {
      await on.source.query(`create table if not exists seen_${n} (id int primary key)`);
      await until('a check has been made', async () => {
        const { rows } = await on.source.query('select from pg_publication_rel where prrelid = $1::regclass', [
          `seen_${n}`,
        ]);
        return rows.length > 0;
      });
    }
  }

  for (const [what, lock] of [
    ['a table that is captured', 'lock table busy in access exclusive mode'],
    ['a partition in a schema that nobody captures', 'lock table apart.parts_1 in access exclusive mode'],
    ['a table while an index of it is made', 'lock table busy in share update exclusive mode'],
  ] as const) {
    it(`a lock on ${what}, before capture starts again`, async () => {
      // A slot is made when all writers have ended; this is one that was made before.
      on.start();
      await on.streaming();
      await on.stop();
      await on.source.query('create table new (id int primary key)');
      await locker.query(`begin; ${lock}`);
      on.start();
      await on.streaming();
      await on.source.query('insert into t values (1)');
      await on.received(sink, 1);
      await checked(2);
      expect(await backfilled(on.messages.db, `'all', 't'`)).to.include({ state: 'done', rows_sent: 1 });
    });

    it(`a lock on ${what}, under capture`, async () => {
      on.start();
      await on.streaming();
      const pid = await walsender();
      await locker.query(`begin; ${lock}`);
      await checked(3);
      await on.source.query('insert into t values (1)');
      await on.received(sink, 1);
      expect(await walsender()).to.equal(pid);
      expect(await backfilled(on.messages.db, `'all', 't'`)).to.include({ state: 'done', rows_sent: 1 });
    });
  }

  it('a new table that is locked comes in when it is free, and until then it is said', async () => {
    on.start();
    await on.streaming();
    await locker.query('create table late (id int primary key)');
    await locker.query('begin; lock table late in share update exclusive mode');
    const lateNotices = async () => (await on.notices(sink)).filter(({ table }) => table === 'public.late');
    await until('it is in, or said', async () => (await lateNotices()).length > 0 || undefined).catch(() => undefined);
    await on.source.query('insert into t values (1)');
    await on.received(sink, 1);
    await locker.query('insert into late values (1); commit');
    await until('it is published', async () => {
      const { rows } = await on.source.query(`select from pg_publication_rel where prrelid = 'late'::regclass`);
      return rows.length > 0;
    });
  });

  it('a backfill of a locked table waits alone, and goes on', async () => {
    on.start();
    await on.streaming();
    await on.source.query('insert into busy values (1); insert into t values (1)');
    await on.received(sink, 2);
    await locker.query('begin; lock table busy in access exclusive mode');
    const waiting = backfilled(on.messages.db, `'all', 'busy'`);
    expect(await backfilled(on.messages.db, `'all', 't'`)).to.include({ state: 'done' });
    await on.source.query('insert into t values (2)');
    await on.received(sink, 4);
    await locker.query('commit');
    expect(await waiting).to.include({ state: 'done', rows_sent: 1 });
  });
}

describe('a lock', function () {
  this.timeout(120_000);
  eachMajor(suite);
});
