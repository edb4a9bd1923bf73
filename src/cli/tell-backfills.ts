/** `millrace backfills`: what there is, one in detail, and pause, resume, cancel. An id may be shortened to its beginning. */

import type { WatchedBackfill } from '../admin/watched.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import { duration } from './screen.ts';
import { table } from './sql-table.ts';

const LIST = statement('admin/list-backfills');
const VERBS = {
  pause: { statement: statement('admin/pause-backfill'), past: 'paused, after its current page' },
  resume: { statement: statement('admin/resume-backfill'), past: 'continues where it stopped' },
  cancel: { statement: statement('admin/cancel-backfill'), past: 'cancelled; what it sent stays sent' },
};

export type BackfillVerb = keyof typeof VERBS;

type Listed = Pick<
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
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
};

/** Newest first; without `all` those that have not ended, and the failed ones. */
export async function listBackfills(db: Database, all: boolean): Promise<string> {
  const { rows } = await db.query<Listed>(LIST, [all, null]);
  if (rows.length === 0)
    return all ? 'There was no backfill yet.\n' : 'No backfill is under way (--all shows the others too).\n';
  const cells = rows.map((row) => [
    ...[row.id, row.sink_name, tableOf(row), row.state],
    ...[row.rows_done, row.rows_total, row.percent, row.rows_per_second].map((value) =>
      value === null ? '' : String(value),
    ),
    row.seconds_left === null ? '' : duration(row.seconds_left),
    row.reason ?? '',
  ]);
  const names = ['id', 'sink', 'table', 'state', 'rows', 'of', '%', 'rows/s', 'left', 'reason'];
  const numeric = new Set(['rows', 'of', '%', 'rows/s']);
  const columns = names.map((name) => ({ name, numeric: numeric.has(name) }));
  return table({ command: 'SELECT', rowCount: cells.length, columns, rows: cells });
}

/** Everything that is known of one. @throws MillraceError not_found. */
export async function showBackfill(db: Database, id: string): Promise<string> {
  const row = await findBackfill(db, id);
  const lines: [string, unknown][] = [
    ['id', row.id],
    ['sink', row.sink_name],
    ['kind', row.kind],
    ['table', tableOf(row)],
    ['from', row.sort_column === null ? null : `${row.sort_column} >= ${row.start_position ?? ''}`],
    ['state', row.state],
    ['reason', row.reason],
    ['remedy', row.remedy],
    ['rows read', row.rows_done],
    ['rows sent', row.rows_sent],
    ['rows in all', row.rows_total === null ? null : `about ${row.rows_total}`],
    ['percent', row.percent],
    ['rows a second', row.rows_per_second],
    ['time left', row.seconds_left === null ? null : duration(row.seconds_left)],
    ['created', row.created_at],
    ['started', row.started_at],
    ['ended', row.ended_at],
  ];
  const told = lines.filter(([, value]) => value !== null && value !== '');
  return told.map(([name, value]) => `${name.padEnd(14)}${String(value)}\n`).join('');
}

/** What happened; `changed` is false when there was nothing to do. @throws MillraceError not_found. */
export async function changeBackfill(
  db: Database,
  verb: BackfillVerb,
  id: string,
): Promise<{ text: string; changed: boolean }> {
  const row = await findBackfill(db, id);
  const { rows } = await db.query<{ changed: boolean }>(VERBS[verb].statement, [row.id]);
  if (rows[0]!.changed) return { text: `${row.id} ${VERBS[verb].past}\n`, changed: true };
  const { state } = await findBackfill(db, row.id);
  return { text: `${row.id} is ${state}: nothing to ${verb}\n`, changed: false };
}

async function findBackfill(db: Database, id: string): Promise<Listed> {
  const wanted = id.trim().toLowerCase();
  const { rows } = /^[0-9a-f][0-9a-f-]{2,35}$/.test(wanted)
    ? await db.query<Listed>(LIST, [true, wanted])
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

function tableOf({ kind, table_schema, table_name }: Listed): string {
  return table_name === null ? (kind === 'all' ? '(all)' : `(${kind})`) : `${table_schema}.${table_name}`;
}
