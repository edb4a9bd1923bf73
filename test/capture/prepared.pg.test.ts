/**
 * Two-phase commit: what a prepared transaction wrote comes once, whole and in its place, when it is committed, whatever was stopped
 * between; and nothing of one that is rolled back.
 */
import { expect } from 'chai';
import pg from 'pg';
import type { OldestWriter } from '../../src/admin/source-slots.ts';
import { checkPrepared } from '../../src/checks/prepared.ts';
import { openPool } from '../../src/db/pool.ts';
import { statement } from '../../src/db/statement.ts';
import { readPrepared } from '../../src/source/server-facts.ts';
import { backfilled } from '../support/fixtures/backfilled.ts';
import { type Captured, captured, PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { byWay } from '../support/postgres/capture-way.ts';
import { type SourceServer, startSourceServer } from '../support/postgres/source-server.ts';
import { until } from '../support/until.ts';

const SCHEMA = `create table t (id int primary key, note text); alter table t alter note set storage external;
  create table parts (id int primary key, n int) partition by range (id);
  create table part_1 partition of parts for values from (0) to (100)`;

describe('capture: prepared transactions', function () {
  this.timeout(120_000);
  let server: SourceServer;
  let on: Captured;
  let sink: number;
  let index: number;
  /** Writes beside the test's own session. */
  let writer: pg.Client;
  let seen = 0;

  before(async () => {
    server = await startSourceServer({ settings: { max_prepared_transactions: '20', wal_level: 'logical' } });
  });
  after(async () => await server?.close());
  beforeEach(async () => {
    seen = 0;
    await server.execute('drop database if exists shop with (force)');
    await server.execute('create database shop');
    on = await captured(SCHEMA, { database: server.database, timing: { checkMs: 150, recheckMs: 100 } });
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    index = await on.addSink(sinkSettings({ name: 'index', destination: SEARCH }));
    writer = await connected();
    on.start();
    await on.streaming();
  });
  afterEach(async () => {
    await on.close();
    await writer.query('rollback');
    const { rows } = await writer.query<{ gid: string }>(
      'select gid from pg_prepared_xacts where database = current_database()',
    );
    for (const { gid } of rows) await writer.query(`rollback prepared '${gid}'`);
    await writer.end();
  });

  const connected = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: server.database.url });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const prepare = (gid: string, sql: string) => writer.query(`begin; ${sql}; prepare transaction '${gid}'`);
  /** The next messages, in short. */
  const next = async (count: number): Promise<string[]> => {
    const rows = await on.received(sink, seen + count);
    const fresh = rows.slice(seen);
    seen = rows.length;
    return fresh.map(({ action, record }) => `${action} ${record}`);
  };
  const restart = async (): Promise<void> => {
    await on.stop();
    on.start();
  };
  /** Everything that was committed before has come, and nothing else. */
  const isAll = async (): Promise<void> => {
    await writer.query("insert into t values (-1, 'last'); delete from t where id = -1");
    expect((await next(2))[0]).to.equal('insert {"id":-1,"note":"last"}');
  };

  it('come when they are committed, though capture was restarted between, and in the order of commits', async () => {
    await prepare('one', "insert into t values (1, 'one')");
    await prepare('two', "insert into t values (2, 'two')");
    await prepare('gone', "insert into t values (3, 'gone')");
    await writer.query("insert into t values (4, 'four')");
    expect(await next(1)).to.deep.equal(['insert {"id":4,"note":"four"}']);
    await restart();
    await writer.query("insert into t values (5, 'five')");
    expect(await next(1)).to.deep.equal(['insert {"id":5,"note":"five"}']);
    await on.stop();
    await writer.query("rollback prepared 'gone'");
    await writer.query("commit prepared 'two'");
    on.start();
    expect(await next(1)).to.deep.equal(['insert {"id":2,"note":"two"}']);
    await restart();
    await writer.query("commit prepared 'one'");
    expect(await next(1)).to.deep.equal(['insert {"id":1,"note":"one"}']);
    await restart();
    await isAll();
  });

  it('come when they are committed, though the server crashed between', async () => {
    await prepare('one', "insert into t values (1, 'one'); update t set note = 'changed'");
    await writer.query("insert into t values (4, 'four')");
    await next(1);
    await server.end('SIGQUIT');
    await server.start();
    writer = await connected();
    await on.streaming();
    await writer.query("insert into t values (5, 'five')");
    expect(await next(1)).to.deep.equal(['insert {"id":5,"note":"five"}']);
    await writer.query("commit prepared 'one'");
    expect(await next(2)).to.deep.equal(['insert {"id":1,"note":"one"}', 'update {"id":1,"note":"changed"}']);
    await isAll();
  });

  it('come whole: of subtransactions what they kept, large values, keys that changed, partitions', async () => {
    await writer.query(`insert into t values (1, repeat('x', 9000)), (3, 'gone')`);
    await next(2);
    await prepare(
      'one',
      `savepoint a; insert into t values (7, 'never'); rollback to a; update t set id = 2 where id = 1; insert into parts values (1, 1);
       savepoint b; update parts set n = 2; release b; delete from t where id = 3`,
    );
    await restart();
    await writer.query("commit prepared 'one'");
    const large = 'x'.repeat(9000);
    const deleted = byWay({ replication: '{"id":3}', triggers: '{"id":3,"note":"gone"}' });
    expect(await next(4)).to.deep.equal([
      `update {"id":2,"note":"${large}"}`,
      'insert {"id":1,"n":1}',
      'update {"id":1,"n":2}',
      `delete ${deleted}`,
    ]);
    await isAll();
  });

  it('come with the columns that they made, and tables that they altered are captured on', async () => {
    await prepare('one', "alter table t add column more int; insert into t values (1, 'one', 7)");
    // Its lock is in the way of every look at the table, and of no other.
    await writer.query('insert into parts values (1, 1)');
    expect(await next(1)).to.deep.equal(['insert {"id":1,"n":1}']);
    await restart();
    await writer.query('insert into parts values (2, 2)');
    expect(await next(1)).to.deep.equal(['insert {"id":2,"n":2}']);
    expect((await on.state()).state).to.equal('streaming');
    await writer.query("commit prepared 'one'");
    await writer.query("insert into t values (2, 'two', 8)");
    expect(await next(2)).to.deep.equal([
      'insert {"id":1,"note":"one","more":7}',
      'insert {"id":2,"note":"two","more":8}',
    ]);
  });

  it('are told of a key that they changed, and of rows that they truncated', async () => {
    await writer.query("insert into t values (1, 'one')");
    await next(1);
    await prepare('key', 'alter table t drop constraint t_pkey, add primary key (note)');
    await prepare('empty', 'truncate parts');
    await restart();
    expect((await on.notices(index)).map(({ code }) => code)).to.deep.equal([]);
    await writer.query("commit prepared 'key'");
    await writer.query("commit prepared 'empty'");
    await writer.query("insert into t values (2, 'two')");
    expect(await next(1)).to.deep.equal(['insert {"id":2,"note":"two"}']);
    await until('both are told', async () => {
      const codes = (await on.notices(index)).map(({ code, table }) => `${code} ${table}`);
      return codes.includes('key_changed public.t') && codes.includes('truncated public.parts');
    });
  });

  it('come once beside a backfill that saw their table without them', async () => {
    await writer.query("insert into t select n, 'old' from generate_series(1, 50) n");
    await next(50);
    await prepare('one', "update t set note = 'new' where id <= 2; insert into t values (51, 'new')");
    expect(await backfilled(on.messages.db, `'index', 't'`)).to.include({ state: 'done', rows_sent: 50 });
    await restart();
    await writer.query("commit prepared 'one'");
    await next(3);
    const last = new Map((await on.received(index, 103)).map(({ record }) => [JSON.parse(record).id, record]));
    for (const id of [1, 2, 51]) expect(last.get(id)).to.equal(`{"id":${id},"note":"new"}`);
    expect(last.get(3)).to.equal('{"id":3,"note":"old"}');
    await isAll();
  });

  it('are named by the doctor when they are old, and by what keeps WAL at once', async () => {
    await prepare("it''s", "insert into t values (1, 'one')");
    const source = openPool({ address: server.database.url, max: 1, applicationName: 'test', path: 'role' });
    try {
      const prepared = await readPrepared(source);
      expect(checkPrepared(prepared)).to.deep.equal([]);
      const [found] = checkPrepared(prepared.map((one) => ({ ...one, seconds: one.seconds + 7_200 })));
      expect([found?.id, found?.item, found?.status]).to.deep.equal(['prepared_open', "it's", 'warning']);
      expect(found?.summary).to.match(/^transaction 'it''s' of postgres in database shop was prepared 2 h ago/);
      const { rows } = await source.query<OldestWriter>(statement('source/oldest-writer'));
      expect(rows[0]).to.include({ pid: null, prepared: "it's", username: 'postgres' });
      await writer.query(found!.remedy!.match(/rollback prepared .*(?=\.$)/)![0]);
      expect(await readPrepared(source)).to.deep.equal([]);
    } finally {
      await source.close();
    }
    await isAll();
  });

  it('come of a table that they made', async () => {
    await prepare('one', 'create table made (id int primary key); insert into made values (1)');
    await restart();
    await on.streaming();
    await writer.query("commit prepared 'one'");
    await until('it is told', async () =>
      (await on.notices(sink)).some(({ code, table }) => code === 'added_late' && table === 'public.made'),
    );
    await writer.query('insert into made values (2)');
    expect(await next(1)).to.deep.equal(['insert {"id":2}']);
  });
});
