/**
 * A commit is in the stream a moment before others see it, and for long where it waits for a synchronous standby. What is
 * read again from the table must not be older than the change that it is read for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import pg from 'pg';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { byWay, ofReplication } from '../support/postgres/capture-way.ts';
import { type SynchronousCluster, startSynchronousCluster } from '../support/postgres/synchronous.ts';
import { until } from '../support/until.ts';

const LONG = 'x'.repeat(9_000);

describe('a large value that is read again', function () {
  this.timeout(120_000);
  let server: SynchronousCluster;
  let on: Captured;
  let writer: pg.Client;

  before(async () => {
    server = await startSynchronousCluster();
  });
  after(() => server?.stop());
  afterEach(async () => {
    await standby('');
    await writer.end();
    await on.close();
  });

  async function start(): Promise<number> {
    on = await captured(
      `create table papers (name text primary key, title text, body text);
       alter table papers alter body set storage external;
       insert into papers values ('a', 'first', 'a${LONG}'), ('b', 'second', 'b${LONG}')`,
      { cluster: server.cluster },
    );
    writer = new pg.Client({ connectionString: on.sourceUrl });
    await writer.connect();
    await writer.query('set synchronous_commit = on');
    const sinkNo = await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
    on.start();
    await on.streaming();
    return sinkNo;
  }

  const standby = (name: string): Promise<void> => server.waitFor(name, writer);

  /** Commits, which others see only after capture has had every chance to read too early. */
  async function commitUnseen(sql: string, meanwhile?: () => Promise<void>): Promise<void> {
    await standby('nobody');
    const waiting = writer.query(sql);
    const asked = `select from pg_stat_activity where application_name = 'millrace capture shop'
      and query like '%pg_current_snapshot%' and datname = current_database()`;
    const sent = 'select from millrace_private.messages';
    await until('capture has looked', async () => {
      const [{ rowCount: looks }, { rowCount: messages }] = [
        await on.source.query(asked),
        await on.messages.db.query(sent),
      ];
      return (looks ?? 0) + messages > 0;
    });
    await meanwhile?.();
    await standby('');
    await waiting;
  }

  const seen = async (sinkNo: number, count: number) =>
    (await on.received(sinkNo, count)).map(({ action, record, unchanged_toast }) => {
      const { name, body } = JSON.parse(record) as { name: string; body?: string };
      return `${action} ${name} ${body === undefined ? 'none' : body.replace(LONG, '')} ${unchanged_toast}`;
    });

  it('of a row that has another key now is there', async () => {
    const sinkNo = await start();
    await commitUnseen(`update papers set name = 'c' where name = 'a'`);
    expect(await seen(sinkNo, 1)).to.deep.equal(['update c a null']);
  });

  it('is not the one of the row that had the key before', async () => {
    const sinkNo = await start();
    await commitUnseen(
      `begin; delete from papers where name = 'b'; update papers set name = 'b' where name = 'a'; commit`,
    );
    const gone = byWay({ replication: 'delete b none null', triggers: 'delete b b null' });
    expect(await seen(sinkNo, 2)).to.deep.equal([gone, 'update b a null']);
  });

  ofReplication('a table has triggers a moment after it is published').it(
    'is the catalog too: a table that its transaction has made has its key',
    async () => {
      const sinkNo = await start();
      await commitUnseen(`begin; create type mood as (a int, b text); create table fresh (id int primary key, m mood);
      alter publication millrace_test add table fresh; insert into fresh values (1, row(2, 'x')); commit`);
      const [row] = await on.received(sinkNo, 1);
      expect([row!.record, row!.record_pks]).to.deep.equal(['{"id":1,"m":{"a":2,"b":"x"}}', '["1"]']);
    },
  );

  it('is waited for by nobody who is told to stop, and is there after the next start', async () => {
    const sinkNo = await start();
    await commitUnseen(`update papers set name = 'c' where name = 'a'`, async () => {
      const how = await Promise.race([on.stop().then(() => 'ended'), sleep(10_000, 'hangs', { ref: false })]);
      expect(how).to.equal('ended');
    });
    on.start();
    expect(await seen(sinkNo, 1)).to.deep.equal(['update c a null']);
  });
});
