/** A commit that waits for a synchronous standby which is away: found, and gone when what is printed was run. */
import { expect } from 'chai';
import pg from 'pg';
import { unseenText } from '../../../src/source/visibility.ts';
import { PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { type Examined, examined } from '../../support/fixtures/examined.ts';
import { type SynchronousCluster, startSynchronousCluster } from '../../support/postgres/synchronous.ts';
import { until } from '../../support/until.ts';

describe('millrace doctor: commits that nobody sees', function () {
  this.timeout(120_000);
  let server: SynchronousCluster;
  before(async () => {
    server = await startSynchronousCluster();
  });
  after(async () => await server?.stop());

  async function trapped(as: 'superuser' | 'plain', work: (by: Examined, xid: number) => Promise<void>): Promise<void> {
    const by = await examined('create table orders (id int primary key)', { cluster: server.cluster, as });
    const writer = new pg.Client({ connectionString: by.on.sourceUrl });
    await writer.connect();
    let committed: Promise<unknown> = Promise.resolve();
    try {
      await by.on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      by.on.start();
      await by.streams();
      await by.stop();
      expect(await by.finding('commit_unseen')).to.equal(undefined);
      await writer.query('set synchronous_commit = on');
      await server.waitFor('nobody', writer);
      await writer.query('begin; insert into orders values (1)');
      const { rows } = await writer.query<{ xid: string; pid: number }>(
        'select pg_current_xact_id()::text as xid, pg_backend_pid() as pid',
      );
      committed = writer.query('commit');
      await until('it waits', async () => {
        const sql = "select from pg_stat_activity where pid = $1 and wait_event = 'SyncRep'";
        return (await server.admin.query(sql, [rows[0]!.pid])).rows.length > 0;
      });
      await work(by, Number(rows[0]!.xid));
      await committed;
      expect(await by.finding('commit_unseen')).to.equal(undefined);
    } finally {
      await server.waitFor('', writer);
      await committed;
      await writer.end();
      await by.close();
    }
  }

  it('are found, and their statement lets them go', async () => {
    await trapped('superuser', async (by) => {
      const printed = await by.repair('commit_unseen');
      expect(printed).to.include({ status: 'WARNING', subject: 'database shop', place: 'database shop' });
      expect(printed.summary).to.include('waits for a synchronous standby (synchronous_standby_names is nobody)');
    });
  });

  it('are an error where capture waits for one, found also by a role that is shown nobody else’s sessions', async () => {
    await trapped('plain', async (by, xid) => {
      await by.on.messages.db.query("update millrace_private.positions set state = 'error', reason = $1", [
        unseenText(xid),
      ]);
      const found = await by.finding('commit_unseen');
      expect(found).to.include({ status: 'ERROR', place: 'database shop' });
      expect(found!.summary).to.include('and capture waits for it');
      for (const sql of found!.sql!.split('; ')) await server.admin.query(sql);
    });
  });
});
