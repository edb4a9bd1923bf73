/** Prints rows as psql does: names centred over aligned columns, numbers to the right, then their count. Pure. */
import type { SqlResult } from '../db/session.ts';

/** What a semicolon does not end: comments, quoted names and texts, dollar quotes. */
const OPENING = /--|\/\*|'|"|\$\w*\$/g;

/** True when a semicolon ends the text outside quotes, dollar quotes and comments. Reads it once. */
export function isComplete(sql: string): boolean {
  let last = '';
  let at = 0;
  const see = (text: string): void => {
    last = text.trimEnd().at(-1) ?? last;
  };
  for (let found = next(sql, at); found !== null; found = next(sql, at)) {
    const [opening] = found;
    see(sql.slice(at, found.index));
    const isComment = opening === '--' || opening === '/*';
    const closing = opening === '--' ? '\n' : opening === '/*' ? '*/' : opening;
    const end = sql.indexOf(closing, found.index + opening.length);
    if (end < 0) return opening === '--' && last === ';';
    if (!isComment) last = opening;
    at = end + closing.length;
  }
  see(sql.slice(at));
  return last === ';';
}

function next(sql: string, from: number): RegExpExecArray | null {
  OPENING.lastIndex = from;
  return OPENING.exec(sql);
}

/** Every value is Postgres' own text; null is empty. */
export function table(result: SqlResult): string {
  const cells = result.rows.map((row) => row.map((value) => clean(value ?? '')));
  const widths = result.columns.map(({ name }, at) =>
    cells.reduce((widest, row) => Math.max(widest, width(row[at] ?? '')), width(name)),
  );
  const head = result.columns.map(({ name }, at) => centre(name, widths[at] ?? 0)).join(' | ');
  const rule = widths.map((columns) => '-'.repeat(columns)).join('-+-');
  const body = cells.map((row) =>
    row
      .map((value, at) => {
        const gap = ' '.repeat((widths[at] ?? 0) - width(value));
        return result.columns[at]?.numeric === true ? gap + value : value + gap;
      })
      .join(' | '),
  );
  const count = cells.length === 1 ? '(1 row)' : `(${cells.length} rows)`;
  return [...[head, `-${rule}-`, ...body].map((line, at) => (at === 1 ? line : ` ${line}`.trimEnd())), count, ''].join(
    '\n',
  );
}

/** As psql's expanded display: a line for each column, under the number of the row. */
export function records(result: SqlResult): string {
  const names = result.columns.map(({ name }) => name);
  const rows = result.rows.map((row) => row.map((value) => clean(value ?? '')));
  const nameWidth = Math.max(...names.map(width));
  const valueWidth = rows.flat().reduce((widest, value) => Math.max(widest, width(value)), 0);
  const lines = rows.flatMap((row, at) => {
    const head = `-[ RECORD ${at + 1} ]`;
    const rule = width(head) > nameWidth + 1 ? head : `${head.padEnd(nameWidth + 1, '-')}+-`;
    return [
      rule.padEnd(nameWidth + 3 + valueWidth, '-'),
      ...names.map((name, n) => `${name + ' '.repeat(nameWidth - width(name))} | ${row[n] ?? ''}`.trimEnd()),
    ];
  });
  return [...(lines.length === 0 ? ['(0 rows)'] : lines), ''].join('\n');
}

function clean(value: string): string {
  return value.replace(/\r?\n/g, '⏎').replace(/\p{Cc}/gu, '·');
}

/** Code points are near enough: wide characters only bend their own line. */
function width(value: string): number {
  return [...value].length;
}

function centre(name: string, columns: number): string {
  const left = Math.floor((columns - width(name)) / 2);
  return ' '.repeat(left) + name + ' '.repeat(columns - width(name) - left);
}
