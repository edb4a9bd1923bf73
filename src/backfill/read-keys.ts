/**
 * Reads listed rows by key: those that are there are sent as they are, those that are not as a delete. So a sink that
 * differs from the table in these rows does so no longer, whatever it held.
 */

import { compileRelation } from '../codec/row.ts';
import { type Tuple, tupleOf } from '../codec/tuple.ts';
import type { Connection } from '../db/pool.ts';
import type { LoadedRelation } from '../routing/relation.ts';
import type { TableDescription } from '../source/describe-table.ts';
import { holdTable } from '../source/hold-table.ts';
import type { PageRow } from '../source/page-rows.ts';
import type { PageBudget } from '../source/read-page.ts';
import { fittingKeys, readRowsOf, readSizesOf } from '../source/rows-by-key.ts';
import { putGone, putRows } from './put-rows.ts';
import type { Part, Reader } from './reader.ts';

export interface KeysInput {
  table: TableDescription;
  relation: LoadedRelation;
  keys: readonly (readonly string[])[];
  budget: Pick<PageBudget, 'bytes' | 'maxRowBytes'>;
}

interface Position {
  done: number;
}

const PAGE_KEYS = 500;

export function openKeyReader(input: KeysInput): Reader {
  const { table, relation, keys } = input;
  const readRows = openRowsByKey(input);
  return {
    oid: table.oid,
    actions: relation.routes[0]!.actions,
    total: async () => keys.length,
    async read(client, position): Promise<Part> {
      await holdTable(client, table);
      const begin = (position as Position | null)?.done ?? 0;
      const { put, taken } = await readRows(client, keys.slice(begin, begin + PAGE_KEYS));
      const done = begin + taken;
      return { position: { done } satisfies Position, ended: done >= keys.length, read: taken, put };
    },
  };
}

export interface RowsByKeyPage {
  /** How many of the keys, from the first on: as many as fit into a page, but two at least. */
  taken: number;
  put: Part['put'];
}

/** Reads the rows of these keys, in the transaction of `client` that holds the table. What puts them among the messages. */
export function openRowsByKey({
  table,
  relation,
  budget,
}: Omit<KeysInput, 'keys'>): (client: Connection, wanted: readonly (readonly string[])[]) => Promise<RowsByKeyPage> {
  const keyRelation = withKeyOnly(relation, table);
  let fresh = true;
  return async (client, wanted) => {
    const sizes = table.toasted ? await readSizesOf(client, table, wanted) : new Map<number, number>();
    const taken = fittingKeys(sizes, wanted.length, budget);
    const largeBytes = (place: number): number | null => {
      const bytes = sizes.get(place) ?? 0;
      return bytes > budget.maxRowBytes ? bytes : null;
    };
    const keys = wanted.slice(0, taken).map((key, place) => ({ key, tooLarge: largeBytes(place) }));
    const { rows, gone } = await readKeys(client, table, keys);
    const put: Part['put'] = (pending, place) => {
      const there = putRows(pending, place, { relation, rows, as: 'repair', fresh });
      fresh = false;
      if (there === undefined) return undefined;
      return there + putGone(pending, place, { relation, keyRelation, gone, before: there });
    };
    return { taken, put };
  };
}

/** The relation with a codec that takes a delete's old row for its key. */
function withKeyOnly(relation: LoadedRelation, table: TableDescription): LoadedRelation {
  const columns = relation.message.columns.map((column, n) => ({
    ...column,
    key: table.columns[n]?.keyPlace !== null,
  }));
  const keyColumns = table.keys.map((column) => column.name);
  return { ...relation, codec: compileRelation(relation.types, { ...relation.message, columns }, { keyColumns }) };
}

async function readKeys(
  client: Connection,
  table: TableDescription,
  wanted: readonly { key: readonly string[]; tooLarge: number | null }[],
): Promise<{ rows: PageRow[]; gone: { key: readonly string[]; alien: boolean }[] }> {
  const large = wanted.filter(({ tooLarge }) => tooLarge !== null);
  const others = wanted.filter(({ tooLarge }) => tooLarge === null).map(({ key }) => key);
  const found = await readRowsOf(client, table, others);
  const places = table.keys.map((column) => table.columns.indexOf(column));
  const there = new Set(found.rows.map(({ texts }) => JSON.stringify(places.map((place) => texts[place]))));
  for (const { key } of large) there.add(JSON.stringify(key));
  const alien = new Set(found.alien);
  const ofKey = (key: readonly string[]): Tuple =>
    tupleOf(table.columns.map((_, n) => (places.includes(n) ? (key[places.indexOf(n)] ?? null) : null)));
  return {
    rows: [
      ...found.rows.map(({ texts }) => ({ tuple: tupleOf(texts), tooLarge: null })),
      ...large.map(({ key, tooLarge }) => ({ tuple: ofKey(key), tooLarge })),
    ],
    gone: wanted
      .map(({ key }) => key)
      .filter((key) => alien.has(key) || !there.has(JSON.stringify(key)))
      .map((key) => ({ key, alien: alien.has(key) })),
  };
}
