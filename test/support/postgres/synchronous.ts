/** A server whose commits wait for a standby that is not there, for as long as a test wants: in the stream, and unseen. */
import pg from 'pg';
import { until } from '../until.ts';
import { type Cluster, startCluster } from './postgres.ts';

export interface SynchronousCluster {
  cluster: Cluster;
  admin: pg.Client;
  /** From now on commits of sessions that ask for it wait for this standby; '': for none. Returns when `client` knows. */
  waitFor(standby: string, client: pg.Client): Promise<void>;
  stop(): Promise<void>;
}

export async function startSynchronousCluster(): Promise<SynchronousCluster> {
  const cluster = await startCluster();
  const admin = new pg.Client({ connectionString: cluster.adminUrl });
  await admin.connect();
  return {
    cluster,
    admin,
    async waitFor(standby, client) {
      await admin.query(`alter system set synchronous_standby_names = '${standby}'`);
      await admin.query('select pg_reload_conf()');
      await until('the server knows', async () => {
        const { rows } = await client.query<object>('show synchronous_standby_names');
        return Object.values(rows[0]!)[0] === standby;
      }).catch(() => undefined);
      if (standby !== '') await untilCommitsWait(cluster, admin);
    },
    async stop() {
      await admin.end();
      await cluster.stop();
    },
  };
}

/** A session knows the setting before the checkpointer does, and until that knows it no commit waits. */
async function untilCommitsWait(cluster: Cluster, admin: pg.Client): Promise<void> {
  const probe = new pg.Client({ connectionString: cluster.adminUrl });
  await probe.connect();
  try {
    const { rows } = await probe.query<{ pid: number }>('select pg_backend_pid() as pid');
    const [{ pid }] = rows as [{ pid: number }];
    let isOver = true;
    let committed: Promise<unknown> = Promise.resolve();
    await until('commits wait', async () => {
      if (isOver) {
        isOver = false;
        committed = probe
          .query("set synchronous_commit = on; select pg_logical_emit_message(true, 'probe', '')")
          .finally(() => {
            isOver = true;
          });
      }
      const waiting = "select from pg_stat_activity where pid = $1 and wait_event = 'SyncRep'";
      return (await admin.query(waiting, [pid])).rows.length > 0;
    });
    await admin.query('select pg_cancel_backend($1)', [pid]);
    await committed;
  } finally {
    await probe.end();
  }
}
