/**
 * A commit that waits for a synchronous standby is in the stream long before anybody sees it. No page may bring back what
 * such a commit has changed already.
 */
import { expect } from 'chai';
import pg from 'pg';
import { backfillsOf } from '../support/fixtures/backfilled.ts';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { byWay } from '../support/postgres/capture-way.ts';
import { AS_PLAIN, plainRoleOf } from '../support/postgres/plain-role.ts';
import { type SynchronousCluster, startSynchronousCluster } from '../support/postgres/synchronous.ts';
import { until } from '../support/until.ts';

describe('a backfill beside commits that wait for a standby', function () {
  this.timeout(120_000);
  let server: SynchronousCluster;
  let on: Captured;
  let writer: pg.Client;
  before(async () => {
    server = await startSynchronousCluster();
  });
  after(() => server?.stop());
  beforeEach(async () => {
    on = await captured(`create table items (id integer primary key, name text); insert into items values (1, 'old')`, {
      cluster: server.cluster,
    });
    writer = new pg.Client({ connectionString: on.sourceUrl });
    await writer.connect();
    await writer.query('set synchronous_commit = on');
  });
  afterEach(async () => {
    await standby('');
    await writer.end();
    await on.close();
  });

  const standby = (name: string): Promise<void> => server.waitFor(name, writer);

  /** Asks for a backfill, lets the commit go when a page was read, and tells what was sent, in order. */
  async function backfill(sinkNo: number, waiting: Promise<unknown>): Promise<string[]> {
    await on.messages.db.query(`select millrace.backfill('worker', 'items')`);
    const sql = `select from pg_stat_activity where application_name = 'millrace backfill shop' and query like 'rollback%'`;
    await until('a page was read', async () => {
      const [status] = await backfillsOf(on.messages.db);
      return status!.state === 'done' || status!.reason !== null || (await server.admin.query(sql)).rowCount! > 0;
    });
    await standby('');
    await waiting;
    await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
    return (await on.received(sinkNo, 2)).map(({ action, record }) => `${action} ${JSON.parse(record).name}`);
  }
  /** Capture has it, though nobody sees it; of what triggers note nobody sees anything either. */
  async function isCommitted(sinkNo: number): Promise<void> {
    const waits = "select from pg_stat_activity where wait_event = 'SyncRep' and datname = current_database()";
    const unseen = async (): Promise<boolean> => (await on.source.query(waits)).rowCount === 1;
    await byWay<() => Promise<unknown>>({
      replication: () => on.received(sinkNo, 1),
      triggers: () => until('its commit waits', unseen),
    })();
  }
  const IN_ORDER = byWay({ replication: ['update new', 'read new'], triggers: ['read old', 'update new'] });

  /** The tables are known: their catalog is not read any more for a transaction that nobody sees. */
  async function streaming(sinkNo: number, also = 'select'): Promise<void> {
    on.start();
    await on.streaming();
    await writer.query(`${also}; update items set name = 'old'`);
    await on.received(sinkNo, 1);
    await on.messages.db.query('delete from millrace_private.messages');
  }

  it('does not follow the newest transaction with what was there before it', async () => {
    const sinkNo = await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
    await streaming(sinkNo);
    await standby('nobody');
    const waiting = writer.query(`update items set name = 'new'`);
    await isCommitted(sinkNo);
    expect(await backfill(sinkNo, waiting)).to.deep.equal(IN_ORDER);
  });

  it('nor one of which a part had come when the page was asked for', async () => {
    const source = {
      include_schemas: null,
      exclude_schemas: null,
      include_tables: ['public.items'],
      exclude_tables: null,
    };
    const sinkNo = await on.addSink(sinkSettings({ name: 'worker', destination: PULL, source }));
    await on.source.query('create table others (id integer primary key, name text)');
    await streaming(sinkNo, 'insert into others values (0)');
    await standby('nobody');
    const others = `insert into others select n, repeat('x', 300) from generate_series(1, 150000) n`;
    const waiting = writer.query(`begin; update items set name = 'new'; ${others}; commit`);
    await isCommitted(sinkNo);
    expect(await backfill(sinkNo, waiting)).to.deep.equal(IN_ORDER);
  });

  it('nor one that was captured before capture began again', async () => {
    const sinkNo = await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
    await streaming(sinkNo);
    await standby('nobody');
    const waiting = writer.query(`update items set name = 'new'`);
    await isCommitted(sinkNo);
    await on.stop();
    await on.source.query('select pg_current_xact_id()');
    on.start();
    await on.streaming();
    expect(await backfill(sinkNo, waiting)).to.deep.equal(IN_ORDER);
  });

  it('but goes on beside one that only writes, which a role with pg_read_all_stats can see', async () => {
    if (AS_PLAIN)
      await server.admin.query(
        `grant pg_read_all_stats to ${plainRoleOf({ name: new URL(on.sourceUrl).pathname.slice(1) })}`,
      );
    const sinkNo = await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
    on.start();
    await on.streaming();
    await writer.query(`begin; update items set name = 'newer'`);
    await on.stop();
    await standby('nobody');
    on.start();
    await on.messages.db.query(`select millrace.backfill('worker', 'items')`);
    await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
    await standby('');
    await writer.query('commit');
    const sent = (await on.received(sinkNo, 2)).map(({ action, record }) => `${action} ${JSON.parse(record).name}`);
    expect(sent).to.deep.equal(['read old', 'update newer']);
  });
});
