/**
 * A batch into a change table that is not in the message database: one transaction there, which also moves the
 * retention's progress (progress.ts says why that makes a repeated batch harmless).
 */

import { onDestination } from '../../db/deadline.ts';
import { USERS_PATH } from '../../db/session-settings.ts';
import type { Delivery } from '../../model/sink.ts';
import { failpoint } from '../../runtime/failpoint.ts';
import { doubtful, lockProgress, moveProgress, pendingOf, progressStatements, sift } from './progress.ts';
import type { Target } from './target.ts';
import { writeRows } from './write.ts';

/** Returns why, by id, for the rows that were refused; all others are in the table now, or were before. */
export async function writeElsewhere(
  target: Target,
  batch: readonly Delivery[],
  signal: AbortSignal,
): Promise<Map<number, string>> {
  const { retentionId, table } = target.wanted;
  const progress = progressStatements(table);
  const rows = batch.toSorted((a, b) => a.id - b.id);
  const refused = await onDestination(target.deps.destination, { signal, timeoutMs: target.timeoutMs }, async (tx) => {
    await tx.query(target.begin);
    const before = await lockProgress(tx, retentionId, progress);
    const pending = await pendingOf(target.deps.messages, retentionId, doubtful(rows, before));
    const { fresh, unsettled } = sift(rows, before, pending);
    const refused = await writeRows(tx, fresh, target.writing);
    const wrote = fresh.filter(({ id }) => !refused.has(id)).map(({ id }) => id);
    await moveProgress(tx, { retentionId, wrote, unsettled }, progress);
    // For triggers of the table that are deferred to the end.
    await tx.query(USERS_PATH);
    failpoint('change-table/before-commit');
    return refused;
  });
  failpoint('change-table/after-commit');
  return refused;
}
