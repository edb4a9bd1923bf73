/** A streaming standby of a running server, made from a base backup by hand (the embedded server has no pg_basebackup). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { giveTo, plainEnvironment, runAs, serverAccount } from '../../../src/db/embedded/account.ts';
import { startGuard } from '../../../src/db/embedded/guard.ts';
import { freePort } from '../../../src/runtime/free-port.ts';
import { until } from '../until.ts';

export interface Standby {
  adminUrl: string;
  /** As the superuser, in the database `postgres`. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Returns when it takes writes. */
  promote(): Promise<void>;
  close(): Promise<void>;
}

/** `primaryUrl`: its superuser. `upstreamUrl`: where the standby streams from, when not straight from there. */
export async function startStandby(
  primaryUrl: string,
  options: { upstreamUrl?: string; settings?: Record<string, string> } = {},
): Promise<Standby> {
  const account = await serverAccount();
  const dir = await mkdtemp(path.join(os.tmpdir(), 'millrace-standby-'));
  await chmod(dir, 0o755);
  await giveTo(account, dir);
  const data = path.join(dir, 'data');
  const bin = await backUp(primaryUrl, data);
  const upstream = new URL(options.upstreamUrl ?? primaryUrl);
  const port = await freePort();
  const settings = {
    ...options.settings,
    primary_conninfo: `host=127.0.0.1 port=${upstream.port} user=${upstream.username} password=${upstream.password} dbname=postgres`,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    wal_level: 'logical',
    max_wal_senders: '20',
    max_replication_slots: '20',
    max_connections: '100',
    fsync: 'off',
    port: String(port),
  };
  const child = spawn(
    path.join(bin, 'postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`])],
    { ...account, cwd: '/', detached: true, env: plainEnvironment(), stdio: 'ignore' },
  );
  const exited = once(child, 'exit');
  const guard = startGuard(child.pid!, dir, 'remove');
  const adminUrl = new URL(primaryUrl);
  adminUrl.port = String(port);
  const query = async (sql: string): Promise<Record<string, unknown>[]> => await ask(adminUrl.href, sql);
  await until('the standby answers', async () => await query('select 1').catch(() => false), 20_000);
  return {
    adminUrl: adminUrl.href,
    query,
    async promote() {
      await query('select pg_promote()');
      await until('it takes writes', async () => (await query('select pg_is_in_recovery() as is'))[0]?.is === false);
    },
    async close() {
      child.kill('SIGQUIT');
      await exited;
      guard.end();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Copies the primary's files to `data`, to be a standby's. Returns the folder of its programs. */
async function backUp(primaryUrl: string, data: string): Promise<string> {
  const account = await serverAccount();
  const client = new pg.Client({ connectionString: primaryUrl });
  await client.connect();
  try {
    const { rows } = await client.query(
      `select current_setting('data_directory') as dir, (select setting from pg_config where name = 'BINDIR') as bin`,
    );
    await client.query("select pg_backup_start('test', true)");
    // Files that go while they are copied do not matter: the WAL says what became of them.
    const copy = `cp -a "$1" "$2"; cd "$2" && rm -rf postmaster.pid postmaster.opts pg_replslot/* pg_wal/*`;
    const ran = await runAs(account, { file: '/bin/sh', args: ['-c', copy, 'sh', rows[0].dir, data] });
    if (ran.code !== 0) throw new Error(ran.output);
    const label = path.join(data, 'backup_label');
    const stopped = await client.query('select labelfile from pg_backup_stop(false)');
    await writeFile(label, stopped.rows[0].labelfile);
    await writeFile(path.join(data, 'standby.signal'), '');
    await giveTo(account, label);
    await giveTo(account, path.join(data, 'standby.signal'));
    return rows[0].bin;
  } finally {
    await client.end();
  }
}

async function ask(connectionString: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
