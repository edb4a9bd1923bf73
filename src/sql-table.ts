/** Prints rows as psql does: names centred over aligned columns, numbers to the right, then their count. Pure. */
import type { SqlResult } from './db/session.ts';

/** True when a semicolon ends the text outside quotes, dollar quotes and comments. */
export function isComplete(sql: string): boolean {
  const rest = sql.replace(/--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$/g, ' ');
  return /;\s*$/.test(rest) && !/'|"|\/\*|\$\w*\$/.test(rest);
}

/** Every value is Postgres' own text; null is empty. */
export function table(result: SqlResult): string {
  const cells = result.rows.map((row) => row.map((value) => clean(value ?? '')));
  const widths = result.columns.map(({ name }, at) =>
    Math.max(width(name), ...cells.map((row) => width(row[at] ?? ''))),
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
