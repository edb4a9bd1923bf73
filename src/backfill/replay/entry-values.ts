/**
 * Column values out of a kept JSON record, as the text that the stream would bring: what keys, groups and filters are made
 * of. Postgres converts them by the column's type as it is now; a record that does not fit it tells nothing.
 */

import type { TypeCatalogue, TypeInfo } from '../../codec/types.ts';
import { queryTexts } from '../../db/as-text.ts';
import { byHalves } from '../../db/halving.ts';
import type { Connection } from '../../db/pool.ts';
import { inSavepoint } from '../../db/savepoint.ts';
import { quoteIdentifier, quoteLiteral } from '../../model/quote.ts';
import { isNoValueOfType } from '../../model/sqlstate.ts';
import { baseType } from '../../routing/comparison.ts';
import type { TableDescription } from '../../source/describe-table.ts';
import type { Values } from './put-entries.ts';

interface Asked {
  table: TableDescription;
  types: TypeCatalogue;
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

async function convert(
  client: Connection,
  { table, types, indexes }: Asked,
  docs: readonly string[],
): Promise<Values[]> {
  const columns = indexes.map((index) => table.columns[index]!);
  const own = columns.flatMap(({ name, typeOid }) => {
    const text = ownText(baseType(types, typeOid), `d.doc::jsonb -> ${quoteLiteral(name)}`);
    return text === undefined ? [] : [`${quoteLiteral(name)}, ${text}`];
  });
  const doc = own.length === 0 ? 'd.doc::jsonb' : `d.doc::jsonb || jsonb_build_object(${own.join(', ')})`;
  const text = `select ${columns.map((column) => `format('%s', r.${quoteIdentifier(column.name)})`).join(', ')}
    from unnest($1::text[]) with ordinality as d (doc, place)
   cross join lateral jsonb_to_record(${doc})
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

/**
 * The text of a value whose JSON Postgres does not read as its type. As part of the record it is read by the type's own input: a
 * cast could be anybody's.
 */
function ownText(type: TypeInfo | undefined, value: string): string | undefined {
  if (type?.oid === INT2VECTOR || type?.oid === OIDVECTOR) return `translate((${value})::text, '[],"', '')`;
  if (type?.name !== 'hstore' || type.extension !== 'hstore') return undefined;
  return `case when jsonb_typeof(${value}) = 'object' then coalesce((
    select string_agg(format('"%s"=>%s', ${escaped('e.key')}, coalesce('"' || ${escaped('e.value')} || '"', 'NULL')), ',')
      from jsonb_each_text(${value}) e), '') else (${value}) #>> '{}' end`;
}

const INT2VECTOR = 22;
const OIDVECTOR = 30;
const escaped = (text: string): string => String.raw`replace(replace(${text}, '\', '\\'), '"', '\"')`;
