/**
 * The declaration becomes the catalog: one transaction, by name, and nothing at all when nothing differs. Appliers
 * follow one another by a lock of their own; the lock that holds captures is taken by publish_catalog, the last
 * statement. No lock is waited for longer than a second, because captures would wait behind it: the whole transaction
 * is tried again instead. Death at any line leaves the catalog as it was; what is not declared stays.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Transaction } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import { applyDatabases } from './apply-databases.ts';
import { applyFunctions } from './apply-functions.ts';
import { applySinks } from './apply-sinks.ts';
import { applyTokens } from './apply-tokens.ts';
import type { Declared } from './schemas.ts';
import { Summary } from './summary.ts';

const lockAppliers = statement('catalog/lock-appliers');
const startPositions = statement('catalog/start-positions');
const publish = statement('catalog/publish');

export interface ApplyDeps {
  db: Database;
  secretKey: string;
}

export interface ApplyOptions {
  /** Tries before it is given up; each waits for locks for at most a second. */
  attempts?: number;
  /** Waits between two tries. */
  pause?: (ms: number) => Promise<unknown>;
}

/** Names as `database shop`, `function by-table`, `sink orders-worker`, `token worker`. */
export interface ApplySummary {
  created: string[];
  changed: string[];
  unchanged: string[];
  /** Sentences for whoever applies: what was asked for and is not done by itself. */
  notes: string[];
}

/** Lock not available in time, deadlock, serialisation: the same transaction may succeed a moment later. */
const AGAIN = new Set(['55P03', '40P01', '40001']);
const PAUSE_MS = 250;

/**
 * Applies a declaration. Safe to repeat and to run twice at once.
 * @throws MillraceError bad_configuration for what cannot be changed in place or refers to nothing; bad_setting for a
 * wrong SECRET_KEY; unavailable when locks could not be had.
 */
export async function applyConfig(
  deps: ApplyDeps,
  config: Declared,
  options: ApplyOptions = {},
): Promise<ApplySummary> {
  const attempts = options.attempts ?? 60;
  const pause = options.pause ?? sleep;
  for (let attempt = 1; ; attempt++) {
    try {
      return await deps.db.transaction((tx) => applyOnce(tx, deps.secretKey, config));
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (attempt >= attempts) {
        throw new MillraceError(
          'unavailable',
          'The configuration could not be applied: other sessions hold its locks',
          {
            remedy: 'Look for long transactions on schema millrace_private in pg_stat_activity, then start again.',
            cause: error,
          },
        );
      }
      await pause(PAUSE_MS);
    }
  }
}

async function applyOnce(tx: Transaction, secretKey: string, config: Declared): Promise<ApplySummary> {
  await tx.query("set local lock_timeout = '1s'");
  await tx.query(lockAppliers);
  const summary = new Summary();
  await applyTokens(tx, config.tokens, summary);
  const before = summary.changes;
  await applyDatabases({ tx, secretKey }, config.databases, summary);
  await applyFunctions(tx, config.functions, summary);
  await applySinks({ tx, secretKey }, config.sinks, summary);
  if (summary.changes > before) {
    await tx.query(startPositions);
    await tx.query(publish);
  }
  return summary.names();
}

function isTransient(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && AGAIN.has(error.code);
}
