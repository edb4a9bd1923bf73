/**
 * Brings the message database's schema to this release, in one transaction: migrations that are missing, definitions that have
 * changed, the version. Two releases at once do it one after the other, by a lock on a table of our schema. Where somebody
 * else's lock is in the way, everybody behind us would wait as well: so all of it is undone soon, and tried again. What a newer
 * release has made stays as it is.
 */
import { isMadeMeanwhile, isTransient } from '../model/sqlstate.ts';
import { changedDefinitions, readMigrations, type SchemaFile } from './definitions.ts';
import { endConnection } from './drop-connection.ts';
import { type Connection, openClient, type PoolOptions, type Queryable, run } from './pool.ts';
import { runMigration } from './run-migration.ts';
import { notUtf8, readSchemaVersion, SCHEMA, schemaFault, unreleased } from './schema-version.ts';
import { statement } from './statement.ts';

export interface MigrateDependencies {
  log: { info(details: object, message: string): void; warn(details: object, message: string): void };
  /** Milliseconds for which it is tried again while others hold locks; 60,000. */
  patienceMs?: number;
}

/** What is not applied yet, in order. */
interface Missing {
  migrations: SchemaFile[];
  definitions: SchemaFile[];
}

const WHAT_IS_THERE = statement('db/what-is-there');
const APPLIED = statement('db/applied-files');
const PUT = statement('db/put-file');
const PUT_STATE = statement('db/put-schema-state');

/**
 * Returns the files that it applied, none where the schema is that of this release already. Throws what Postgres says.
 * @throws MillraceError for a database that this release neither works with nor brings up to date.
 */
export async function migrateSchema(deps: MigrateDependencies, options: PoolOptions): Promise<string[]> {
  const { queryTimeoutMs: _, ...patient } = options;
  const client = await openClient({ ...patient, statementTimeoutMs: 0 });
  const db: Queryable = { query: (sql, values) => run(client, sql, values) };
  try {
    if ((await readMissing(db, deps.log)) === undefined) return [];
    await createOnce(db, 'schema if not exists millrace_private');
    await createOnce(db, 'table if not exists millrace_private.lock_migrations ()');
    const applied = await untilNothingIsInTheWay(deps, () => applyMissing({ client, db }, deps.log));
    if (applied.length > 0) deps.log.info({ files: applied.length }, 'schema migrated');
    return applied;
  } finally {
    await endConnection(client);
  }
}

/** One connection, as itself and as ours. */
interface Both {
  client: Connection;
  db: Queryable;
}

async function applyMissing({ client, db }: Both, log: MigrateDependencies['log']): Promise<string[]> {
  await db.query(`begin; set local lock_timeout = '2s'; set local check_function_bodies = off`);
  try {
    await db.query('lock table millrace_private.lock_migrations in exclusive mode');
    // Another may have done it since.
    const missing = await readMissing(db, log);
    if (missing) {
      for (const file of missing.migrations) await apply(db, file, () => runMigration(client, file.name));
      for (const file of missing.definitions) await apply(db, file, () => db.query(file.text));
      await db.query(PUT_STATE, [SCHEMA.version, SCHEMA.serves]);
    }
    await db.query('commit');
    return missing ? [...missing.migrations, ...missing.definitions].map(({ path }) => path) : [];
  } catch (error) {
    await db.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Runs it, and notes that it was. What Postgres says against it begins with the file. */
async function apply(db: Queryable, { path, sha256 }: SchemaFile, work: () => Promise<unknown>): Promise<void> {
  await work().catch((error: unknown) => {
    if (error instanceof Error) error.message = `${path}: ${error.message}`;
    throw error;
  });
  await db.query(PUT, [path, sha256]);
}

/** Undefined: nothing is to be applied. */
async function readMissing(db: Queryable, log: MigrateDependencies['log']): Promise<Missing | undefined> {
  const { rows } = await db.query<{ is_ours: boolean; is_unreleased: boolean; encoding: string }>(WHAT_IS_THERE);
  const { is_ours, is_unreleased, encoding } = rows[0]!;
  if (is_unreleased) throw unreleased();
  if (!is_ours) {
    // Where there are messages already, the doctor says so: they are delivered all the same.
    if (encoding !== 'UTF8') throw notUtf8(encoding);
    return missingAfter(new Map());
  }
  const stored = await readSchemaVersion(db);
  if (stored !== undefined && stored.version > SCHEMA.version) {
    const fault = schemaFault(stored);
    if (fault) throw fault;
    log.warn({ version: stored.version }, 'a later release migrated the message database: this one changes nothing');
    return undefined;
  }
  const applied = (await db.query<{ path: string; sha256: string }>(APPLIED)).rows;
  const missing = missingAfter(new Map(applied.map(({ path, sha256 }) => [path, sha256])));
  const isComplete = missing.migrations.length + missing.definitions.length === 0;
  return isComplete && stored?.version === SCHEMA.version ? undefined : missing;
}

/** `applied`: hashes by path. */
function missingAfter(applied: ReadonlyMap<string, string>): Missing {
  const migrations = readMigrations();
  const known = new Map(migrations.map(({ path, sha256 }) => [path, sha256]));
  // A migration that was released is never edited, so its text is a mark of where the database comes from.
  for (const [path, sha256] of applied)
    if (path.startsWith('migrations/') && known.get(path) !== sha256) throw unreleased();
  return {
    migrations: migrations.filter(({ path }) => !applied.has(path)),
    definitions: changedDefinitions(applied),
  };
}

/** Each attempt waits some seconds itself for what is in its way. */
async function untilNothingIsInTheWay<Result>(deps: MigrateDependencies, work: () => Promise<Result>): Promise<Result> {
  const until = performance.now() + (deps.patienceMs ?? 60_000);
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || performance.now() >= until) throw error;
      deps.log.warn({ err: error }, 'another session is in the way of the migration: it is tried again');
    }
  }
}

async function createOnce(db: Queryable, what: string): Promise<void> {
  await db.query(`create ${what}`).catch((error: unknown) => {
    if (!isMadeMeanwhile(error)) throw error;
  });
}
