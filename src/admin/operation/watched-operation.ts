/** An operation as somebody sees it who watches: a backfill or a replay table by table, as the others say it of themselves. */
import type { Queryable } from '../../db/pool.ts';
import { type Operation, showOperation } from '../operations.ts';
import { endOf, readWatched } from '../watched.ts';
import { backfillLines, endLines } from './backfill-lines.ts';

/** `id`: a UUID, whole. @throws MillraceError not_found. */
export async function watchedOperation(db: Queryable, id: string): Promise<Operation> {
  const operation = await showOperation(db, id);
  if (operation.kind !== 'backfill' && operation.kind !== 'replay') return operation;
  const rows = await readWatched(db, [id]);
  if (operation.ended_at === null) {
    const stillMs = Math.min(...rows.map(({ still_seconds }) => still_seconds * 1_000));
    return { ...operation, lines: backfillLines({ rows, stillMs }) };
  }
  const tables = rows.filter(({ kind }) => kind !== 'all').length;
  return { ...operation, lines: endLines({ ended: endOf(rows), rows }), result: { tables } };
}
