/** Takes notices away whose cause is over. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const FORGET = statement('notices/forget');
const FORGET_MISSED = statement('notices/forget-missed');

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
