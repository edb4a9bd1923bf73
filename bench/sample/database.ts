/**
 * The sample database: 15 tables in schema `sample`, with every common type and every sort of primary key; tables.sql makes
 * them, also with psql alone (`psql -f bench/sample/tables.sql -c 'call sample.fill(200000)'`). The same rows each time.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Database, Queryable } from '../../src/db/pool.ts';

const TABLES = readFileSync(path.join(import.meta.dirname, 'tables.sql'), 'utf8');

export interface SampleTable {
  name: string;
  /** As SQL: name and function of its rows. */
  sql: string;
  rowSql: string;
  /** Parts of 205. */
  share: number;
  /** That can be written, as SQL; `keys` of them: the primary key, in its order. */
  columns: string[];
  keys: string[];
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** At least `rows` rows, in a database that has no schema `sample`. `beforeRows` finds the tables, and none of the rows. */
export async function createSample(
  db: Database,
  { rows, beforeRows }: { rows: number; beforeRows?: () => Promise<void> },
): Promise<void> {
  await db.query(TABLES);
  await beforeRows?.();
  await db.session(async (client) => {
    await client.query('set statement_timeout = 0');
    await client.query(`call sample.fill(${Math.ceil(rows)})`);
    await client.query('analyze');
    await client.query('reset statement_timeout');
  });
}

/** The largest first. */
export async function sampleTables(db: Queryable): Promise<SampleTable[]> {
  const { rows } = await db.query<{ name: string; share: number; columns: string; keys: string[] }>(
    'select name::text, share, columns, keys from sample.tables()',
  );
  return rows.map(({ name, share, columns, keys }) => ({
    name,
    sql: `sample.${quoted(name)}`,
    rowSql: `sample.${quoted(`${name}_row`)}`,
    share,
    columns: splitNames(columns),
    keys,
  }));
}

/** `a, "b, c"`: the names as SQL. */
const splitNames = (list: string): string[] => list.match(/"(?:[^"]|"")*"|[^, ]+/g) ?? [];
