/**
 * A message database on a server of its own, which can be stopped and started again, behind a relay, for tests of what
 * the service does without it. The service connects as a plain role that owns the database.
 */
import { chmod, mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Embedded, startEmbedded } from '../../../src/db/embedded/server.ts';
import { type Database, openPool } from '../../../src/db/pool.ts';
import type { MessageDatabase } from '../postgres/message-database.ts';
import { type PostgresRelay, startPostgresRelay } from '../postgres/postgres-relay.ts';

export interface Store extends MessageDatabase {
  /** As the service reaches it: through the relay. */
  url: string;
  relay: PostgresRelay;
  /** Fast shutdown: `pg_ctl stop`. */
  stopServer(): Promise<void>;
  /** On the same port, with what it held. */
  startServer(): Promise<void>;
}

const ROLE = 'millrace_service';

export async function startStore(): Promise<Store> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'millrace-store-'));
  // mkdtemp's 0700 keeps the account out that the server runs as when we are root.
  await chmod(dir, 0o755);
  const start = (port?: number): Promise<Embedded> =>
    startEmbedded({
      dir,
      password: 'test-password',
      settings: { fsync: 'off', full_page_writes: 'off', max_connections: '60' },
      log: () => undefined,
      temporary: true,
      ...(port === undefined ? {} : { port }),
    });
  let server = await start();
  const { port } = server;
  const admin = openPool({ address: server.adminUrl, max: 1, applicationName: 'test', path: 'role' });
  await admin.query(`create role ${ROLE} login password '${ROLE}'`);
  await admin.query(`create database messages owner ${ROLE}`);
  await admin.close();
  const own = new URL(server.adminUrl);
  own.pathname = '/messages';
  const db: Database = openPool({ address: own.href, max: 6, applicationName: 'test', path: 'role' });
  const direct = new URL(own);
  direct.username = ROLE;
  direct.password = ROLE;
  const relay = await startPostgresRelay(direct.href);
  return {
    db,
    url: relay.url,
    relay,
    async stopServer() {
      process.kill(server.pid, 'SIGINT');
      await server.exited;
    },
    async startServer() {
      server = await start(port);
      if (server.port !== port) throw new Error(`port ${port} was taken by somebody else`);
    },
    async drop() {
      await db.close();
      await relay.close();
      await server.stop();
    },
  };
}
