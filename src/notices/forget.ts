/** Takes notices away whose cause is over. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { FOUND_BY } from './replace.ts';

const FORGET = statement('notices/forget');
const FORGET_MISSED = statement('notices/forget-missed');
const TOLD_TABLES = statement('notices/told-tables');
const FORGET_TABLES = statement('notices/forget-tables');

export async function forgetNotices(db: Queryable, sinkNo: number, codes: readonly string[]): Promise<void> {
  await db.query(FORGET, [sinkNo, codes]);
}

/** The sink has been seen to be what these tables are, as of so many seconds ago: what it had missed until then is there. */
export async function forgetMissed(
  db: Queryable,
  sinkNo: number,
  seen: { tables: readonly string[]; seconds: number },
): Promise<void> {
  await db.query(FORGET_MISSED, [sinkNo, seen.tables, seen.seconds]);
}

/** Tables, `schema.table`, about whose columns something is said on sinks of the database. */
export async function toldTables(db: Queryable, databaseNo: number): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(TOLD_TABLES, [databaseNo, FOUND_BY.columns]);
  return rows.map(({ name }) => name);
}

/** They are gone: nobody can change their columns any more. What sinks have missed of them stays missed. */
export async function forgetTables(db: Queryable, databaseNo: number, tables: readonly string[]): Promise<void> {
  await db.query(FORGET_TABLES, [databaseNo, FOUND_BY.columns, tables]);
}
