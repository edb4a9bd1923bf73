/**
 * Acknowledge, give back, extend: the same functions as in psql. An answer that frees something wakes who waits for it in
 * this process; others look for themselves within a second.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { isAckId, namedBy } from './ack-id.ts';
import { type Answered, NONE_ANSWERED } from './acknowledge.ts';
import { answering } from './answering.ts';
import type { Consumer } from './consumer.ts';
import type { Client, Desks } from './desks.ts';
import type { Wakeups } from './wakeups.ts';

export interface AnswerDeps {
  db: Queryable;
  desks: Desks;
  wakeups: Wakeups;
}

export type PutBack =
  /** Receivable again after `delayMs`. */
  | { what: 'nack'; ackIds: readonly string[]; delayMs: number }
  /** A lease of so many milliseconds, from now on. */
  | { what: 'extend'; ackIds: readonly string[]; visibilityTimeoutMs: number };

const PUT_BACK = statement('receive/put-back');

/** Ids that are unknown, foreign or of a lease that went to somebody else count nothing; so it is in `putBack`. */
export async function acknowledge(
  { desks, wakeups }: Omit<AnswerDeps, 'db'>,
  consumer: Consumer,
  given: { ackIds: readonly string[]; client: Client },
): Promise<Answered> {
  const named = namedBy(given.ackIds);
  if (named.length === 0) return NONE_ANSWERED;
  const answered = await desks.of(consumer).acknowledge({ consumer, client: given.client, named });
  if (answered.count > 0) wakeups.of(consumer).wake();
  return answered;
}

export async function putBack(
  { db, wakeups }: Omit<AnswerDeps, 'desks'>,
  consumer: Consumer,
  given: PutBack,
): Promise<number> {
  const ackIds = given.ackIds.filter(isAckId);
  if (ackIds.length === 0) return 0;
  const laterMs = given.what === 'nack' ? given.delayMs : given.visibilityTimeoutMs;
  const values = [consumer.no, given.what, ackIds, laterMs];
  const { rows } = await answering(() => db.query<{ count: number }>(PUT_BACK, values));
  const count = rows[0]?.count ?? 0;
  if (count > 0) {
    const waiters = wakeups.of(consumer);
    // Given back may also mean parked, which frees its group.
    if (given.what === 'nack') waiters.wake();
    if (laterMs > 0) waiters.plan(laterMs);
  }
  return count;
}
