/**
 * Listed rows of a table, each with the version that was read: two reads that have the same one saw the same write of the
 * row (a row that was written again has another xmin or ctid).
 */

import { queryTexts } from '../db/as-text.ts';
import { byHalves } from '../db/halving.ts';
import type { Connection } from '../db/pool.ts';
import { inSavepoint } from '../db/savepoint.ts';
import { quoteTable } from '../model/quote.ts';
import { isNoInput, isUnconvertible } from '../model/sqlstate.ts';
import type { TableDescription } from './describe-table.ts';
import { rowsWith } from './given-keys.ts';
import { sizeSql } from './read-page.ts';
import { asBytes, asStored, asTexts, isSuspect, meant, type TextForm, type Texts } from './text-form.ts';

export interface FoundRow {
  texts: Texts;
  version: string;
}

export interface RowsByKey {
  rows: FoundRow[];
  /** Keys that no row can have: their values do not fit the columns' types. */
  alien: (readonly string[])[];
}

type Keys = readonly (readonly string[])[];

/** In the transaction of `client`, which holds the table. Keys of another length than the table's are alien. */
export async function readRowsOf(client: Connection, table: TableDescription, keys: Keys): Promise<RowsByKey> {
  const isWhole = (key: readonly string[]): boolean => key.length === table.keys.length;
  const found: RowsByKey = { rows: [], alien: keys.filter((key) => !isWhole(key)) };
  await addFitting(client, { table, found }, keys.filter(isWhole));
  return found;
}

/** Bytes of the row of each key, about, by the key's place; absent where there is no such row. */
export async function readSizesOf(
  client: Connection,
  table: TableDescription,
  keys: Keys,
): Promise<Map<number, number>> {
  const whole = keys.map((key, place) => ({ key, place })).filter(({ key }) => key.length === table.keys.length);
  const size = sizeSql(table.columns);
  const measured = await unlessRefused(client, async () => {
    const { text, values } = byKeySql(
      table,
      asTexts,
      whole.map(({ key }) => key),
    );
    return await queryTexts(client, `select w.millrace_place, ${size} ${text}`, values);
  });
  // A key that does not fit its column is found out when the rows are read.
  if ('error' in measured) return new Map(whole.map(({ place }) => [place, UNKNOWN_BYTES]));
  return new Map(measured.result.map(([n, bytes]) => [whole[Number(n) - 1]!.place, Number(bytes)]));
}

/** A row that cannot be measured. */
const UNKNOWN_BYTES = 1024 * 1024;

/** How many rows, from the first on, are within the page's bytes; two at least, the keys of one entry of a change table. */
export function fittingKeys(
  sizes: ReadonlyMap<number, number>,
  count: number,
  budget: { bytes: number; maxRowBytes: number },
): number {
  let bytes = 0;
  for (let n = 0; n < count; n++) {
    const size = sizes.get(n) ?? 0;
    if (size <= budget.maxRowBytes) bytes += size;
    if (bytes > budget.bytes && n >= 2) return n;
  }
  return count;
}

/** Adds the rows of keys that fit their columns; of one that does not, that it is alien. */
async function addFitting(
  client: Connection,
  into: { table: TableDescription; found: RowsByKey },
  keys: Keys,
): Promise<void> {
  const { table, found } = into;
  const read = async (form: TextForm, part: Keys): Promise<FoundRow[]> => await select(client, { table, form }, part);
  const alien = await byHalves(keys, async (part) => {
    const tried = await unlessRefused(client, async () => {
      const rows = await read(asTexts, part);
      return rows.some((row) => isSuspect(row.texts)) ? await read(asBytes, part) : rows;
    });
    // The row may be what cannot be converted, and not the key.
    const isOfRow = 'error' in tried && part.length === 1 && isUnconvertible(tried.error);
    const stored = isOfRow ? await unlessRefused(client, async () => await read(await asStored(client), part)) : tried;
    if (isOfRow) await client.query('reset client_encoding');
    if ('error' in stored) return false;
    found.rows.push(...stored.result);
    return true;
  });
  found.alien.push(...alien);
}

/** The result, or the refusal of a text that `work` met, which leaves nothing behind. */
async function unlessRefused<Result>(
  client: Connection,
  work: () => Promise<Result>,
): Promise<{ result: Result } | { error: unknown }> {
  try {
    return { result: await inSavepoint(client, work) };
  } catch (error) {
    if (!isNoInput(error)) throw error;
    return { error };
  }
}

async function select(
  client: Connection,
  { table, form }: { table: TableDescription; form: TextForm },
  wanted: Keys,
): Promise<FoundRow[]> {
  const { text, values } = byKeySql(table, form, wanted);
  const list = `format('%s %s %s', t.tableoid, t.xmin, t.ctid), ${form.list(table.columns)}`;
  const rows = await queryTexts(client, `select ${list} ${text}`, values);
  return rows.map(([version, ...texts]) => ({ version: version ?? '', texts: meant(form, texts) }));
}

/** From `from` on: the rows `t` of the keys `w`. */
function byKeySql(table: TableDescription, form: TextForm, wanted: Keys): { text: string; values: string[][] } {
  const { from, values } = rowsWith(
    table.keys.map((key) => ({ ...key, equals: '=' })),
    { table: `${table.partitioned ? '' : 'only '}${quoteTable(table)}`, form, wanted, others: 0 },
  );
  return { text: `${from}\n   ${table.rowFilter === null ? '' : `where (${table.rowFilter})`}`, values };
}
