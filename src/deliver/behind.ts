/**
 * The message database for lanes that are far behind: some of the worker's connections at most, so that a lane with one
 * new message need not wait until each of them has read and settled thousands. First come, first served.
 */
import type { Database } from '../db/pool.ts';
import { createSemaphore } from '../runtime/concurrency/semaphore.ts';

/** What lanes need of it. */
export type LaneDatabase = Pick<Database, 'query' | 'transaction'>;

/** `db`, of which no more than `most` statements or transactions run at the same time by way of it. */
export function limited(db: LaneDatabase, most: number): LaneDatabase {
  const inTurn = createSemaphore(most);
  return {
    query: (statement, values) => inTurn(() => db.query(statement, values)),
    transaction: (work) => inTurn(() => db.transaction(work)),
  };
}
