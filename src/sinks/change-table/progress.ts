/**
 * Exactly once into another database, where the insert and the message's deletion cannot be one transaction.
 *
 * `millrace_progress` moves in the transaction that writes: `seq` is the highest id written, and a row above it is
 * certainly new. At or below it a high-water mark alone cannot tell two cases apart: a row that was written by a batch
 * whose settling was lost, and one that was left out when the mark passed (parked, or held behind another) and comes
 * only now. So `written` keeps the ids whose settling we do not know of yet; a row in it is skipped. An id leaves it
 * once its message is gone from the message table, for good: a message that is gone was settled and never comes again,
 * except from a writer that stalled with it in hand. So a row at or below the mark and not in `written` is new if its
 * message still exists (asked after the progress row was locked), and a stalled writer's leftover if not.
 * Death anywhere repeats the batch; nothing is written twice and nothing is left out. Nobody else's index is needed.
 */
import type { Queryable } from '../../db/pool.ts';
import { type Statement, statement } from '../../db/statement.ts';
import { MillraceError } from '../../model/errors.ts';
import type { QuotedTable } from '../../model/quote.ts';
import type { Delivery } from '../../model/sink.ts';
import { onTable, PROGRESS_TABLE } from './table-name.ts';

export interface Progress {
  seq: number;
  written: readonly number[];
}

export interface ProgressStatements {
  add: Statement;
  lock: Statement;
  move: Statement;
}

const ADD = statement('sinks/change-table/add-progress');
const LOCK = statement('sinks/change-table/lock-progress');
const MOVE = statement('sinks/change-table/move-progress');
const PENDING = statement('sinks/change-table/pending');

/** The statements on the progress table beside `table`. */
export function progressStatements(table: QuotedTable): ProgressStatements {
  return { add: onTable(ADD, table), lock: onTable(LOCK, table), move: onTable(MOVE, table) };
}

/** Locks the retention's row for the transaction, creating it when it is missing. */
export async function lockProgress(
  tx: Queryable,
  retentionId: string,
  statements: ProgressStatements,
): Promise<Progress> {
  for (const again of [true, false]) {
    const { rows } = await tx.query<{ seq: number; written: number[] }>(statements.lock, [retentionId]);
    if (rows[0] !== undefined) return rows[0];
    if (again) await tx.query(statements.add, [retentionId]);
  }
  throw new MillraceError('bad_destination', 'The progress row of a retention cannot be seen after it was written.', {
    remedy: `Take row level security off ${PROGRESS_TABLE}.`,
  });
}

/** The ids of which the message table must say whether they still exist, before anything can be decided. */
export function doubtful(rows: readonly Delivery[], progress: Progress): number[] {
  const written = new Set(progress.written);
  const below = rows.filter(({ id }) => id <= progress.seq && !written.has(id)).map(({ id }) => id);
  return [...progress.written, ...below];
}

/** The rows to write, and what stays in `written`, given which of the doubtful ids still have a message. */
export function sift(
  rows: readonly Delivery[],
  progress: Progress,
  pending: ReadonlySet<number>,
): { fresh: Delivery[]; unsettled: number[] } {
  const written = new Set(progress.written);
  return {
    fresh: rows.filter(({ id }) => id > progress.seq || (!written.has(id) && pending.has(id))),
    unsettled: progress.written.filter((id) => pending.has(id)),
  };
}

/** Records what this transaction wrote. */
export async function moveProgress(
  tx: Queryable,
  input: { retentionId: string; wrote: readonly number[]; unsettled: readonly number[] },
  statements: ProgressStatements,
): Promise<void> {
  const highest = input.wrote.reduce((most, id) => Math.max(most, id), 0);
  await tx.query(statements.move, [input.retentionId, highest, [...input.unsettled, ...input.wrote]]);
}

/** Which of these messages of the retention are not settled. Throws `unavailable` when the message table cannot say. */
export async function pendingOf(messages: Queryable, retentionId: string, ids: number[]): Promise<Set<number>> {
  if (ids.length === 0) return new Set();
  try {
    const { rows } = await messages.query<{ id: number }>(PENDING, [retentionId, ids]);
    return new Set(rows.map(({ id }) => id));
  } catch (cause) {
    throw new MillraceError('unavailable', 'The message table could not be read.', { cause });
  }
}
