/**
 * Column values out of a kept JSON record, as the text that the stream would bring: what keys, groups and filters are made
 * of. Postgres converts them by the column's type as it is now; a record that does not fit it tells nothing.
 */
import type { Connection } from '../../db/pool.ts';
import { quoteIdentifier } from '../../model/quote.ts';
import type { SourceTable } from '../../source/describe-table.ts';
import { AS_TEXT } from '../../source/text-form.ts';
import type { Values } from './put-entries.ts';

interface Asked {
  table: SourceTable;
  /** Of the columns that are wanted, by their index. */
  indexes: readonly number[];
}

/** By document; undefined where one does not fit. In a transaction of `client` on the source. */
export async function valuesOf(
  client: Connection,
  asked: Asked,
  docs: readonly string[],
): Promise<(Values | undefined)[]> {
  if (docs.length === 0) return [];
  await client.query('savepoint entry_values');
  try {
    const rows = await convert(client, asked, docs);
    await client.query('release savepoint entry_values');
    return rows;
  } catch (error) {
    // Data exceptions, and constraints of a domain.
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (!/^2[23]/.test(code)) throw error;
    await client.query('rollback to savepoint entry_values');
    if (docs.length === 1) return [undefined];
    const half = Math.ceil(docs.length / 2);
    const first = await valuesOf(client, asked, docs.slice(0, half));
    return [...first, ...(await valuesOf(client, asked, docs.slice(half)))];
  }
}

async function convert(client: Connection, { table, indexes }: Asked, docs: readonly string[]): Promise<Values[]> {
  const columns = indexes.map((index) => table.columns[index]!);
  const text = `select ${columns.map((column) => `format('%s', r.${quoteIdentifier(column.name)})`).join(', ')}
    from unnest($1::text[]) with ordinality as d (doc, place)
   cross join lateral jsonb_to_record(d.doc::jsonb)
         as r (${columns.map((column) => `${quoteIdentifier(column.name)} ${column.type}`).join(', ')})
   order by d.place`;
  const { rows } = await client.query<string[]>({ text, values: [docs], rowMode: 'array', types: AS_TEXT });
  return docs.map((doc, place) => {
    const known: Record<string, unknown> = JSON.parse(doc);
    const values = new Map<number, string | null>();
    for (const [n, column] of columns.entries()) {
      if (!Object.hasOwn(known, column.name)) continue;
      values.set(indexes[n]!, known[column.name] === null ? null : rows[place]![n]!);
    }
    return values;
  });
}
