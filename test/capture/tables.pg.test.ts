/** Tables that change under capture's feet, and tables that it must keep its hands off. */
import { expect } from 'chai';
import { backfilled } from '../support/fixtures/backfilled.ts';
import { type Captured, type CapturedOptions, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { BY_TRIGGERS, byWay, ofReplication } from '../support/postgres/capture-way.ts';
import { messageDatabase } from '../support/postgres/message-database.ts';
import { AS_PLAIN } from '../support/postgres/plain-role.ts';
import { hasPostgres15, startCluster } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

const named = (...tables: string[]) => ({
  include_schemas: null,
  exclude_schemas: null,
  include_tables: tables,
  exclude_tables: null,
});
const keysAlone = ofReplication('what triggers note of a row is whole');

const TIMING = { checkMs: 150, recheckMs: 100 };

describe('tables under capture', () => {
  let on: Captured;
  let sink: number;

  const start = async (schema: string, options: CapturedOptions = {}): Promise<void> => {
    on = await captured(schema, { timing: TIMING, ...options });
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
  };
  const records = async (count: number): Promise<unknown[]> =>
    (await on.received(sink, count)).map((row) => JSON.parse(row.record));
  const notice = async (code: string, of = sink) =>
    await until(`the notice ${code}`, async () => (await on.notices(of)).find((one) => one.code === code)).catch(
      async (error: unknown) => {
        throw new Error(`${String(error)}: ${JSON.stringify(await on.notices(of))}`);
      },
    );
  const published = async (table: string): Promise<void> => {
    await until(`${table} is published`, async () => {
      const sql = byWay({
        replication: 'select from pg_publication_tables where tablename = $1',
        triggers: "select from pg_trigger where tgrelid = to_regclass($1) and tgname = '!millrace_truncate'",
      });
      return (await on.source.query(sql, [table])).rowCount === 1;
    });
  };
  afterEach(async () => await on.close());

  it('takes for the key no column that the primary key only includes', async () => {
    await start(`create table t (id int, name text, primary key (id) include (name))`);
    await on.source.query(`insert into t values (1, 'a'), (2, null)`);
    await on.source.query(`update t set name = 'b' where id = 1; delete from t where id = 1`);
    await on.received(sink, 4);
    expect(await backfilled(on.messages.db, `'all', 't'`)).to.include({ state: 'done', rows_sent: 1 });
    const rows = (await on.received(sink, 5)).map((row) => `${row.action} ${row.record_pks} ${row.group_key2}`);
    expect(rows).to.deep.equal([
      'insert ["1"] null',
      'insert ["2"] null',
      'update ["1"] null',
      'delete ["1"] null',
      'read ["2"] null',
    ]);
    const parked = await on.messages.db.query('select from millrace_private.delivery_states');
    expect(parked.rowCount).to.equal(0);
  });

  it('follows columns that are added, dropped and renamed, also inside a transaction', async () => {
    await start('create table t (id int primary key, a text, b text)');
    await on.source.query("insert into t values (1, 'a', 'b')");
    await on.source.query("alter table t add column c int default 7; insert into t values (2, 'a', 'b')");
    await on.source.query(`begin; insert into t values (3, 'a', 'b', 1); alter table t drop column a;
      insert into t values (4, 'b', 1); alter table t rename column b to d; update t set d = 'x' where id = 4; commit`);
    expect(await records(5)).to.deep.equal([
      { id: 1, a: 'a', b: 'b' },
      { id: 2, a: 'a', b: 'b', c: 7 },
      { id: 3, a: 'a', b: 'b', c: 1 },
      { id: 4, b: 'b', c: 1 },
      { id: 4, d: 'x', c: 1 },
    ]);
  });

  it('stays bound to a renamed table, and says under which name', async () => {
    await start('create table orders (id int primary key)');
    const bound = await on.addSink(sinkSettings({ name: 'bound', destination: PULL, source: named('orders') }));
    await on.source.query('insert into orders values (1)');
    await on.received(bound, 1);
    await on.source.query('alter table orders rename to purchases');
    await on.source.query('insert into purchases values (2)');
    const rows = await on.received(bound, 2);
    expect(rows.map((row) => JSON.parse(row.text).metadata.table_name)).to.deep.equal(['orders', 'purchases']);
    expect((await notice('table_missing', bound)).message).to.contain('is called public.purchases now');
    // Somebody else has the name now: the sink means that one.
    await on.source.query('create table orders (id int primary key)');
    await published('orders');
    await on.source.query(
      'alter table purchases add column x int; insert into purchases values (3); insert into orders values (4)',
    );
    const after = await on.received(bound, 3);
    expect(after.map((row) => JSON.parse(row.record).id)).to.deep.equal([1, 2, 4]);
  });

  it('groups the rows of a renamed table as those of the name that is declared', async () => {
    await start('create table orders (id int primary key, customer int)');
    const tables = [{ name: 'public.orders', group_column_names: ['customer'] }];
    const grouped = await on.addSink(sinkSettings({ name: 'grouped', destination: PULL, tables }));
    await on.source.query('insert into orders values (1, 7)');
    await on.received(grouped, 1);
    await on.source.query('alter table orders rename to purchases; insert into purchases values (2, 7)');
    const [before, after] = await on.received(grouped, 2);
    expect(after!.group_key).to.equal(before!.group_key);
  });

  it('stays bound to a table that had its name again before capture came to its changes', async () => {
    await start('create table orders (id int primary key)');
    const bound = await on.addSink(sinkSettings({ name: 'bound', destination: PULL, source: named('orders') }));
    await on.source.query('insert into orders values (1)');
    await on.received(bound, 1);
    await on.stop();
    await on.source.query(
      `alter table orders rename to aside; insert into aside values (2);
       alter table aside rename to orders; insert into orders values (3)`,
    );
    on.start();
    const rows = await on.received(bound, 3);
    expect(rows.map((row) => JSON.parse(row.record).id)).to.deep.equal([1, 2, 3]);
  });

  it('says that a table was dropped and created again also if a change of the new one came first', async () => {
    await start('create table t (id int primary key)');
    await on.stop();
    await on.source.query('drop table t; create table t (id int primary key); insert into t values (1)');
    // As the stream leaves it when it is faster than the look that let the table in.
    const { rows } = await on.source.query<{ oid: number }>(`select 't'::regclass::oid::int8 as oid`);
    await on.messages.db.query(
      `insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata) values ($1, $2, 'public', 't', '')`,
      [on.databaseNo, rows[0]!.oid],
    );
    on.start();
    expect((await notice('table_detached')).table).to.equal('public.t');
  });

  it('shows partitions as their root, and tables that inherit as themselves', async () => {
    await start(`create table parts (id int, day date, primary key (id, day)) partition by range (day);
      create table parts_1 partition of parts for values from ('2026-01-01') to ('2026-02-01');
      create table parts_2 partition of parts for values from ('2026-02-01') to ('2026-03-01');
      create table base (id int primary key); create table heir (more text, primary key (id)) inherits (base)`);
    await on.source.query("insert into parts values (1, '2026-01-05'), (2, '2026-02-05')");
    await on.source.query("update parts set day = '2026-02-06' where id = 1");
    await on.source.query("insert into heir values (1, 'x'); insert into base values (2)");
    const rows = await on.received(sink, 6);
    expect(rows.map((row) => [JSON.parse(row.text).metadata.table_name, row.action, row.record_pks])).to.deep.equal([
      ['parts', 'insert', '["1","2026-01-05"]'],
      ['parts', 'insert', '["2","2026-02-05"]'],
      // Postgres moves a row between partitions by a delete and an insert.
      ['parts', 'delete', '["1","2026-01-05"]'],
      ['parts', 'insert', '["1","2026-02-06"]'],
      ['heir', 'insert', '["1"]'],
      ['base', 'insert', '["2"]'],
    ]);
  });

  keysAlone.it('parks a change that does not tell which row it is of', async () => {
    await start(
      `create table by_index (id int primary key, code text not null unique); alter table by_index replica identity using index by_index_code_key;
       create publication own for table by_index`,
      { settings: { publication: { name: 'own', create_if_not_exists: false, init_sql: null } } },
    );
    await on.source.query("insert into by_index values (1, 'a'); delete from by_index");
    await on.received(sink, 2);
    const { rows } = await on.messages.db.query<{ error: string }>('select error from millrace.parked_messages');
    expect(rows.map((row) => row.error)).to.deep.equal([
      'the change does not carry the whole primary key: the replica identity must cover it',
    ]);
  });

  it('prints a composite as it is now, when its type changes under capture', async () => {
    await start('create type pair as (a int, b text); create table t (id int primary key, p pair, ps pair[])', {
      timing: { checkMs: 600_000 },
    });
    await on.source.query("insert into t values (1, '(1,x)', array['(2,y)'::pair])");
    await on.received(sink, 1);
    await on.source.query(
      "alter type pair add attribute c int; insert into t values (2, '(1,x,3)', array['(2,y,4)'::pair])",
    );
    expect((await records(2))[1]).to.deep.equal({ id: 2, p: { a: 1, b: 'x', c: 3 }, ps: [{ a: 2, b: 'y', c: 4 }] });
    await on.source.query('alter type pair rename attribute c to d');
    await on.source.query("insert into t values (3, '(1,x,3)')");
    expect((await records(3))[2]).to.deep.equal({ id: 3, p: { a: 1, b: 'x', d: 3 }, ps: null });
    await on.source.query('alter type pair drop attribute b');
    await on.source.query('update t set id = 4 where id = 3');
    expect((await records(4))[3]).to.deep.equal({ id: 4, p: { a: 1, d: 3 }, ps: null });
    await on.source.query('alter type pair drop attribute a, add attribute e text');
    await on.source.query('begin; update t set id = 5 where id = 4; update t set id = 6 where id = 5; commit');
    expect((await records(6)).slice(4)).to.deep.equal([5, 6].map((id) => ({ id, p: { d: 3, e: null }, ps: null })));
  });

  it('prints a composite as it is now, also beside a value that is read again', async () => {
    await start(
      `create type pair as (a int, b text); create table t (id int primary key, p pair, long text);
      alter table t alter column long set storage external`,
      { timing: { checkMs: 600_000 } },
    );
    await on.source.query("insert into t values (1, '(1,x)', repeat('l', 5000)), (2, '(1,x)', repeat('l', 5000))");
    await on.source.query("update t set p = '(2,x)' where id = 1");
    await on.received(sink, 3);
    await on.source.query(
      "begin; alter type pair add attribute c int; update t set p = '(2,x,3)' where id = 2; commit",
    );
    const [, , before, after] = (await on.received(sink, 4)).map((row) => JSON.parse(row.record));
    expect(before.p).to.deep.equal({ a: 2, b: 'x' });
    expect(after.p).to.deep.equal({ a: 2, b: 'x', c: 3 });
    expect(after.long).to.have.length(5000);
  });

  it('feeds nothing back when messages and source are one database', async function () {
    // The plain role of a message database may not replicate.
    if (AS_PLAIN) return this.skip();
    const messages = await messageDatabase();
    const name = new URL(messages.url).pathname.slice(1);
    const database = { name, url: messages.url, drop: async () => undefined };
    try {
      await start('create table t (id int primary key)', { database, messages });
      await on.source.query('insert into t values (1)');
      await on.received(sink, 1);
      const { rows } = await on.source.query(
        "select tablename from pg_publication_tables where pubname = 'millrace_test'",
      );
      expect(rows).to.deep.equal([{ tablename: 't' }]);
      await on.stop();
      await on.source.query('drop publication millrace_test');
      await on.source.query('create publication millrace_test for all tables');
      await on.messages.db.query("select millrace.accept_gap('shop')");
      on.start();
      const { reason, remedy } = await on.becomes('error');
      expect(reason).to.contain('our own tables');
      expect(remedy).to.contain('drop publication "millrace_test"');
      await on.source.query('drop publication millrace_test');
      await on.streaming();
      await on.source.query('insert into t values (2)');
      expect(await records(2)).to.deep.equal([{ id: 1 }, { id: 2 }]);
      // One that is made for triggers publishes inserts alone: nothing fails for what it lists, and triggers are never made on our tables.
      if (BY_TRIGGERS) return;
      // Not even when somebody publishes our tables by name.
      await on.source.query('alter publication millrace_test add tables in schema millrace_private');
      expect((await on.becomes('error')).remedy).to.contain('drop tables in schema');
      await on.source.query('alter publication millrace_test drop tables in schema millrace_private');
      await on.streaming();
      await on.source.query('insert into t values (3)');
      expect(await records(3)).to.have.length(3);
    } finally {
      await on.close();
      await messages.drop();
    }
  });

  it('captures from Postgres 15 in the same way', async function () {
    if (!hasPostgres15()) return this.skip();
    const cluster = await startCluster({ major: 15 });
    try {
      await start(
        `create table t (id int primary key, a int, b int generated always as (a * 2) stored); alter table t replica identity full;
         create table parts (id int primary key) partition by range (id); create table parts_1 partition of parts for values from (1) to (9);
         create table listed (id int primary key, a int); alter table listed replica identity full`,
        { cluster },
      );
      await on.source.query('insert into t (id, a) values (1, 1); update t set a = 2; insert into parts values (1)');
      expect(await records(3)).to.deep.equal([{ id: 1, a: 1, b: 2 }, { id: 1, a: 2, b: 4 }, { id: 1 }]);
      expect((await on.notices(sink)).filter((one) => one.code === 'breaks_updates')).to.deep.equal([]);
      await on.close();
    } finally {
      await cluster.stop();
    }
  });
});
