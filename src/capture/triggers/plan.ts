/**
 * What capture reads next: the changes that the snapshot `to` sees and `from` does not. A plan is stored with the first of its
 * changes that are persisted, in one transaction. So whoever goes on after a crash reads the same changes again, in the same
 * order and under the same positions, and leaves out what the position says was persisted.
 */
import type { Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { formatLsn, parseLsn } from '../../model/lsn.ts';
import { quoteLiteral } from '../../model/quote.ts';

const READ = statement('capture/read-plan');

/** Transactional messages of this prefix hold a plan. Only the reader of changes makes them. */
export const PLAN = 'millrace:plan';

/** Plans after which older ones are deleted. */
const KEPT = 200;

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

/** What stores the plan in the transaction that moves the position. */
export function storeSql(databaseNo: number, { no, from, to, firstLsn }: Plan): string {
  const older = `delete from millrace_private.capture_plans where database_no = ${databaseNo} and no < ${no - KEPT}`;
  return `insert into millrace_private.capture_plans (database_no, no, epoch, from_snapshot, to_snapshot, first_lsn)
    select p.database_no, ${no}, p.epoch, ${quoteLiteral(from)}, ${quoteLiteral(to)}, ${quoteLiteral(formatLsn(firstLsn))}::pg_lsn
      from millrace_private.positions p where p.database_no = ${databaseNo}
    ${no % KEPT === 0 ? `; ${older}` : ''}`;
}

export const planText = (plan: Plan): string => JSON.stringify({ ...plan, firstLsn: formatLsn(plan.firstLsn) });

export function planOf(text: string): Plan {
  const { no, from, to, firstLsn } = JSON.parse(text) as Omit<Plan, 'firstLsn'> & { firstLsn: string };
  return { no, from, to, firstLsn: parseLsn(firstLsn) };
}
