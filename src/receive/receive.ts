/**
 * Receive: one try at once, then, if the client wants to wait and nothing came, a place among the consumer's waiters. A client
 * that hangs up gets nothing leased: what came for it meanwhile is given back at once, and no delivery is counted.
 */
import { MillraceError } from '../model/errors.ts';
import { namedBy } from './ack-id.ts';
import { type Answered, NONE_ANSWERED } from './acknowledge.ts';
import type { Consumer } from './consumer.ts';
import type { Client, Desks } from './desks.ts';
import { type Lease, type Leased, NOTHING } from './lease.ts';
import type { Wakeups } from './wakeups.ts';

export interface ReceiveDeps {
  desks: Desks;
  wakeups: Wakeups;
  now?: () => number;
}

export interface ReceiveOptions {
  client: Client;
  /** 1..1000. */
  batchSize: number;
  /** Acknowledged at the first try, before it. */
  ackIds?: readonly string[];
  /** Milliseconds; 0 does not wait. */
  waitForMs: number;
  /** The client has hung up. */
  signal: AbortSignal;
  /** How many bytes an answer may have now. */
  maxBytes?: () => number;
  /** What was acknowledged, whatever comes of the rest. */
  onAcked?: (acked: Answered) => void;
  /** There was nothing, and now it waits. */
  onWait?: () => void;
}

export interface Received {
  /** Undefined when there is nothing to hand out. */
  lease: Lease | undefined;
  acked: Answered;
}

/**
 * A lease that cannot be handed to the client after all goes to `wakeups.giveBack`. Throws MillraceError too_many_waiting, and
 * what Postgres says.
 */
export async function receive(deps: ReceiveDeps, consumer: Consumer, options: ReceiveOptions): Promise<Received> {
  const { signal, waitForMs, batchSize, client, maxBytes } = options;
  const now = deps.now ?? (() => performance.now());
  const startedAt = now();
  const waiters = deps.wakeups.of(consumer);
  const desk = deps.desks.of(consumer);
  let acked = NONE_ANSWERED;
  const attempt = async (ackIds: readonly string[] = []): Promise<Leased> => {
    const got = await desk.lease({ ...{ consumer, client, signal, batchSize, maxBytes }, acks: namedBy(ackIds) });
    if (ackIds.length > 0) acked = got.acked;
    return got.leased;
  };

  const wait = async (): Promise<Lease | undefined> => {
    if (waiters.waiting >= consumer.maxWaiting) throw tooMany(consumer);
    options.onWait?.();
    const before = { news, dueInMs: first.dueInMs, more: first.more };
    const waitMs = waitForMs - (now() - startedAt);
    // A try that had to wait itself, for a lock or a slow database.
    return waitMs > 0 ? await waiters.wait({ attempt: () => attempt(), waitMs, before }, signal) : undefined;
  };

  const { news } = waiters;
  const first = waiters.closed || signal.aborted ? NOTHING : await attempt(options.ackIds);
  // It may have freed a group for somebody else.
  if (acked.count > 0) waiters.wake();
  options.onAcked?.(acked);
  const got = first.lease ?? (waitForMs === 0 || signal.aborted ? undefined : await wait());
  if (got === undefined) return { lease: undefined, acked };
  // When nobody acknowledges them, they are here again by then.
  waiters.plan(consumer.visibilityTimeoutMs);
  if (!signal.aborted) return { lease: got, acked };
  await deps.wakeups.giveBack(consumer, got);
  return { lease: undefined, acked };
}

function tooMany(consumer: Consumer): MillraceError {
  return new MillraceError('too_many_waiting', `${consumer.maxWaiting} clients wait for this consumer already`, {
    remedy: 'Try again later, or raise max_waiting of the consumer.',
  });
}
