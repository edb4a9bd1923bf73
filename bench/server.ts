/**
 * The Postgres of a benchmark: one embedded server that is source and message database at once, in memory where the
 * machine has /dev/shm, gone afterwards also when we are killed.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startEmbedded } from '../src/db/embedded/server.ts';
import { type Database, openPool } from '../src/db/pool.ts';
import { quoteIdentifier } from '../src/model/quote.ts';

/** In memory fsync means nothing; commits are still waited for, and pages written whole. */
const SETTINGS = { fsync: 'off', synchronous_commit: 'on', max_wal_size: '16GB', checkpoint_timeout: '1h' };

export const SERVER_SETTINGS = Object.entries(SETTINGS)
  .map(([name, value]) => `${name}=${value}`)
  .join(', ');

export interface Server {
  pid: number;
  adminUrl: string;
  version: string;
  inMemory: boolean;
  /** Its address; made when it is not there. */
  database(name: string): Promise<string>;
  admin: Database;
  stop(): Promise<void>;
}

export async function startServer(): Promise<Server> {
  const inMemory = existsSync('/dev/shm');
  const dir = await mkdtemp(path.join(inMemory ? '/dev/shm' : os.tmpdir(), 'millrace-bench-'));
  await chmod(dir, 0o755);
  const server = await startEmbedded({
    dir,
    password: 'bench-password',
    settings: SETTINGS,
    log: () => undefined,
    temporary: true,
  });
  const admin = openPool({
    address: server.adminUrl,
    max: 2,
    applicationName: 'bench',
    path: 'role',
    statementTimeoutMs: 120_000,
  });
  const { rows } = await admin.query<{ version: string }>("select current_setting('server_version') as version");
  return {
    pid: server.pid,
    adminUrl: server.adminUrl,
    version: rows[0]!.version,
    inMemory: inMemory && !server.moved,
    admin,
    async database(name) {
      const found = await admin.query('select from pg_database where datname = $1', [name]);
      if (found.rowCount === 0) await admin.query(`create database ${quoteIdentifier(name)}`);
      const url = new URL(server.adminUrl);
      url.pathname = `/${encodeURIComponent(name)}`;
      return url.href;
    },
    async stop() {
      await admin.close();
      await server.stop();
    },
  };
}
