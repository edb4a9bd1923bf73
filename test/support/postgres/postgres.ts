/**
 * Real Postgres servers for tests, without durability, in a temporary folder that goes with them, also when the test
 * process is killed. A database made from a template is a copy of its files: a migrated one in some 50 ms.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { startEmbedded } from '../../../src/db/embedded/server.ts';

export interface TestDatabase {
  name: string;
  /** postgres://postgres:...@127.0.0.1:PORT/name */
  url: string;
  drop(): Promise<void>;
}

export interface Cluster {
  major: number;
  port: number;
  adminUrl: string;
  /** `template`: the name of a database of this cluster to copy; nobody may be connected to it. */
  /** `encoding`: UTF8, if absent; without a template. */
  createDatabase(options?: { template?: string; encoding?: string }): Promise<TestDatabase>;
  stop(): Promise<void>;
}

const POSTGRES_15 = '/usr/lib/postgresql/15/bin';

const FAST: Record<string, string> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_senders: '60',
  max_replication_slots: '60',
  max_connections: '200',
};

let shared: Promise<Cluster> | undefined;
let sharedOther: Promise<Cluster> | undefined;

/** Embedded Postgres 18, wal_level=logical, started once per test process, stopped by the root hook. */
export async function sharedCluster(): Promise<Cluster> {
  shared ??= startCluster();
  return await shared;
}

/** The same for sources and destinations alone: of Postgres 15 with MILLRACE_TEST_MAJOR=15. */
export async function sharedSource(): Promise<Cluster> {
  if (process.env.MILLRACE_TEST_MAJOR !== '15') return await sharedCluster();
  sharedOther ??= startCluster({ major: 15 });
  return await sharedOther;
}

/** For the root hook. */
export async function stopSharedCluster(): Promise<void> {
  const running = [shared, sharedOther];
  shared = undefined;
  sharedOther = undefined;
  for (const cluster of running) await (await cluster)?.stop();
}

export function hasPostgres15(): boolean {
  return existsSync(path.join(POSTGRES_15, 'postgres'));
}

export type Major = 14 | 15 | 16 | 17 | 18;

/** Programs of a major release that is not the embedded one: the machine's 15, others where `.ci/fetch-postgres` laid them. */
const binOf = (major: Exclude<Major, 18>): string =>
  major === 15
    ? POSTGRES_15
    : fileURLToPath(new URL(`../../../node_modules/.cache/postgres-${major}/native/bin`, import.meta.url));

const isLaid = (major: Major): boolean => major === 18 || existsSync(path.join(binOf(major), 'postgres'));

/**
 * Declares the same tests for the newest and the oldest major release of Postgres, with MILLRACE_TEST_EVERY_MAJOR=1
 * (the gate, which brings 14 and 15, and .ci/long) for each that is there, each on a cluster of its own but for 18's. A release that the gate brings and that is missing here
 * is pending.
 */
export function eachMajor(declare: (cluster: () => Cluster, major: Major) => void): void {
  for (const major of [18, 17, 16, 15, 14] as const) {
    const isThere = isLaid(major);
    const isBetween = major !== 18 && major !== 14 && (major !== 15 || isLaid(14));
    if (isBetween && (process.env.MILLRACE_TEST_EVERY_MAJOR !== '1' || !isThere)) continue;
    describe(`on Postgres ${major}`, () => {
      let cluster: Cluster | undefined;
      before(async function () {
        if (!isThere) this.skip();
        cluster = major === 18 ? await sharedCluster() : await startCluster({ major });
      });
      after(async () => {
        if (major !== 18) await cluster?.stop();
      });
      declare(() => cluster!, major);
    });
  }
}

/** A cluster of your own; 15 is the machine's. `settings` go over those for speed. The caller stops it. */
export async function startCluster(
  options: { major?: Major; settings?: Record<string, string> } = {},
): Promise<Cluster> {
  const major = options.major ?? 18;
  const dir = await mkdtemp(path.join(os.tmpdir(), `millrace-test-${major}-`));
  // mkdtemp's 0700 keeps the account out that the server runs as when we are root.
  await chmod(dir, 0o755);
  const server = await startEmbedded({
    dir,
    password: 'test-password',
    settings: { ...FAST, ...options.settings },
    log: () => undefined,
    temporary: true,
    ...(major === 18 ? {} : { bin: binOf(major) }),
  });
  let made = 0;
  return {
    major,
    port: server.port,
    adminUrl: server.adminUrl,
    createDatabase: async (from = {}) => {
      made += 1;
      return await createDatabase(server.adminUrl, `test_${process.pid}_${made}`, from);
    },
    stop: () => server.stop(),
  };
}

async function createDatabase(
  adminUrl: string,
  name: string,
  { template, encoding }: { template?: string; encoding?: string },
): Promise<TestDatabase> {
  const other = encoding === undefined ? '' : ` template template0 encoding '${encoding}' locale 'C'`;
  const copy = template === undefined ? other : ` template ${pg.escapeIdentifier(template)} strategy file_copy`;
  await execute(adminUrl, `create database ${name}${copy}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    name,
    url: url.href,
    drop: async () => {
      // A slot would keep the database, and its WAL.
      await execute(
        adminUrl,
        `select pg_terminate_backend(active_pid) from pg_replication_slots where database = '${name}' and active`,
      );
      await dropSlots(adminUrl, name);
      await execute(adminUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

async function dropSlots(adminUrl: string, name: string): Promise<void> {
  const until = Date.now() + 5_000;
  for (;;) {
    try {
      await execute(
        adminUrl,
        `select pg_drop_replication_slot(slot_name) from pg_replication_slots where database = '${name}'`,
      );
      return;
    } catch (error) {
      // 55006: its walsender is still on its way out.
      if (!(error instanceof pg.DatabaseError) || error.code !== '55006' || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

export async function execute(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
