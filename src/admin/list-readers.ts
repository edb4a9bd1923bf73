/** Who received from a consumer over HTTP, and acknowledged, and when that was last. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const LIST = statement('admin/list-readers');

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
