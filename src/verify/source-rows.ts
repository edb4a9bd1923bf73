/**
 * Reads rows of the source: pages in key order, and listed rows with the version of each, by which two reads of one row
 * can be told to have seen the same write of it (xmin and ctid: a row that was written again has others).
 */
import type pg from 'pg';
import { readPage } from '../backfill/read.ts';
import { holdTable } from '../backfill/read-table.ts';
import { ReloadError } from '../backfill/reader.ts';
import { quoted, type SourceTable, sqlName } from '../backfill/table.ts';
import type { Database } from '../db/pool.ts';
import { MillraceError } from '../model/errors.ts';
import type { ReadRow } from './expect.ts';

export interface RowsPage {
  rows: ReadRow[];
  /** Key of the last row; undefined when nothing follows. */
  next: readonly string[] | undefined;
}

export interface VersionedRow extends ReadRow {
  key: readonly string[];
  version: string;
}

const PAGE = { rows: 2_000, bytes: 8 * 1024 * 1024, ms: 5_000, step: 500 };
/** Of one query. */
const QUERY_MS = 30_000;
const KEYS_AT_ONCE = 500;

const AS_TEXT: pg.CustomTypesConfig = { getTypeParser: () => (value: string) => value };

/** @throws MillraceError bad_source when the table's columns have changed since it was described. */
export async function readRowsAfter(
  source: Database,
  { table, after }: { table: SourceTable; after: readonly string[] | undefined },
  maxRowBytes: number,
): Promise<RowsPage> {
  return await inSnapshot(source, async (client) => {
    await hold(client, table);
    const request = { table, sort: undefined, from: undefined, after };
    const page = await readPage({ client, now: performance.now.bind(performance) }, request, { ...PAGE, maxRowBytes });
    return { rows: [...page.rows], next: page.ended ? undefined : page.last };
  });
}

/** The rows with these keys, as far as they are there; a key that does not fit the columns' types is no row's. */
export async function readRowsByKey(
  source: Database,
  table: SourceTable,
  keys: readonly (readonly string[])[],
): Promise<VersionedRow[]> {
  const found: VersionedRow[] = [];
  const possible = keys.filter((key) => key.length === table.keys.length && isPossible(table, key));
  for (let from = 0; from < possible.length; from += KEYS_AT_ONCE) {
    const wanted = possible.slice(from, from + KEYS_AT_ONCE);
    found.push(
      ...(await inSnapshot(source, async (client) => {
        await hold(client, table);
        return await fitting(client, table, wanted);
      })),
    );
  }
  return found;
}

async function hold(client: pg.ClientBase, table: SourceTable): Promise<void> {
  try {
    await holdTable(client, table);
  } catch (error) {
    if (!(error instanceof ReloadError)) throw error;
    throw new MillraceError('bad_source', `the columns of ${table.schema}.${table.name} changed meanwhile`, {
      remedy: 'Verify again.',
    });
  }
}

async function inSnapshot<Result>(source: Database, work: (client: pg.ClientBase) => Promise<Result>): Promise<Result> {
  return await source.session(async (client) => {
    await client.query(
      `begin isolation level repeatable read read only; set local statement_timeout = ${QUERY_MS};
       set local row_security = off; set local jit = off; set local enable_sort = off`,
    );
    try {
      return await work(client);
    } finally {
      await client.query('rollback').catch(() => undefined);
    }
  });
}

/** What these types never are, so that Postgres need not be asked. */
const FORMS: Readonly<Record<number, RegExp>> = {
  20: /^-?\d{1,19}$/,
  21: /^-?\d{1,5}$/,
  23: /^-?\d{1,10}$/,
  2950: /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/,
};

function isPossible(table: SourceTable, key: readonly string[]): boolean {
  return table.keys.every(({ typeOid }, n) => FORMS[typeOid]?.test(key[n] ?? '') ?? !key[n]?.includes('\u0000'));
}

const isDataException = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith('22');

/** Halves what Postgres refuses, until the key that does not fit stands alone. */
async function fitting(
  client: pg.ClientBase,
  table: SourceTable,
  keys: readonly (readonly string[])[],
): Promise<VersionedRow[]> {
  await client.query('savepoint keys');
  try {
    return await select(client, table, keys);
  } catch (error) {
    if (!isDataException(error)) throw error;
    await client.query('rollback to savepoint keys');
    if (keys.length === 1) return [];
    const half = keys.length >> 1;
    const first = await fitting(client, table, keys.slice(0, half));
    return [...first, ...(await fitting(client, table, keys.slice(half)))];
  }
}

async function select(
  client: pg.ClientBase,
  table: SourceTable,
  wanted: readonly (readonly string[])[],
): Promise<VersionedRow[]> {
  const { keys, columns } = table;
  const text = `select format('%s %s %s', t.tableoid, t.xmin, t.ctid), ${columns.map(({ name }) => `t.${quoted(name)}`).join(', ')}
    from unnest(${keys.map((_, n) => `$${n + 1}::text[]`).join(', ')}) as w (${keys.map((_, n) => `millrace_k${n}`).join(', ')})
    join ${table.partitioned ? '' : 'only '}${sqlName(table)} t
      on ${keys.map((key, n) => `t.${quoted(key.name)} = w.millrace_k${n}::${key.type}`).join(' and ')}
   ${table.rowFilter === null ? '' : `where (${table.rowFilter})`}`;
  const values = keys.map((_, n) => wanted.map((key) => key[n]));
  const { rows } = await client.query<(string | null)[]>({ text, values, rowMode: 'array', types: AS_TEXT });
  const places = keys.map((key) => columns.indexOf(key));
  return rows.map(([version, ...texts]) => ({
    texts,
    tooLarge: false,
    key: places.map((place) => texts[place] ?? ''),
    version: version ?? '',
  }));
}
