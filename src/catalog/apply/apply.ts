/**
 * The declaration becomes the catalog: one transaction (see change.ts), by name, and nothing at all when nothing differs.
 * Death at any line leaves the catalog as it was; what is not declared stays.
 */
import type { Database, Transaction } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import type { KeyRing } from '../../runtime/secret-key.ts';
import type { Declared } from '../declare/declaration.ts';
import { applyDatabases } from './databases.ts';
import { applyFunctions } from './functions.ts';
import { applySinks } from './sinks.ts';
import { Summary } from './summary.ts';
import { applyTokens } from './tokens.ts';
import { type ChangeOptions, changeCatalog } from './transaction.ts';

const startPositions = statement('catalog/start-positions');
const publish = statement('catalog/publish');

export interface ApplyDeps {
  db: Database;
  keys: KeyRing;
}

/** Names as `database shop`, `function by-table`, `sink orders-worker`, `token worker`. */
export interface ApplySummary {
  created: string[];
  changed: string[];
  unchanged: string[];
  /** Sentences for whoever applies: what was asked for and is not done by itself. */
  notes: string[];
}

/**
 * Applies a declaration. Safe to repeat and to run twice at once.
 * @throws MillraceError bad_configuration for what cannot be changed in place or refers to nothing; bad_setting for a
 * wrong SECRET_KEY; unavailable when locks could not be had.
 */
export async function applyConfig(
  deps: ApplyDeps,
  config: Declared,
  options: ChangeOptions = {},
): Promise<ApplySummary> {
  return await changeCatalog(deps.db, (tx) => applyOnce(tx, deps.keys, config), options);
}

async function applyOnce(tx: Transaction, keys: KeyRing, config: Declared): Promise<ApplySummary> {
  const summary = new Summary();
  await applyTokens(tx, config.tokens, summary);
  const before = summary.changes;
  await applyDatabases({ tx, keys }, config.databases, summary);
  await applyFunctions(tx, config.functions, summary);
  await applySinks({ tx, keys }, config.sinks, summary);
  if (summary.changes > before) {
    await tx.query(startPositions);
    await tx.query(publish);
  }
  return summary.names();
}
