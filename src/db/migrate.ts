/**
 * node-pg-migrate's door: brings the message database's schema up to date. Migrations are plain SQL, append-only, each in
 * its own transaction, under the library's advisory lock, so that two releases at once do it one after the other.
 */
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import { openClient, type PoolOptions } from './pool.ts';

export interface MigrateLog {
  info(details: object, message: string): void;
}

const dir = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Runs what is missing; returns the names of what ran. Throws what Postgres says when a migration fails. */
export async function migrateSchema(deps: { log: MigrateLog }, options: PoolOptions): Promise<string[]> {
  const { queryTimeoutMs: _, ...patient } = options;
  const client = await openClient({ ...patient, statementTimeoutMs: 0 });
  try {
    const done = await runner({
      dbClient: client,
      dir,
      direction: 'up',
      migrationsTable: 'schema_migrations',
      migrationsSchema: 'millrace_private',
      createMigrationsSchema: true,
      checkOrder: true,
      singleTransaction: false,
      log: () => undefined,
    });
    for (const { name } of done) deps.log.info({ migration: name }, 'schema migrated');
    return done.map(({ name }) => name);
  } finally {
    await client.end();
  }
}
