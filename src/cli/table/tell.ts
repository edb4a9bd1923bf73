/** How answers are shown to people: a list as a table, one thing as a line for each of its keys. Pure. */
import { table } from '../sql-table.ts';
import { Digits, pretty } from './json.ts';

/** Titles, and where the value stands in each row: `state.pending`; a dash before a title: to the right. */
export type Columns = Readonly<Record<string, string>>;

/** What stands at a path; undefined where nothing does. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
      value,
    );
}

/** As a text; empty where there is none. */
export const textAt = (value: unknown, path: string): string => cell(at(value, path));

/** Where a list goes on, a line for stderr; empty where it ends. */
export function tellMore(answer: unknown): string {
  const cursor = at(answer, 'next_cursor');
  return typeof cursor === 'string' ? `There are more: add --cursor ${cursor}\n` : '';
}

export const rowsOf = (answer: unknown): unknown[] => {
  const rows = at(answer, 'data');
  return Array.isArray(rows) ? rows : [];
};

export function tellRows(rows: readonly unknown[], columns: Columns): string {
  const named = Object.entries(columns);
  return table({
    command: 'SELECT',
    rowCount: rows.length,
    columns: named.map(([title]) => ({ name: title.replace(/^-/, ''), numeric: title.startsWith('-') })),
    rows: rows.map((row) => named.map(([, path]) => textAt(row, path))),
  });
}

export function tellThing(thing: unknown): string {
  const lines = linesOf(thing, '');
  const width = Math.max(0, ...lines.map(([key]) => key.length)) + 2;
  return lines
    .map(([key, value]) =>
      value.includes('\n')
        ? `${key}\n${value.replace(/\n$/, '').replaceAll(/^/gm, '    ')}\n`
        : `${key.padEnd(width)}${value}`.trimEnd().concat('\n'),
    )
    .join('');
}

function linesOf(value: unknown, path: string): [string, string][] {
  const isGroup = typeof value === 'object' && value !== null && !(value instanceof Digits);
  if (!isGroup) return [[path, cell(value)]];
  const place = (key: string): string => (path === '' ? key : `${path}.${key}`);
  if (Array.isArray(value) && !value.some((item) => typeof item === 'object'))
    return [[path, value.map(cell).join(', ')]];
  return Object.entries(value).flatMap(([key, item]) => linesOf(item, place(key)));
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  return Array.isArray(value) && !value.some((item) => typeof item === 'object')
    ? value.map(cell).join(', ')
    : pretty(value).replaceAll(/\s*\n\s*/g, ' ');
}
