/**
 * node-pg-migrate's door: brings the message database's schema up to date. Migrations are plain SQL, append-only, each in
 * its own transaction, and two releases at once do it one after the other. The library's own lock is an advisory one, which
 * anybody who may connect can hold; ours is on a table of our schema.
 */
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import type pg from 'pg';
import { openClient, type PoolOptions } from './pool.ts';
import { statement } from './statement.ts';

export interface MigrateLog {
  info(details: object, message: string): void;
}

const SET_PATHS = statement('db/set-paths');
const dir = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Runs what is missing; returns the names of what ran. Throws what Postgres says when a migration fails. */
export async function migrateSchema(deps: { log: MigrateLog }, options: PoolOptions): Promise<string[]> {
  const { queryTimeoutMs: _, ...patient } = options;
  const client = await openClient({ ...patient, statementTimeoutMs: 0 });
  const unlock = await lockMigrations({ ...patient, statementTimeoutMs: 0, idleInTransactionMs: 0 });
  try {
    const done = await runner({
      dbClient: client,
      dir,
      direction: 'up',
      migrationsTable: 'schema_migrations',
      migrationsSchema: 'millrace_private',
      createMigrationsSchema: true,
      checkOrder: true,
      noLock: true,
      singleTransaction: false,
      log: () => undefined,
    });
    await client.query(SET_PATHS.text);
    for (const { name } of done) deps.log.info({ migration: name }, 'schema migrated');
    return done.map(({ name }) => name);
  } finally {
    await client.end();
    await unlock();
  }
}

/** Another made the schema or the table at the same moment. */
const MADE_MEANWHILE = new Set(['23505', '42710', '42P06', '42P07']);

/** Waits until nobody else migrates; what it returns lets the next one do it. On a connection of its own, whose end does so too. */
async function lockMigrations(options: PoolOptions): Promise<() => Promise<void>> {
  const guard = await openClient(options);
  try {
    for (const what of [
      'schema if not exists millrace_private',
      'table if not exists millrace_private.lock_migrations ()',
    ])
      await createOnce(guard, what);
    await guard.query('begin');
    await guard.query('lock table millrace_private.lock_migrations in exclusive mode');
  } catch (error) {
    await guard.end();
    throw error;
  }
  return () => guard.end();
}

async function createOnce(client: pg.Client, what: string): Promise<void> {
  await client.query(`create ${what}`).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (typeof code !== 'string' || !MADE_MEANWHILE.has(code)) throw error;
  });
}
