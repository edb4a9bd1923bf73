/**
 * Receive: one try at once, then, if the client wants to wait and nothing came, a place among the consumer's waiters. A client
 * that hangs up gets nothing leased: what came for it meanwhile is given back at once, and no delivery is counted.
 */
import type { Queryable } from '../db/pool.ts';
import { MillraceError } from '../model/errors.ts';
import type { Consumer } from './consumer.ts';
import { type Attempt, type Lease, type Leased, lease } from './lease.ts';
import type { Wakeups } from './wakeups.ts';

export interface ReceiveDeps {
  db: Queryable;
  wakeups: Wakeups;
  now?: () => number;
}

export interface ReceiveOptions {
  /** 1..1000. */
  batchSize: number;
  /** Milliseconds; 0 does not wait. */
  waitForMs: number;
  /** The client has hung up. */
  signal: AbortSignal;
  /** How many bytes an answer may have now. */
  maxBytes?: () => number;
  /** Runs each try when it is this client's turn, if ever. */
  turn?: (attempt: Attempt) => Promise<Leased>;
  /** There was nothing, and now it waits. */
  onWait?: () => void;
}

/**
 * Undefined when there is nothing to hand out. A lease that cannot be handed to the client after all goes to
 * `wakeups.giveBack`. Throws MillraceError too_many_waiting, and what Postgres says.
 */
export async function receive(
  deps: ReceiveDeps,
  consumer: Consumer,
  options: ReceiveOptions,
): Promise<Lease | undefined> {
  const { signal, waitForMs, batchSize } = options;
  const now = deps.now ?? (() => performance.now());
  const startedAt = now();
  const waiters = deps.wakeups.of(consumer);
  const { turn = (each) => each() } = options;
  const attempt = (): Promise<Leased> =>
    turn(() => lease(deps.db, consumer, { batchSize, maxBytes: options.maxBytes?.() }));

  const wait = async (): Promise<Lease | undefined> => {
    if (waiters.waiting >= consumer.maxWaiting) throw tooMany(consumer);
    options.onWait?.();
    const before = { news, dueInMs: first.dueInMs, more: first.more };
    const waitMs = waitForMs - (now() - startedAt);
    // A try that had to wait itself, for a lock or a slow database.
    return waitMs > 0 ? await waiters.wait({ attempt, waitMs, before }, signal) : undefined;
  };

  const { news } = waiters;
  const first = await waiters.attempt(attempt, signal);
  const got = first.lease ?? (waitForMs === 0 || signal.aborted ? undefined : await wait());
  if (got === undefined) return undefined;
  // When nobody acknowledges them, they are here again by then.
  waiters.plan(consumer.visibilityTimeoutMs);
  if (!signal.aborted) return got;
  await deps.wakeups.giveBack(consumer, got);
  return undefined;
}

function tooMany(consumer: Consumer): MillraceError {
  return new MillraceError('too_many_waiting', `${consumer.maxWaiting} clients wait for this consumer already`, {
    remedy: 'Try again later, or raise max_waiting of the consumer.',
  });
}
