/** Transactions of every shape: nested, prepared, empty, wide, long, and rows that are too large to keep. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { ROLE_FLAGS } from '../../src/runtime/role-process.ts';
import { type Captured, captured, PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { BY_TRIGGERS, byWay, EMIT, emitSql, ofReplication } from '../support/postgres/capture-way.ts';
import { type Cluster, startCluster } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

const slots = ofReplication('it is about a slot');

const CHILD = fileURLToPath(new URL('../support/processes/capture-child.ts', import.meta.url));
const PEAK_KB = 216 * 1024;
/** Rows of the big transaction, together more than the memory that capture may take; 5,000,000 was tried too. */
const BIG = Number(process.env.MILLRACE_BIG_TRANSACTION ?? 80_000);
const WIDTH = Math.max(40, Math.ceil(120_000_000 / BIG));
/** Tables of one transaction; 1,000 in .ci/long, and 5,000 was tried too. */
const MANY = Number(process.env.MILLRACE_MANY_TABLES ?? 200);

describe('transactions under capture', () => {
  let cluster: Cluster;
  let on: Captured;
  let sink: number;

  before(async () => {
    cluster = await startCluster({ settings: { max_prepared_transactions: '10', max_locks_per_transaction: '2048' } });
    on = await captured(
      `create table t (id int primary key, note text); alter table t alter column note set storage external;
       create table plenty (id int primary key, note text); create table deep (id int primary key, value json)`,
      { cluster, timing: { checkMs: 500 } },
    );
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
  });
  after(async () => {
    await on.close();
    await cluster.stop();
  });
  let seen = 0;
  /** The next `count` messages. */
  const next = async (count: number) => {
    const rows = await on.received(sink, seen + count);
    const fresh = rows.slice(seen);
    seen = rows.length;
    return fresh;
  };

  const count = async (of: number): Promise<number> => {
    const { rows } = await on.messages.db.query<{ n: number }>(
      'select count(*) as n from millrace_private.messages where sink_no = $1::integer',
      [of],
    );
    return rows[0]!.n;
  };

  it('keeps what a subtransaction keeps, in order, counted on', async () => {
    await on.source.query(`begin; insert into t values (1); savepoint a; insert into t values (2); rollback to a;
      insert into t values (3); savepoint b; insert into t values (4); release b; insert into t values (5); commit`);
    const rows = await next(4);
    expect(rows.map((row) => [row.record_pks, row.commit_idx])).to.deep.equal([
      ['["1"]', 0],
      ['["3"]', 1],
      ['["4"]', 2],
      ['["5"]', 3],
    ]);
  });

  it('sends a prepared transaction when it is committed, and never one that is rolled back', async () => {
    await on.source.query("begin; insert into t values (10); prepare transaction 'kept'");
    await on.source.query("begin; insert into t values (11); prepare transaction 'gone'");
    await on.source.query('insert into t values (12)');
    expect((await next(1)).map((row) => row.record_pks)).to.deep.equal(['["12"]']);
    await on.source.query("rollback prepared 'gone'");
    await on.source.query("commit prepared 'kept'");
    expect((await next(1)).map((row) => row.record_pks)).to.deep.equal(['["10"]']);
  });

  it('confirms transactions without a change, and those of other databases', async () => {
    const other = await cluster.createDatabase();
    const writer = new pg.Client({ connectionString: other.url });
    await writer.connect();
    await writer.query("create table w as select repeat('x', 100) as a from generate_series(1, 10000)");
    await on.source.query('create temporary table nothing (a int); insert into nothing values (1)');
    const { rows } = await writer.query('select pg_current_wal_lsn()::text as lsn');
    await until('the position moves on, and the slot', async () => {
      const recorded = await on.messages.db.query<{ on: boolean }>(
        'select confirmed_lsn >= $1::pg_lsn as on from millrace.database_status',
        [rows[0].lsn],
      );
      const slot = await on.source.query<{ on: boolean }>(
        'select confirmed_flush_lsn >= $2::pg_lsn as on from pg_replication_slots where slot_name = $1',
        [on.slot, rows[0].lsn],
      );
      return recorded.rows[0]!.on && (BY_TRIGGERS || slot.rows[0]!.on);
    });
    await writer.end();
    await other.drop();
  });

  it("takes Sequin's annotations, and clears them", async () => {
    await on.source.query(`begin;
      ${emitSql('sequin:transaction_annotations.set', '{"user":"ann"}')};
      insert into t values (20);
      ${emitSql('sequin:transaction_annotations.clear', '')};
      insert into t values (21);
      ${emitSql('millrace:annotations', 'not json')}; insert into t values (22); commit`);
    expect((await next(3)).map((row) => row.annotations)).to.deep.equal(['{"user":"ann"}', null, null]);
  });

  it('takes no annotations that Postgres could not read in a message any more', async () => {
    const nested = (depth: number): string => `${'[{"a":"[\\"["},'.repeat(depth - 2)}[{"a":1}]${']'.repeat(depth - 2)}`;
    await on.source.query(`begin; select ${EMIT}'millrace:annotations', '${nested(100)}');
      insert into t values (23); commit`);
    await on.source.query(`begin; select ${EMIT}'millrace:annotations', '${nested(101)}');
      insert into t values (24); commit`);
    await on.source.query(`begin; select ${EMIT}'millrace:annotations', repeat('[', 30000) || repeat(']', 30000));
      insert into t values (25); commit`);
    expect((await next(3)).map((row) => row.annotations)).to.deep.equal([nested(100), null, null]);
  });

  it('brings JSON that is nested too deeply for a receive as a string', async () => {
    await on.source.query(
      `insert into deep select n, (repeat('[', n) || repeat(']', n))::json from unnest('{4000,15000}'::int[]) n`,
    );
    await next(2);
    const { rows } = await on.messages.db.session(async (client) => {
      await client.query('begin');
      const received = await client.query<{ id: string; type: string; length: number }>(
        `select r.message #>> '{record,id}' as id, json_typeof(r.message #> '{record,value}') as type,
                length(r.message #>> '{record,value}') as length
           from millrace.receive('all', 1000) r where r.message #>> '{metadata,table_name}' = 'deep'`,
      );
      await client.query('rollback');
      return received;
    });
    expect(rows).to.deep.equal([
      { id: '4000', type: 'array', length: 8_000 },
      { id: '15000', type: 'string', length: 30_000 },
    ]);
  });

  it('keeps the key of a row that is too large, and parks it with the reason', async () => {
    await on.source.query("insert into t values (30, repeat('x', 20000000)); insert into t values (31, 'small')");
    await on.source.query("update t set note = 'y' where id = 30");
    const rows = await next(3);
    expect(rows.map((row) => row.record)).to.deep.equal([
      '{"id":30}',
      '{"id":31,"note":"small"}',
      '{"id":30,"note":"y"}',
    ]);
    const parked = await on.messages.db.query<{ record_pk: string; stage: string; error: string }>(
      'select record_pk, stage, error from millrace.parked_messages',
    );
    const error = 'the row of 20000020 bytes is larger than max_row_bytes: only its key was kept';
    expect(parked.rows).to.deep.equal([{ record_pk: '30', stage: 'capture', error }]);
  });

  it(`follows ${MANY} tables in one transaction`, async function () {
    this.timeout(60_000 + MANY * 20);
    const deadlineMs = 20_000 + MANY * 10;
    await on.source.query(
      `do $$ begin for i in 1..${MANY} loop execute format('create table many_%s (id int primary key)', i); end loop; end $$`,
    );
    const published = byWay({
      replication: "select from pg_publication_tables where pubname = 'millrace_test' and tablename like 'many_%'",
      triggers: "select from pg_trigger where tgname = '!millrace_truncate' and tgrelid::regclass::text like 'many_%'",
    });
    await until('all are published', async () => (await on.source.query(published)).rows.length === MANY, deadlineMs);
    await on.source.query(
      `do $$ begin for i in 1..${MANY} loop execute format('insert into many_%s values (%s)', i, i); end loop; end $$`,
    );
    await until('all came', async () => (await count(sink)) >= seen + MANY, deadlineMs);
    const rows = await next(MANY);
    expect(rows.map((row) => row.commit_idx)).to.deep.equal(Array.from({ length: MANY }, (_, i) => i));
    expect(rows.map((row) => JSON.parse(row.record).id)).to.deep.equal(Array.from({ length: MANY }, (_, i) => i + 1));
  });

  it(`takes a transaction of ${BIG} rows in bounded memory`, async function () {
    this.timeout(60_000 + BIG / 10);
    await on.stop();
    const search = await on.addSink(
      sinkSettings({
        name: 'plenty',
        destination: SEARCH,
        source: { include_schemas: null, exclude_schemas: null, include_tables: ['plenty'], exclude_tables: null },
      }),
    );
    await on.messages.db.query(
      "update millrace_private.sinks set status = 'disabled', settings = jsonb_set(settings, '{status}', '\"disabled\"') where name = 'all'",
    );
    await on.messages.db.query('select millrace_private.publish_catalog()');
    const child: ChildProcess = spawn(process.execPath, [...ROLE_FLAGS, CHILD], {
      env: { ...process.env, DECLARED: JSON.stringify(on.declared), MESSAGES: on.messages.url },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      await on.streaming();
      await on.source.query(
        `insert into plenty select i, repeat('n', ${WIDTH}) || i from generate_series(1, ${BIG}) i`,
      );
      const committed = performance.now();
      await until('the first message', async () => (await count(search)) > 0);
      const first = performance.now();
      await until('every message', async () => (await count(search)) >= BIG, 40_000 + BIG / 10);
      const last = performance.now();
      const { rows } = await on.messages.db.query<{ n: number; keys: number; places: number; ordered: boolean }>(
        `select count(*) as n, count(distinct record_pks) as keys, count(distinct commit_idx) as places,
                bool_and(id > before) as ordered
           from (select id, record_pks, commit_idx, lag(id, 1, 0::bigint) over (order by commit_lsn, commit_idx) as before
                   from millrace_private.messages where sink_no = $1::integer) o`,
        [search],
      );
      expect(rows[0]).to.deep.equal({ n: BIG, keys: BIG, places: BIG, ordered: true });
      const lines = createInterface({ input: child.stdout! });
      child.stdin!.write('\n');
      const [line] = (await once(lines, 'line')) as [string];
      const peakKb = Number(line.split(' ')[1]);
      if (process.env.MILLRACE_BIG_TRANSACTION)
        console.log({ peakKb, firstMs: first - committed, lastMs: last - committed });
      expect(peakKb).to.be.lessThan(PEAK_KB).and.greaterThan(1_000);
    } finally {
      child.kill('SIGKILL');
    }
  });

  slots.it('names who keeps a slot from being created', async () => {
    const fresh = await captured('create table w (id int primary key)', { cluster, timing: { statementMs: 300 } });
    const writer = new pg.Client({ connectionString: fresh.sourceUrl });
    try {
      await writer.connect();
      const { rows } = await writer.query('select pg_backend_pid() as pid');
      await fresh.addSink(sinkSettings({ name: 'all', destination: PULL }));
      await writer.query('begin; insert into w values (1)');
      fresh.start();
      const waits = await fresh.becomes('error');
      expect(waits.reason).to.contain(`waits for transactions that are writing: backends ${rows[0].pid}`);
      expect(waits.remedy).to.contain(`select pg_terminate_backend(${rows[0].pid})`);
      await writer.query("prepare transaction 'stuck'");
      await until('the prepared one is named', async () =>
        (await fresh.state()).reason?.includes("prepared transactions 'stuck'"),
      );
      await writer.query("rollback prepared 'stuck'");
      await fresh.streaming();
    } finally {
      await writer.end();
      await fresh.close();
    }
  });
});
