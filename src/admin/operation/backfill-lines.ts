/** Backfills under way, as a person reads them: how far each is, why one waits, and that nobody works on them when nobody does. */
import { progressText } from '../../model/progress-text.ts';
import { count } from '../../model/quantity.ts';
import { hasEnded, type Look, type Watched, type WatchedBackfill } from '../watched.ts';

/** Without anything happening for so long, nobody works on them: a capture looks each second. */
const UNSEEN_MS = 5_000;
const STILL_MS = 15_000;
/** Lines at once. */
const LINES = 12;

export function nameOf({ kind, table_schema, table_name, sink_name }: WatchedBackfill): string {
  if (kind === 'all') return `all tables of ${sink_name}`;
  return table_name === null ? `${kind} to ${sink_name}` : `${table_schema}.${table_name}`;
}

export function backfillLines({ rows, stillMs }: Look): string[] {
  const parts = rows.filter((row) => row.kind !== 'all' || !hasEnded(row));
  const open = parts.filter((row) => !hasEnded(row));
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

/** What became of each, below what was shown; nothing of backfills that run on. */
export function endLines({ ended, rows }: Watched): string[] {
  if (ended === 'left') return [];
  const lines: string[] = [];
  const tables = rows.filter(({ kind }) => kind !== 'all');
  const notDone = rows.filter(({ state }) => state !== 'done');
  for (const row of notDone) {
    lines.push(`${nameOf(row)} ${row.state}${row.reason === null ? '' : `: ${row.reason}`}`);
    if (row.remedy !== null) lines.push(`  ${row.remedy}`);
    if (row.state === 'failed') lines.push(`  Then continue where it stopped: bin/millrace backfills resume ${row.id}`);
  }
  for (const { kind, state, reason } of rows) {
    // Said only where tables were left out.
    if (kind === 'all' && state === 'done' && reason?.includes(';')) lines.push(reason);
  }
  if (tables.length === 0 && notDone.length === 0)
    lines.push('The sink has no table that is in the publication and has a primary key: no row was sent.');
  const sum = (key: 'rows_done' | 'rows_sent'): string => count(tables.reduce((total, row) => total + row[key], 0));
  if (tables.length > 0)
    lines.push(`${ended === 'done' ? 'done: ' : ''}${sum('rows_done')} rows read, ${sum('rows_sent')} sent`);
  return lines;
}
