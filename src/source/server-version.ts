/** The release of a server, as Postgres counts: 180001. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const VERSION = statement('source/server-version');

export async function readVersion(source: Queryable): Promise<number> {
  return (await source.query<{ version: number }>(VERSION)).rows[0]!.version;
}
