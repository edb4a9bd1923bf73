/** What a person reads of backfills: all, one in detail, and what pause, resume and cancel have done. */
import type { BackfillChange, BackfillVerb, ListedBackfill } from '../admin/change-backfill.ts';
import { duration } from '../model/quantity.ts';
import { table } from './sql-table.ts';

const PAST: Record<BackfillVerb, string> = {
  pause: 'paused, after its current page',
  resume: 'continues where it stopped',
  cancel: 'cancelled; what it sent stays sent',
};

/** A table; `all`: those that have ended were asked for too. */
export function listText(rows: readonly ListedBackfill[], all: boolean): string {
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

/** Everything that is known of one. */
export function backfillText(row: ListedBackfill): string {
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

export function changedText(verb: BackfillVerb, { id, changed, state }: BackfillChange): string {
  return changed ? `${id} ${PAST[verb]}\n` : `${id} is ${state}: nothing to ${verb}\n`;
}

function tableOf({ kind, table_schema, table_name }: ListedBackfill): string {
  return table_name === null ? (kind === 'all' ? '(all)' : `(${kind})`) : `${table_schema}.${table_name}`;
}
