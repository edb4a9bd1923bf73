/** The backfills that there are, one of them, and pause, resume, cancel. An id may be shortened to its beginning. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import type { WatchedBackfill } from './watched.ts';

const LIST = statement('admin/list-backfills');
const VERBS = {
  pause: statement('admin/pause-backfill'),
  resume: statement('admin/resume-backfill'),
  cancel: statement('admin/cancel-backfill'),
};

export type BackfillVerb = keyof typeof VERBS;

export const BACKFILL_VERBS = ['pause', 'resume', 'cancel'] as const satisfies readonly BackfillVerb[];

export type ListedBackfill = Pick<
  WatchedBackfill,
  | 'id'
  | 'sink_name'
  | 'kind'
  | 'table_schema'
  | 'table_name'
  | 'state'
  | 'reason'
  | 'remedy'
  | 'rows_done'
  | 'rows_sent'
  | 'rows_total'
  | 'rows_per_second'
  | 'seconds_left'
> & {
  percent: number | null;
  sort_column: string | null;
  start_position: string | null;
  /** Of the session's time zone, to the second. */
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
};

/** Newest first; without `all` those that have not ended, and the failed ones. */
export async function listBackfills(db: Queryable, all: boolean): Promise<ListedBackfill[]> {
  return (await db.query<ListedBackfill>(LIST, [all, null])).rows;
}

export interface BackfillChange {
  id: string;
  /** False: there was nothing to do in its state. */
  changed: boolean;
  state: ListedBackfill['state'];
}

/** @throws MillraceError not_found, bad_request. */
export async function changeBackfill(db: Queryable, verb: BackfillVerb, id: string): Promise<BackfillChange> {
  const { id: whole } = await findBackfill(db, id);
  const { rows } = await db.query<{ changed: boolean }>(VERBS[verb], [whole]);
  const { state } = await findBackfill(db, whole);
  return { id: whole, changed: rows[0]!.changed, state };
}

/** @throws MillraceError not_found; bad_request: several begin so. */
export async function findBackfill(db: Queryable, id: string): Promise<ListedBackfill> {
  const wanted = id.trim().toLowerCase();
  const { rows } = /^[0-9a-f][0-9a-f-]{2,35}$/.test(wanted)
    ? await db.query<ListedBackfill>(LIST, [true, wanted])
    : { rows: [] };
  if (rows.length === 1) return rows[0]!;
  if (rows.length > 1) {
    const remedy = `Write more of it: ${rows
      .slice(0, 5)
      .map((row) => row.id)
      .join(', ')}.`;
    throw new MillraceError('bad_request', `several backfills begin with ${id}`, { remedy });
  }
  const remedy = '`bin/millrace backfills list --all` shows the ids; `bin/millrace backfill SINK` starts one.';
  throw new MillraceError('not_found', `there is no backfill ${id}`, { remedy });
}
