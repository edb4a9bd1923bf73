/**
 * Reads listed rows by key: those that are there are sent as they are, those that are not as a delete. So a sink that
 * differs from the table in these rows does so no longer, whatever it held.
 */
import type pg from 'pg';
import { compileRelation } from '../capture/codec-row.ts';
import type { LoadedRelation } from '../capture/relation.ts';
import { bytesOf, type Form, isSuspect, type PageRow, type Texts, textsOf } from './read.ts';
import { holdTable } from './read-table.ts';
import type { Part, Reader } from './reader.ts';
import { putGone, putRows } from './rows.ts';
import { quoted, type SourceTable, sqlName } from './table.ts';

export interface KeysInput {
  table: SourceTable;
  relation: LoadedRelation;
  keys: readonly (readonly string[])[];
}

interface Position {
  done: number;
}

const PAGE_KEYS = 500;

const AS_TEXT: pg.CustomTypesConfig = { getTypeParser: () => (value: string) => value };

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
  const whole = wanted.filter((key) => key.length === table.keys.length);
  const alien = wanted.filter((key) => key.length !== table.keys.length);
  const found: Texts[] = [];
  for (const key of await fitting(client, table, whole, alien)) found.push(...key);
  const places = table.keys.map((column) => table.columns.indexOf(column));
  const keyOf = (texts: Texts): string => JSON.stringify(places.map((place) => texts[place]));
  const there = new Set(found.map(keyOf));
  const odd = new Set(alien);
  return {
    rows: found.map((texts) => ({ texts, tooLarge: false })),
    gone: wanted
      .filter((key) => odd.has(key) || !there.has(JSON.stringify(key)))
      .map((key) => ({ key, alien: odd.has(key) })),
  };
}

/** Data exceptions: a text is not of its type. */
const isDataException = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('22');

/** The rows with these keys. One that does not fit the key's types goes to `alien`. */
async function fitting(
  client: pg.ClientBase,
  table: SourceTable,
  wanted: readonly (readonly string[])[],
  alien: (readonly string[])[],
): Promise<Texts[][]> {
  if (wanted.length === 0) return [];
  await client.query('savepoint keys');
  try {
    const rows = await select(client, { table, form: textsOf }, wanted);
    const sound = rows.some(isSuspect) ? await select(client, { table, form: bytesOf }, wanted) : rows;
    await client.query('release savepoint keys');
    return [sound];
  } catch (error) {
    if (!isDataException(error)) throw error;
    await client.query('rollback to savepoint keys');
    if (wanted.length === 1) {
      alien.push(wanted[0]!);
      return [];
    }
    const half = Math.ceil(wanted.length / 2);
    const first = await fitting(client, table, wanted.slice(0, half), alien);
    return [...first, ...(await fitting(client, table, wanted.slice(half), alien))];
  }
}

async function select(
  client: pg.ClientBase,
  { table, form }: { table: SourceTable; form: Form },
  wanted: readonly (readonly string[])[],
): Promise<Texts[]> {
  const { keys, columns } = table;
  const text = `select ${form.select(columns)}
    from unnest(${keys.map((_, n) => `$${n + 1}::text[]`).join(', ')}) as w (${keys.map((_, n) => `millrace_k${n}`).join(', ')})
    join ${table.partitioned ? '' : 'only '}${sqlName(table)} t
      on ${keys.map((key, n) => `t.${quoted(key.name)} = w.millrace_k${n}::${key.type}`).join(' and ')}
   ${table.rowFilter === null ? '' : `where (${table.rowFilter})`}`;
  const values = keys.map((_, n) => wanted.map((key) => key[n]));
  const { rows } = await client.query<(string | null)[]>({ text, values, rowMode: 'array', types: AS_TEXT });
  return rows.map((row) => row.map((value) => (value === null ? null : form.value(value))));
}
