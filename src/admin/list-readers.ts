/** Who received from a consumer over HTTP, and acknowledged, and when that was last; and who waits. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const LIST = statement('admin/list-readers');
const WAITING = statement('admin/count-waiting-receives');

export interface ListedReader {
  /** Its name. */
  token: string;
  /** At most half a minute old; null: never. */
  received_at: Date | null;
  acked_at: Date | null;
  /** Of the client that asked last. */
  address: string;
}

/** The one that was seen last comes first. */
export async function listReaders(db: Queryable, sinkId: string): Promise<ListedReader[]> {
  return (await db.query<ListedReader>(LIST, [sinkId])).rows;
}

/** How many receives wait for messages of it over HTTP, as the web processes said at most ten seconds ago. */
export async function countWaiting(db: Queryable, sinkId: string): Promise<number> {
  return (await db.query<{ waiting: number }>(WAITING, [sinkId])).rows[0]?.waiting ?? 0;
}
