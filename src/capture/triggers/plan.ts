/**
 * What capture reads next: the changes that the snapshot `to` sees and `from` does not. A plan is stored with the first of its
 * changes that are persisted, in one transaction. So whoever goes on after a crash reads the same changes again, in the same
 * order and under the same positions, and leaves out what the position says was persisted.
 */
import type { Plan } from '../../messages/plan.ts';
import { formatLsn, parseLsn } from '../../model/lsn.ts';
import { quoteLiteral } from '../../model/quote.ts';

/** Transactional messages of this prefix hold a plan. Only the reader of changes makes them. */
export const PLAN = 'millrace:plan';

/** Plans after which older ones are deleted. */
const KEPT = 200;

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
