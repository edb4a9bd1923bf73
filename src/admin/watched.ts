/**
 * Watches backfills until they have ended: how far each is, why one waits, and that nobody works on them when nobody does.
 * Watching changes nothing: whoever stops leaves them running.
 */

import { count, progressText, type Screen } from '../cli/screen.ts';
import type { Database } from '../db/pool.ts';
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
  database_name: string;
  capture_state: string | null;
  capture_reason: string | null;
  capture_remedy: string | null;
}

export interface WatchDeps {
  db: Database;
  screen: Screen;
  /** Milliseconds. */
  now(): number;
  /** Resolves early, without an error, when the signal comes. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

/** `left`: whoever watched has gone; they run on. */
export type Watched = 'done' | 'failed' | 'left';

const LOOK_MS = 500;
/** Without anything happening for so long, nobody works on them: a capture looks each second. */
const UNSEEN_MS = 5_000;
const STILL_MS = 15_000;
/** Lines at once. */
const LINES = 12;

/** The backfills, and those that they have become. */
export async function readWatched(db: Database, ids: readonly string[]): Promise<WatchedBackfill[]> {
  return (await db.query<WatchedBackfill>(WATCHED, [ids])).rows;
}

/** Until all have ended. What failed or was cancelled is said with its remedy. */
export async function watchBackfills(deps: WatchDeps, ids: readonly string[], signal: AbortSignal): Promise<Watched> {
  return await watchRows(() => readWatched(deps.db, ids), deps, signal);
}

/** The same, of rows from anywhere. */
export async function watchRows(
  read: () => Promise<WatchedBackfill[]>,
  deps: Omit<WatchDeps, 'db'>,
  signal: AbortSignal,
): Promise<Watched> {
  const { screen } = deps;
  let seen = '';
  let since = deps.now();
  while (!signal.aborted) {
    const rows = await read();
    const look = JSON.stringify(rows.map(({ id, state, rows_done, reason }) => [id, state, rows_done, reason]));
    if (look !== seen) since = deps.now();
    seen = look;
    screen.show(linesOf(rows, deps.now() - since));
    if (rows.every(({ state }) => hasEnded(state))) {
      screen.end();
      return tellEnd(screen, rows);
    }
    await deps.sleep(LOOK_MS, signal);
  }
  screen.end();
  return 'left';
}

const hasEnded = (state: WatchedBackfill['state']): boolean => ['done', 'cancelled', 'failed'].includes(state);

export function nameOf({ kind, table_schema, table_name, sink_name }: WatchedBackfill): string {
  if (kind === 'all') return `all tables of ${sink_name}`;
  return table_name === null ? `${kind} to ${sink_name}` : `${table_schema}.${table_name}`;
}

/** `stillMs`: how long nothing has changed. */
export function linesOf(rows: readonly WatchedBackfill[], stillMs: number): string[] {
  const parts = rows.filter(({ kind, state }) => kind !== 'all' || !hasEnded(state));
  const open = parts.filter(({ state }) => !hasEnded(state));
  // The ones that wait for their turn are in the count below.
  const telling = open.filter(({ state, reason }) => state !== 'waiting' || reason !== null);
  const shown = (telling.length > 0 ? telling : open).slice(0, LINES);
  const lines = shown.map((row) => `${nameOf(row)}  ${stateText(row)}`);
  if (parts.length > 1) {
    const done = parts.reduce((sum, row) => sum + row.rows_done, 0);
    lines.push(`${parts.length - open.length} of ${parts.length} tables ended, ${count(done)} rows read`);
  }
  const hint = hintOf(open, stillMs);
  return hint === undefined ? lines : [...lines, hint];
}

function stateText(row: WatchedBackfill): string {
  const { state, reason, remedy, rows_done, rows_total, rows_per_second, seconds_left } = row;
  const progress = progressText({
    ...{ done: rows_done, total: rows_total, rate: rows_per_second, left: seconds_left, unit: 'rows' },
  });
  const because = reason === null ? '' : `waiting: ${[reason, remedy].filter((text) => text !== null).join('; ')}`;
  if (state === 'paused') return `${progress}  paused: bin/millrace backfills resume ${row.id}`;
  if (because !== '') return row.started_at === null ? because : `${progress}  ${because}`;
  if (state === 'waiting') return row.started_at === null ? 'waiting' : `${progress}  waiting`;
  return progress;
}

function hintOf(open: readonly WatchedBackfill[], stillMs: number): string | undefined {
  const under = open.filter(({ state }) => state !== 'paused');
  const explained = under.some(({ reason }) => reason !== null);
  const isRunning = under.some(({ state }) => state === 'running');
  if (under.length === 0 || explained || stillMs < (isRunning ? STILL_MS : UNSEEN_MS)) return undefined;
  const { database_name, capture_state, capture_reason, capture_remedy } = under[0]!;
  const why = [capture_reason, capture_remedy].filter((text) => text !== null).join('; ');
  const state = `database ${database_name}: ${capture_state ?? 'never captured'}${why === '' ? '' : `: ${why}`}`;
  return `waiting: is \`bin/millrace start\` (or the capture process) running? ${state}`;
}

function tellEnd(screen: Screen, rows: readonly WatchedBackfill[]): 'done' | 'failed' {
  const tables = rows.filter(({ kind }) => kind !== 'all');
  for (const row of rows) {
    if (row.state === 'done') continue;
    screen.say(`${nameOf(row)} ${row.state}${row.reason === null ? '' : `: ${row.reason}`}`);
    if (row.remedy !== null) screen.say(`  ${row.remedy}`);
    if (row.state === 'failed') screen.say(`  Then continue where it stopped: bin/millrace backfills resume ${row.id}`);
  }
  for (const { kind, state, reason } of rows) {
    // Said only where tables were left out.
    if (kind === 'all' && state === 'done' && reason?.includes(';')) screen.say(reason);
  }
  if (tables.length === 0 && rows.every(({ state }) => state === 'done')) {
    screen.say('The sink has no table that is in the publication and has a primary key: no row was sent.');
    return 'failed';
  }
  const sum = (key: 'rows_done' | 'rows_sent'): string => count(tables.reduce((total, row) => total + row[key], 0));
  const isDone = rows.every(({ state }) => state === 'done');
  if (tables.length > 0) screen.say(`${isDone ? 'done: ' : ''}${sum('rows_done')} rows read, ${sum('rows_sent')} sent`);
  return isDone ? 'done' : 'failed';
}
