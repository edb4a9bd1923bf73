/** Servers of the user's, asked for a person who waits: over connections of our own, never over those of capture. */
import { openCatalogDatabase } from '../catalog/open-database.ts';
import { type Catalog, type CatalogDatabase, loadCatalog } from '../catalog/store.ts';
import type { Database, Transacting } from '../db/pool.ts';
import { connectionFault, DECLARED_DATABASE } from '../model/connection-fault.ts';
import { MillraceError, messageOf } from '../model/errors.ts';
import { isServerError } from '../model/sqlstate.ts';
import type { PrivateAllowed } from '../runtime/addresses.ts';
import type { Resolver } from '../runtime/checked-lookup.ts';
import type { KeyRing } from '../runtime/secret-key.ts';
import { within } from './doctor/within.ts';

export interface OutsideDeps {
  /** The message database. */
  db: Transacting;
  /** The same, for who must know where it is. */
  messages: Database;
  keys: KeyRing;
  privateAllowed: PrivateAllowed;
  /** Of names; by the system, if absent. */
  resolver?: Resolver | undefined;
  /** Who has not answered by then is said to be away; 8,000. */
  patienceMs?: number;
}

/** Less than a client of ours waits for the head of an answer. */
export const PATIENCE_MS = 8_000;

/** Work that reaches out; it is to end by the signal. */
export type Reaching<Result> = (on: OutsideDeps, signal: AbortSignal) => Promise<Result>;

/** By name or id. @throws MillraceError not_found, bad_setting. */
export async function findDatabase(
  { db, keys, privateAllowed }: OutsideDeps,
  ref: string,
): Promise<{ catalog: Catalog; database: CatalogDatabase }> {
  const catalog = await loadCatalog(db, keys, privateAllowed);
  const database = catalog.databases.find(({ id, settings }) => settings.name === ref || id === ref);
  if (database) return { catalog, database };
  throw new MillraceError('not_found', `there is no database ${ref}`);
}

/** A statement that takes longer is given up. */
const STATEMENT_MS = 5_000;

/** @throws MillraceError source_unavailable, with the server's words; what `work` throws of ours. */
export async function askSource<Result>(
  database: CatalogDatabase,
  work: (source: Database) => Promise<Result>,
  patienceMs = PATIENCE_MS,
): Promise<Result> {
  const ask = async (): Promise<Result> => {
    const source = await openCatalogDatabase(database, { use: 'console', statementMs: STATEMENT_MS });
    try {
      return await work(source);
    } finally {
      await source.close().catch(() => undefined);
    }
  };
  try {
    return await within(patienceMs, NEVER, ask);
  } catch (error) {
    throw unavailable(error, database.settings.name);
  }
}

const NEVER = new AbortController().signal;

function unavailable(error: unknown, name: string): unknown {
  const found = connectionFault(error, DECLARED_DATABASE);
  if (!found && !isServerError(error)) return error;
  return new MillraceError('source_unavailable', `database ${name}: ${found?.message ?? messageOf(error)}`, {
    remedy: found?.remedy ?? 'See what the server says, and its log.',
    cause: error,
  });
}
