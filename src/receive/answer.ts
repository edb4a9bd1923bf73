/**
 * Acknowledge, give back, extend: the same functions as in psql. An answer that frees something wakes who waits for it in
 * this process; others look for themselves within a second.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { type Latency, spreadLatencies } from '../messages/latency.ts';
import { failpoint } from '../runtime/failpoint.ts';
import { isAckId } from './ack-id.ts';
import type { Consumer } from './consumer.ts';
import type { Wakeups } from './wakeups.ts';

export interface AnswerDeps {
  db: Queryable;
  wakeups: Wakeups;
}

export interface Answered {
  /** To how many messages it applied. */
  count: number;
  /** Of what was acknowledged: from its commit until now. */
  latencies: readonly Latency[];
}

export type Answer =
  | { what: 'ack'; ackIds: readonly string[] }
  /** Receivable again after `delayMs`. */
  | { what: 'nack'; ackIds: readonly string[]; delayMs: number }
  /** A lease of so many milliseconds, from now on. */
  | { what: 'extend'; ackIds: readonly string[]; visibilityTimeoutMs: number };

const ACKNOWLEDGE = statement('receive/acknowledge');
const PUT_BACK = statement('receive/put-back');

interface AnswerRow {
  count: number;
  committed?: string | null;
}

/** Ids that are unknown, foreign or of a lease that went to somebody else count nothing. */
export async function answer(deps: AnswerDeps, consumer: Consumer, given: Answer): Promise<Answered> {
  const ackIds = given.ackIds.filter(isAckId);
  if (ackIds.length === 0) return { count: 0, latencies: [] };
  const laterMs = given.what === 'ack' ? 0 : given.what === 'nack' ? given.delayMs : given.visibilityTimeoutMs;
  failpoint('receive/before-answer');
  const { rows } = await (given.what === 'ack'
    ? deps.db.query<AnswerRow>(ACKNOWLEDGE, [consumer.no, ackIds])
    : deps.db.query<AnswerRow>(PUT_BACK, [consumer.no, given.what, ackIds, laterMs]));
  failpoint('receive/after-answer');
  const count = rows[0]?.count ?? 0;
  if (count > 0) {
    const waiters = deps.wakeups.of(consumer);
    // Given back may also mean parked, which frees its group.
    if (given.what !== 'extend') waiters.wake();
    if (laterMs > 0) waiters.plan(laterMs);
  }
  return { count, latencies: latenciesOf(rows[0]?.committed, count) };
}

/** `committed`: when the first and the last one were, in seconds; empty when nobody says. */
function latenciesOf(committed: string | null | undefined, count: number): Latency[] {
  if (!committed || count === 0) return [];
  const [first = 0, last = first] = committed.split(' ').map((seconds) => Number(seconds) * 1_000);
  return spreadLatencies({ firstMs: first, lastMs: last, count }, Date.now());
}
