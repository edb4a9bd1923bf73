/** A Postgres server that is stopped, killed and started again on the same folder and port, as a source in trouble is. */
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { runAs, serverAccount } from '../../../src/db/embedded/account.ts';
import { type Embedded, startEmbedded } from '../../../src/db/embedded/server.ts';
import { freezeAll, setNextXid, stepsTo } from './next-xid.ts';
import type { TestDatabase } from './postgres.ts';

export interface SourceServer {
  database: TestDatabase;
  adminUrl: string;
  /** As the superuser, in the database `postgres`. */
  execute(sql: string): Promise<void>;
  /** SIGKILL, SIGQUIT (immediate) or SIGINT (fast) to the postmaster; returns when it is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
  start(settings?: Record<string, string>): Promise<void>;
  /** Stopped, and started with what `alter system` has written, which settings of the start would go before. */
  restart(): Promise<void>;
  /** Takes a base backup (15 only); the next start is of it, recovered to its end and promoted. */
  backUp(): Promise<void>;
  /** Stopped, and started where `xid` is the next transaction id (15 only). */
  goOnAt(xid: bigint): Promise<void>;
  close(): Promise<void>;
}

const WRITTEN = "select name, setting from pg_file_settings where sourcefile like '%postgresql.auto.conf'";

export async function startSourceServer(
  options: { major?: 15 | 18; settings?: Record<string, string> } = {},
): Promise<SourceServer> {
  const dirs: string[] = [];
  const newDir = async (): Promise<string> => {
    const made = await mkdtemp(path.join(os.tmpdir(), 'millrace-source-'));
    await chmod(made, 0o755);
    dirs.push(made);
    return made;
  };
  let dir = await newDir();
  let port: number | undefined;
  let server: Embedded;
  const start = async (more: Record<string, string> = {}): Promise<void> => {
    server = await startEmbedded({
      dir,
      password: 'test-password',
      settings: { fsync: 'off', full_page_writes: 'off', ...options.settings, ...more },
      log: () => undefined,
      ...(port === undefined ? {} : { port }),
      ...(options.major === 15 ? { bin: '/usr/lib/postgresql/15/bin' } : {}),
    });
    port = server.port;
  };
  const execute = async (sql: string): Promise<Record<string, string>[]> => {
    const client = new pg.Client({ connectionString: server.adminUrl });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    process.kill(server.pid, signal);
    await server.exited;
  };
  await start();
  await execute('create database shop');
  const url = new URL(server!.adminUrl);
  url.pathname = '/shop';
  return {
    database: { name: 'shop', url: url.href, drop: async () => undefined },
    adminUrl: server!.adminUrl,
    execute: async (sql) => void (await execute(sql)),
    end,
    start,
    async restart() {
      const written = await execute(WRITTEN);
      await end('SIGINT');
      await start(Object.fromEntries(written.map(({ name, setting }) => [name, setting])));
    },
    async backUp() {
      const account = await serverAccount();
      const copy = await newDir();
      const data = path.join(copy, 'data');
      await mkdir(data, { mode: 0o700 });
      if (account.uid !== undefined) {
        await chown(copy, account.uid, account.gid ?? account.uid);
        await chown(data, account.uid, account.gid ?? account.uid);
      }
      const file = '/usr/lib/postgresql/15/bin/pg_basebackup';
      const ran = await runAs(account, {
        file,
        args: ['-d', server.adminUrl, '-D', data, '-X', 'stream', '-c', 'fast'],
      });
      if (ran.code !== 0) throw new Error(ran.output);
      await writeFile(path.join(data, 'recovery.signal'), '');
      dir = copy;
    },
    async goOnAt(xid) {
      for (const [n, step] of stepsTo(xid).entries()) {
        if (n > 0) await freezeAll(server.adminUrl);
        await end('SIGINT');
        await setNextXid(path.join(server.dir, 'data'), step);
        await start();
      }
    },
    async close() {
      await server.stop();
      for (const made of dirs) await rm(made, { recursive: true, force: true });
    },
  };
}
