/**
 * Column values out of a kept JSON record, as the text that the stream would bring: what keys, groups and filters are made
 * of. Postgres converts them by the column's type as it is now; a record that does not fit it tells nothing.
 */
import { queryTexts } from '../../db/as-text.ts';
import { byHalves } from '../../db/halving.ts';
import type { Connection } from '../../db/pool.ts';
import { inSavepoint } from '../../db/savepoint.ts';
import { quoteIdentifier } from '../../model/quote.ts';
import { isNoValueOfType } from '../../model/sqlstate.ts';
import type { TableDescription } from '../../source/describe-table.ts';
import type { Values } from './put-entries.ts';

interface Asked {
  table: TableDescription;
  /** Of the columns that are wanted, by their index. */
  indexes: readonly number[];
}

/** By document; undefined where one does not fit. In a transaction of `client` on the source. */
export async function valuesOf(
  client: Connection,
  asked: Asked,
  docs: readonly string[],
): Promise<(Values | undefined)[]> {
  const values = new Array<Values | undefined>(docs.length);
  const places = [...docs.keys()];
  await byHalves(places, async (part) => {
    const from = part[0]!;
    try {
      const found = await inSavepoint(client, () => convert(client, asked, docs.slice(from, from + part.length)));
      values.splice(from, part.length, ...found);
      return true;
    } catch (error) {
      if (!isNoValueOfType(error)) throw error;
      return false;
    }
  });
  return values;
}

async function convert(client: Connection, { table, indexes }: Asked, docs: readonly string[]): Promise<Values[]> {
  const columns = indexes.map((index) => table.columns[index]!);
  const text = `select ${columns.map((column) => `format('%s', r.${quoteIdentifier(column.name)})`).join(', ')}
    from unnest($1::text[]) with ordinality as d (doc, place)
   cross join lateral jsonb_to_record(d.doc::jsonb)
         as r (${columns.map((column) => `${quoteIdentifier(column.name)} ${column.type}`).join(', ')})
   order by d.place`;
  const rows = await queryTexts(client, text, [docs]);
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
