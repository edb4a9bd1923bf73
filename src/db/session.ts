/**
 * One connection for a person who types SQL: every value comes as Postgres' own text, several statements in one go are
 * allowed, and an error is what Postgres says, with its detail, hint and place, for that person's eyes only.
 */
import pg from 'pg';
import { messageOf } from '../model/errors.ts';
import { AS_TEXT } from './as-text.ts';
import { endConnection } from './drop-connection.ts';
import { clientConfig, type PoolOptions } from './pool.ts';

export interface SqlResult {
  /** `SELECT`, `INSERT`, ... */
  command: string;
  /** Null for statements that have no rows. */
  rowCount: number | null;
  columns: { name: string; numeric: boolean }[];
  rows: (string | null)[][];
}

export interface SqlSession {
  execute(sql: string): Promise<{ results: SqlResult[] } | { error: string }>;
  close(): Promise<void>;
}

/** int2, int4, int8, oid, float4, float8, numeric, money */
const NUMERIC = new Set([21, 23, 20, 26, 700, 701, 1700, 790]);

/** Whoever stops waiting, by Ctrl-C or otherwise, wants no more done. Not every release and platform has it. */
const UNTIL_WE_ARE_GONE = "set client_connection_check_interval = '1s'";

/**
 * Connects, with none of our settings but one: what role and server say is what a person sees. Throws what Postgres or the
 * network says.
 */
export async function openSession(options: PoolOptions): Promise<SqlSession> {
  const client = new pg.Client({ ...clientConfig(options), types: AS_TEXT });
  client.on('error', () => undefined);
  await client.connect();
  await client.query(UNTIL_WE_ARE_GONE).catch(() => undefined);
  return {
    execute: async (sql) => {
      try {
        const answered: unknown = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
        return { results: (Array.isArray(answered) ? answered : [answered]).map(resultOf) };
      } catch (error) {
        return { error: describeError(error, sql) };
      }
    },
    close: () => endConnection(client),
  };
}

function resultOf(result: pg.QueryArrayResult<(string | null)[]>): SqlResult {
  return {
    command: result.command ?? '',
    rowCount: result.rowCount,
    columns: (result.fields ?? []).map((field) => ({ name: field.name, numeric: NUMERIC.has(field.dataTypeID) })),
    rows: result.rows ?? [],
  };
}

function describeError(error: unknown, sql: string): string {
  if (!(error instanceof pg.DatabaseError)) return `ERROR: ${messageOf(error)}`;
  const lines = [`${error.severity ?? 'ERROR'}: ${error.message} (${error.code})`];
  if (error.position !== undefined) {
    const before = sql.slice(0, Number(error.position) - 1).split('\n');
    lines.push(`LINE ${before.length}: ${sql.split('\n')[before.length - 1] ?? ''}`);
  }
  if (error.detail !== undefined) lines.push(`DETAIL: ${error.detail}`);
  if (error.hint !== undefined) lines.push(`HINT: ${error.hint}`);
  return lines.join('\n');
}
