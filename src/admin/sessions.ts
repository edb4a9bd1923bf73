/** Sessions of a person: listed, and ended. */
import { recordChange } from '../catalog/audit.ts';
import type { Queryable, Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { By } from '../model/by.ts';
import { MillraceError } from '../model/errors.ts';

const LIST = statement('admin/list-sessions');
const END = statement('admin/end-sessions');

export interface Session {
  id: string;
  user_id: string;
  created_at: Date;
  /** To the minute. */
  seen_at: Date;
  /** Without another request. */
  expires_at: Date;
  address: string | null;
  user_agent: string | null;
}

/** The one that was used last comes first. */
export async function listSessions(db: Queryable, userId: string): Promise<Session[]> {
  return (await db.query<Session>(LIST, [userId])).rows;
}

/** `userId`: it must be this person's; null: anybody's. @throws MillraceError not_found. */
export async function endSession(
  db: Transacting,
  { id, userId }: { id: string; userId: string | null },
  by: By,
): Promise<void> {
  if ((await end(db, [id, userId, null], by)) > 0) return;
  throw new MillraceError('not_found', `there is no session ${id}`);
}

/** All of a person but `keep`. How many. */
export async function endSessions(
  db: Transacting,
  { userId, keep }: { userId: string; keep: string | null },
  by: By,
): Promise<number> {
  return await end(db, [null, userId, keep], by);
}

async function end(db: Transacting, which: (string | null)[], by: By): Promise<number> {
  return await db.transaction(async (tx) => {
    const { rows } = await tx.query<{ email: string }>(END, which);
    if (rows[0]) {
      const change = { action: 'log_out', subject: `user ${rows[0].email}`, before: { sessions: rows.length } };
      await recordChange(tx, change, by);
    }
    return rows.length;
  });
}
