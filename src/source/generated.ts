/**
 * Stored generated columns that a server before 18 does not send. Those that can be computed from the row's own values are:
 * then the stream, a backfill and verify have them alike. The others are left out by all of them. This is the one place where
 * that is decided.
 */
import type { Connection, Database } from '../db/pool.ts';
import { inSnapshot } from '../db/snapshot.ts';
import { statement } from '../db/statement.ts';
import { messageOf } from '../model/errors.ts';
import { isLockTimeout, isOtherTable } from '../model/sqlstate.ts';
import { type Computable, compute, type Trouble } from './compute.ts';

const GENERATED = statement('source/generated-columns');
const EXPRESSIONS = `select d.oid::bigint as expression, pg_catalog.pg_get_expr(d.adbin, d.adrelid) as sql
   from pg_catalog.pg_attrdef d where d.oid = any ($1::oid[])`;
/** Milliseconds: from 17 on Postgres opens the table to show an expression. */
const LOCK_MS = 500;

export interface GeneratedColumn extends Omit<Computable, 'sql'> {
  /** Of the table. */
  oid: number;
  /** Its expression, as long as that is not replaced by another. */
  expression: number;
  typeOid: number;
  typmod: number;
  /** The transaction that gave it this expression, as the stream counts them; null: that is long ago. */
  since: number | null;
  /** Is it of the primary key, and of the index that is the replica identity? */
  inKey: boolean;
  inIndex: boolean;
  /** Why it is not computed; null: it is. */
  why: string | null;
  /** Its expression; absent while somebody has the table locked. */
  sql?: string;
}

/** Of these tables, by oid, in the order of their columns; none from 18 on, which sends them. */
export async function generatedColumns(
  source: Database,
  publication: string,
  tables: readonly number[],
): Promise<GeneratedColumn[]> {
  if (tables.length === 0) return [];
  const { rows } = await source.query<GeneratedColumn>(GENERATED, [publication, tables]);
  const open = rows.filter(({ why }) => why === null);
  if (open.length === 0) return rows;
  await source.session(async (client) => {
    for (const columns of Map.groupBy(open, ({ oid }) => oid).values()) {
      await readExpressions(client, columns, LOCK_MS);
      await tryOut(client, columns);
    }
  });
  return rows;
}

/**
 * Asks for the expressions that are not known, with so much patience for a lock in milliseconds. False: somebody has the table
 * locked. `client` has no transaction open.
 */
export async function readExpressions(
  client: Connection,
  columns: readonly GeneratedColumn[],
  lockMs: number,
): Promise<boolean> {
  const wanted = columns.filter(({ sql }) => sql === undefined);
  if (wanted.length === 0) return true;
  const oids = wanted.map(({ expression }) => expression);
  try {
    const { rows } = await inSnapshot(client, { lockMs }, () =>
      client.query<{ expression: number; sql: string | null }>(EXPRESSIONS, [oids]),
    );
    for (const column of wanted) {
      const sql = rows.find(({ expression }) => expression === column.expression)?.sql;
      if (sql) column.sql = sql;
    }
    return true;
  } catch (error) {
    if (isLockTimeout(error)) return false;
    // The table goes just now.
    if (isOtherTable(error)) return true;
    throw error;
  }
}

export const isComputable = (column: GeneratedColumn): column is GeneratedColumn & Computable =>
  column.why === null && column.sql !== undefined;

/** On a row of nulls: what our role may not do shows there. */
async function tryOut(client: Connection, columns: readonly GeneratedColumn[]): Promise<void> {
  const most = Number.MAX_SAFE_INTEGER;
  for (const column of columns.filter(isComputable)) {
    const trouble: Trouble = { patience: 1 };
    const [row] = await compute(client, { columns: [column], rows: [new Map()], limit: most, most }, trouble);
    if (row?.values?.[0] === undefined) column.why = `it cannot be computed by us: ${messageOf(trouble.last)}`;
  }
}
