/**
 * Backfills, looked at until they have ended. Watching changes nothing: whoever stops leaves them running.
 */
import type { Database, Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const WATCHED = statement('admin/watched');

export interface WatchedBackfill {
  id: string;
  sink_name: string;
  kind: 'all' | 'table' | 'keys' | 'replay';
  table_schema: string | null;
  table_name: string | null;
  state: 'waiting' | 'running' | 'paused' | 'done' | 'cancelled' | 'failed';
  reason: string | null;
  remedy: string | null;
  rows_done: number;
  rows_sent: number;
  rows_total: number | null;
  rows_per_second: number | null;
  seconds_left: number | null;
  started_at: Date | null;
  /** Since it moved last. */
  still_seconds: number;
  database_name: string;
  capture_state: string | null;
  capture_reason: string | null;
  capture_remedy: string | null;
}

export interface WatchDeps {
  db: Database;
  /** Milliseconds. */
  now(): number;
  /** Resolves early, without an error, when the signal comes. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** What somebody sees who looks; `stillMs`: for how long nothing has changed. */
export interface Look {
  rows: readonly WatchedBackfill[];
  stillMs: number;
}

/** `failed`: some were not done, or there was no table to send. `left`: whoever watched has gone; they run on. */
export interface Watched {
  ended: 'done' | 'failed' | 'left';
  rows: readonly WatchedBackfill[];
}

const LOOK_MS = 500;
/** A look takes no more than a fifth of the time: after a resync there is a backfill for each table of each sink. */
const REST = 4;

/** The backfills, and those that they have become. */
export async function readWatched(db: Queryable, ids: readonly string[]): Promise<WatchedBackfill[]> {
  return (await db.query<WatchedBackfill>(WATCHED, [ids])).rows;
}

/** Until all have ended; each look is handed to `onLook`. */
export async function watchBackfills(
  deps: WatchDeps,
  { ids, onLook }: { ids: readonly string[]; onLook(look: Look): void },
  signal: AbortSignal,
): Promise<Watched> {
  let rows: WatchedBackfill[] = [];
  let seen = '';
  let since = deps.now();
  while (!signal.aborted) {
    const begun = deps.now();
    rows = await readWatched(deps.db, ids);
    const tookMs = deps.now() - begun;
    const look = JSON.stringify(rows.map(({ id, state, rows_done, reason }) => [id, state, rows_done, reason]));
    if (look !== seen) since = deps.now();
    seen = look;
    onLook({ rows, stillMs: deps.now() - since });
    if (rows.every(hasEnded)) return { ended: endOf(rows), rows };
    await deps.sleep(Math.max(LOOK_MS, REST * tookMs), signal);
  }
  return { ended: 'left', rows };
}

export const hasEnded = ({ state }: Pick<WatchedBackfill, 'state'>): boolean =>
  ['done', 'cancelled', 'failed'].includes(state);

/** Of rows that have all ended. */
export function endOf(rows: readonly WatchedBackfill[]): 'done' | 'failed' {
  const sent = rows.some(({ kind }) => kind !== 'all');
  return sent && rows.every(({ state }) => state === 'done') ? 'done' : 'failed';
}
