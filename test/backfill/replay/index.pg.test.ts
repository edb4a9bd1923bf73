/**
 * A replay into an index that has moved on: old states come by, and in the end the index is the table all the same, with
 * random writes (key changes, deletes, keys that are used again) before, during and after it. SEEDS=n tries more.
 */
import { expect } from 'chai';
import { type BulkServer, startBulkServer } from '../../support/engines/bulk-server.ts';
import { changeRows, tableRows } from '../../support/fixtures/change-rows.ts';
import { type ReplayWorld, replayWorld } from '../../support/fixtures/replayed.ts';
import { createWriters, LEDGER_SCHEMA, seeded } from '../../support/outages/ledger.ts';
import { until } from '../../support/until.ts';

const SEEDS = Number(process.env.SEEDS ?? 4);
const FIRST = Number(process.env.SEED ?? 20_261_121);

const yaml = (endpoint: string): string => `
sinks:
  - name: index
    database: shop
    source: { include_tables: [accounts] }
    destination: { type: elasticsearch, endpoint_url: "${endpoint}", index_name: accounts, auth_type: none }
  - name: north
    database: shop
    source: { include_tables: [accounts] }
    filters: [{ column_name: region, operator: "=", comparison_value: north }]
    destination: { type: elasticsearch, endpoint_url: "${endpoint}", index_name: north, auth_type: none }
  - name: watch
    database: shop
    source: { include_tables: [accounts] }
    destination: { type: pull }
change_retentions:
  - name: history
    source_database: shop
    source_table_name: accounts
    destination_database: archive
    destination_table_name: accounts_events
    create_if_not_exists: true
`;

describe('a replay into an index', function () {
  this.timeout(120_000);
  let engine: BulkServer;
  let world: ReplayWorld;

  before(async () => {
    engine = await startBulkServer({ indexes: ['accounts', 'north'] });
    world = await replayWorld(LEDGER_SCHEMA, () => yaml(engine.url), { pageRows: 12 });
  });
  after(async () => {
    await world?.close();
    await engine?.close();
  });

  const expectTable = async (): Promise<void> => {
    await world.settled(['index', 'north', 'history'], 30_000);
    const rows = [...(await tableRows(world.shop, 'accounts'))].map(([id, row]): [string, object] => [`${id}`, row]);
    expect(engine.engine.documents('accounts')).to.deep.equal(new Map(rows));
    const north = rows.filter(([, row]) => 'region' in row && row.region === 'north');
    expect(engine.engine.documents('north')).to.deep.equal(new Map(north));
  };

  for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
    it(`leaves it as the table is (SEED=${seed})`, async () => {
      const random = seeded(seed);
      const identity = random() < 0.5 ? 'full' : 'default';
      await world.shop.query(`alter table accounts replica identity ${identity}`);
      const writers = createWriters(world.shop, seed, 2);
      await writers.write(40);
      await world.settled(['history'], 30_000);
      const entries = await changeRows(world.archive, 'accounts_events');
      const from = entries[Math.floor(random() * entries.length * 0.8)]!.seq;
      const during = writers.write(40 + Math.floor(random() * 150));
      const ids = [
        await world.replay(`'history', 'index', from_seq => ${from}`),
        await world.replay(`'history', 'north', from_seq => ${from}`),
      ];
      await during;
      for (const id of ids) {
        const done = await world.ended(id, 40_000);
        expect(done).to.include({ state: 'done', reason: null, rows_done: done.rows_total });
        expect(done.rows_total).to.be.at.least(entries.filter(({ seq }) => seq >= from).length);
        expect(done.rows_sent).to.be.within(1, done.rows_total!);
      }
      await expectTable();
    });
  }

  it('puts every row right, though pages that were put are taken back and read again', async () => {
    // Two hundred pages, so that one is still to be read when they are seen.
    const rows = `select n, 1, 'north', -n from generate_series(-2400, -1) n`;
    await world.shop.query(`insert into accounts (id, version, region, balance) ${rows}`);
    await world.shop.query('update accounts set balance = balance + 1 where id < 0');
    await world.settled(['index', 'history'], 30_000);
    // Old states, and no later ones.
    const inserts = (await changeRows(world.archive, 'accounts_events')).filter(({ action }) => action === 'insert');
    const id = await world.replay(`'history', 'index', to_seq => ${inserts.at(-1)!.seq}`);
    const ofRows = `select from millrace_private.backfills where position ->> 'of' = 'rows' and ended_at is null`;
    await until(
      'old states are sent, and rows are read',
      async () => (await world.messages.query(ofRows)).rowCount === 1,
    );
    // The catalog is about to change: until it has, capture can persist nothing, so that a page is put and the next one is read.
    await world.messages.query('begin');
    try {
      await world.messages.query(
        `update millrace_private.sinks set settings = jsonb_set(settings, '{actions}', '["insert"]') where name = 'watch';
         select millrace_private.publish_catalog();
         set local idle_in_transaction_session_timeout = 0`,
      );
      const held = `select from pg_stat_activity where application_name like 'millrace backfill %' and state = 'idle in transaction'`;
      await until('the next page waits for the one before', async () => (await world.shop.query(held)).rowCount === 1);
    } finally {
      await world.messages.query('commit');
    }
    expect(await world.ended(id, 60_000)).to.include({ state: 'done', reason: null });
    await expectTable();
  });

  /** Rows from this id on, inserted and updated; the arguments of a replay of what they were at first. */
  const twice = async (from: number, count: number): Promise<string> => {
    const rows = `select n, 1, 'north', n from generate_series(${from}, ${from + count - 1}) n`;
    await world.shop.query(`insert into accounts (id, version, region, balance) ${rows}`);
    await world.shop.query('update accounts set balance = balance + 1 where id >= $1', [from]);
    await world.settled(['index', 'history'], 30_000);
    const entries = await changeRows(world.archive, 'accounts_events');
    const inserts = entries.filter(({ action, record }) => action === 'insert' && Number(record.id) >= from);
    return `'history', 'index', from_seq => ${inserts[0]!.seq}, to_seq => ${inserts.at(-1)!.seq}`;
  };

  it('puts rows right also when a policy deletes their entries as soon as these are sent', async () => {
    const id = await world.replay(await twice(2_001, 200));
    await until('some of it is sent', async () => (await world.status(id)).rows_done > 20, 20_000);
    await world.messages.query('select millrace.pause_backfill($1)', [id]);
    await world.archive.query('delete from accounts_events');
    await world.messages.query('select millrace.resume_backfill($1)', [id]);
    expect(await world.ended(id, 30_000)).to.include({ state: 'done', reason: null });
    await expectTable();
  });

  it('puts a row right that changed while capture was behind', async () => {
    const args = await twice(3_001, 3);
    const { rows } = await world.shop.query<{ pid: number }>(`select pid from pg_stat_replication`);
    for (const { pid } of rows) process.kill(pid, 'SIGSTOP');
    try {
      await world.shop.query('update accounts set balance = 7 where id = 3001');
      const id = await world.replay(args);
      const read = `select from pg_stat_activity where application_name like 'millrace backfill %' and query like '%millrace:page%'`;
      await until('the entries are read', async () => (await world.shop.query(read)).rowCount === 1);
      // Whoever does not wait for capture now reads the rows meanwhile.
      for (let n = 0; n < 100; n++) await world.shop.query('select');
      for (const { pid } of rows) process.kill(pid, 'SIGCONT');
      expect(await world.ended(id, 30_000)).to.include({ state: 'done', reason: null });
    } finally {
      for (const { pid } of rows) process.kill(pid, 'SIGCONT');
    }
    await expectTable();
  });

  it('that is cancelled on its way leaves no old state behind', async () => {
    const writers = createWriters(world.shop, FIRST - 1, 2);
    await writers.write(60);
    await world.settled(['history'], 30_000);
    const id = await world.replay(`'history', 'index'`);
    await until('some of it is sent', async () => (await world.status(id)).rows_done > 20, 20_000);
    await world.messages.query('select millrace.cancel_backfill($1)', [id]);
    expect(await world.status(id)).to.include({ state: 'cancelled' });
    await until(
      'nothing is under way',
      async () => {
        const sql = `select from millrace.backfill_status where state in ('waiting', 'running')`;
        return (await world.messages.query(sql)).rowCount === 0;
      },
      30_000,
    );
    await expectTable();
  });

  it('that is cancelled while it reads old states is put right only when these are sent', async () => {
    const writers = createWriters(world.shop, FIRST - 2, 2);
    await writers.write(60);
    await world.settled(['history'], 30_000);
    const id = await world.replay(`'history', 'index'`);
    await until('some of it is sent', async () => (await world.status(id)).rows_done > 20, 20_000);
    const lock = 'begin; lock table public.accounts_events in access exclusive mode';
    await world.archive.query(lock);
    const held = `select from pg_stat_activity where application_name = 'millrace replay' and wait_event_type = 'Lock'`;
    await until('it waits', async () => (await world.archive.query(held)).rowCount === 1);
    await world.messages.query('select millrace.cancel_backfill($1)', [id]);
    const { rows } = await world.messages.query<{ id: string }>(`select millrace.backfill('index', 'accounts') as id`);
    // A later one has its turn, the one that puts the rows right has not.
    expect(await world.ended(rows[0]!.id, 20_000)).to.include({ state: 'done' });
    const waiting = `select from millrace.backfill_status where kind = 'replay' and state = 'waiting'`;
    expect((await world.messages.query(waiting)).rowCount).to.equal(1);
    await world.archive.query('rollback');
    const open = `select from millrace.backfill_status where state in ('waiting', 'running')`;
    await until('nothing is under way', async () => (await world.messages.query(open)).rowCount === 0, 30_000);
    await expectTable();
  });
});
