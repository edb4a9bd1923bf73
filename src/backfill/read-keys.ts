/**
 * Reads listed rows by key: those that are there are sent as they are, those that are not as a delete. So a sink that
 * differs from the table in these rows does so no longer, whatever it held.
 */
import type pg from 'pg';
import { compileRelation } from '../capture/codec-row.ts';
import type { LoadedRelation } from '../capture/relation.ts';
import type { PageRow } from './read.ts';
import { holdTable } from './read-table.ts';
import type { Part, Reader } from './reader.ts';
import { putGone, putRows } from './rows.ts';
import { readRowsOf } from './rows-by-key.ts';
import type { SourceTable } from './table.ts';

export interface KeysInput {
  table: SourceTable;
  relation: LoadedRelation;
  keys: readonly (readonly string[])[];
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
      const wanted = keys.slice(begin, begin + PAGE_KEYS);
      return {
        position: { done: begin + wanted.length } satisfies Position,
        ended: begin + wanted.length >= keys.length,
        read: wanted.length,
        put: await readRows(client, wanted),
      };
    },
  };
}

/** Reads the rows of these keys, in the transaction of `client` that holds the table. What puts them among the messages. */
export function openRowsByKey({
  table,
  relation,
}: Pick<KeysInput, 'table' | 'relation'>): (
  client: pg.ClientBase,
  wanted: readonly (readonly string[])[],
) => Promise<Part['put']> {
  const keyRelation = withKeyOnly(relation, table);
  let fresh = true;
  return async (client, wanted) => {
    const { rows, gone } = await readKeys(client, table, wanted);
    return (pending, place) => {
      const there = putRows(pending, place, { relation, rows, as: 'repair', fresh });
      fresh = false;
      if (there === undefined) return undefined;
      return there + putGone(pending, place, { relation, keyRelation, gone, before: there });
    };
  };
}

/** The relation with a codec that takes a delete's old row for its key. */
function withKeyOnly(relation: LoadedRelation, table: SourceTable): LoadedRelation {
  const columns = relation.message.columns.map((column, n) => ({
    ...column,
    key: table.columns[n]?.keyPlace !== null,
  }));
  const keyColumns = table.keys.map((column) => column.name);
  return { ...relation, codec: compileRelation(relation.types, { ...relation.message, columns }, { keyColumns }) };
}

async function readKeys(
  client: pg.ClientBase,
  table: SourceTable,
  wanted: readonly (readonly string[])[],
): Promise<{ rows: PageRow[]; gone: { key: readonly string[]; alien: boolean }[] }> {
  const found = await readRowsOf(client, table, wanted);
  const places = table.keys.map((column) => table.columns.indexOf(column));
  const there = new Set(found.rows.map(({ texts }) => JSON.stringify(places.map((place) => texts[place]))));
  const alien = new Set(found.alien);
  return {
    rows: found.rows.map(({ texts }) => ({ texts, tooLarge: false })),
    gone: wanted
      .filter((key) => alien.has(key) || !there.has(JSON.stringify(key)))
      .map((key) => ({ key, alien: alien.has(key) })),
  };
}
