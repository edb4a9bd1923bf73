/**
 * A change of the catalog: one transaction. Whoever changes it follows the one before by a lock of their own; the lock that
 * holds captures is taken by publish_catalog, the last statement. No lock is waited for longer than a second, because
 * captures would wait behind it: the whole transaction is tried again instead.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { limitSql } from '../../db/deadline.ts';
import type { Database, Transaction } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { MillraceError } from '../../model/errors.ts';
import { isOutOfLocks, isTransient } from '../../model/sqlstate.ts';

const lockAppliers = statement('catalog/lock-appliers');

export interface ChangeOptions {
  /** Tries before it is given up; each waits for locks for at most a second. */
  attempts?: number;
  /** Waits between two tries. */
  pause?: (ms: number) => Promise<unknown>;
}

const PAUSE_MS = 250;

/** Each sink has storage of its own, and whatever is made or dropped is locked until the end. */
const tooMuchAtOnce = (cause: Error): MillraceError =>
  new MillraceError('unavailable', 'The message database has no room for the locks of so many changes at once', {
    remedy: 'Raise max_locks_per_transaction of its server and restart it, or apply the sinks in several parts.',
    cause,
  });

/** @throws MillraceError unavailable when locks could not be had; whatever `work` throws. */
export async function changeCatalog<Result>(
  db: Pick<Database, 'transaction'>,
  work: (tx: Transaction) => Promise<Result>,
  options: ChangeOptions = {},
): Promise<Result> {
  const attempts = options.attempts ?? 60;
  const pause = options.pause ?? sleep;
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transaction(async (tx) => {
        await tx.query(limitSql({ lockMs: 1_000 }));
        await tx.query(lockAppliers);
        return await work(tx);
      });
    } catch (error) {
      if (isOutOfLocks(error)) throw tooMuchAtOnce(error);
      if (!isTransient(error)) throw error;
      if (attempt >= attempts) {
        throw new MillraceError(
          'unavailable',
          'The configuration could not be changed: other sessions hold its locks',
          {
            remedy: 'Look for long transactions on schema millrace_private in pg_stat_activity, then try again.',
            cause: error,
          },
        );
      }
      await pause(PAUSE_MS);
    }
  }
}
