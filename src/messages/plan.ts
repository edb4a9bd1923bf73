/** The plan of noted changes that is being told, or was told last (capture/triggers/plan.ts): which of them were read. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { parseLsn } from '../model/lsn.ts';

const READ = statement('messages/read-plan');

export interface Plan {
  /** Ascending, for each database. */
  no: number;
  from: string;
  to: string;
  /** Of its first transaction; the others follow it one by one. */
  firstLsn: bigint;
}

/** The plan that was stored last in this epoch; undefined: none was. */
export async function readPlan(messages: Queryable, databaseNo: number): Promise<Plan | undefined> {
  const { rows } = await messages.query<{ no: number; from: string; to: string; first_lsn: string }>(READ, [
    databaseNo,
  ]);
  const row = rows[0];
  return row && { no: row.no, from: row.from, to: row.to, firstLsn: parseLsn(row.first_lsn) };
}
