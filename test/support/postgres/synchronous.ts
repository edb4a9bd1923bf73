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
    },
    async stop() {
      await admin.end();
      await cluster.stop();
    },
  };
}
