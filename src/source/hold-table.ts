/** A table that stays as it is while its rows are read. */
import type { Connection } from '../db/pool.ts';
import { quoteTable } from '../model/quote.ts';
import { isMissingTable } from '../model/sqlstate.ts';
import { fingerprintSql, type TableDescription } from './describe-table.ts';

/** Keeps the table as it is until the transaction ends, after the watermark. @throws ReloadError when it has changed, is another one of its name, or there is none. */
export async function holdTable(client: Connection, table: TableDescription): Promise<void> {
  // One round trip: LOCK takes no snapshot, so the fingerprint is of a snapshot behind it.
  const lock = `lock table ${quoteTable(table)} in access share mode; ${fingerprintSql(table)}`;
  const result = await client.query(lock).catch((error: unknown) => {
    throw isMissingTable(error) ? new ReloadError() : error;
  });
  // Of each statement, one: pg's types know of a single one alone.
  const last = [result].flat().at(-1);
  if (last?.rows[0]?.fingerprint !== table.fingerprint) throw new ReloadError();
}

/** Its table changed its columns, or is another one, or its sink what it gets, since the reader was made: make another one, nothing is lost. */
export class ReloadError extends Error {}
