/**
 * Who waits in this process, by consumer, and what wakes them: capture's notification names the sinks that have
 * something new; an empty one means that any may have.
 */
import type { Queryable } from '../db/pool.ts';
import { MESSAGES_CHANNEL, sinksOf } from '../messages/notify.ts';
import { messageOf } from '../model/errors.ts';
import type { Consumer, Notifications } from './consumer.ts';
import { giveBack, type Lease } from './lease.ts';
import { createWaiters, type Waiters, type WaitersOptions } from './waiters.ts';

/** Who waits, and how the log names it. */
type Named = Pick<Consumer, 'no' | 'name'>;

export interface Wakeups {
  of(consumer: Named): Waiters;
  /** Clients that wait right now, all consumers together. */
  waiting(): number;
  /** The same by the number of the consumer, without those that nobody waits for. */
  waitingBy(): Record<number, number>;
  /** Gives back what a client did not get. Never throws: the messages come again by themselves, later. */
  giveBack(consumer: Named, lease: Lease): Promise<void>;
  /** Ends every wait, also those that would begin later. Safe to call twice. */
  close(): void;
}

export interface WakeupsDeps {
  db: Queryable;
  listener: Notifications;
  log: { warn(details: object, message: string): void };
  now?: () => number;
}

export function openWakeups(deps: WakeupsDeps, options: WaitersOptions = {}): Wakeups {
  const byConsumer = new Map<number, Waiters>();
  let closed = false;

  const returnLease = async (consumer: Named, lease: Lease): Promise<void> => {
    try {
      await giveBack(deps.db, consumer, lease.ackIds());
      byConsumer.get(consumer.no)?.wake();
    } catch (error) {
      deps.log.warn(
        { sink: consumer.name, reason: messageOf(error) },
        'messages could not be given back; they come again later',
      );
    }
  };

  const off = deps.listener.on(MESSAGES_CHANNEL, (payload) => {
    for (const no of sinksOf(payload) ?? byConsumer.keys()) byConsumer.get(no)?.wake();
  });

  return {
    of({ no, name }) {
      const known = byConsumer.get(no);
      if (known !== undefined) return known;
      const now = deps.now ?? (() => performance.now());
      const waiters = createWaiters({ now, giveBack: (lease) => returnLease({ no, name }, lease) }, options);
      if (closed) waiters.close();
      byConsumer.set(no, waiters);
      return waiters;
    },
    waiting: () => [...byConsumer.values()].reduce((sum, waiters) => sum + waiters.waiting, 0),
    waitingBy: () =>
      Object.fromEntries(
        [...byConsumer].flatMap(([no, waiters]) => (waiters.waiting > 0 ? [[no, waiters.waiting]] : [])),
      ),
    giveBack: returnLease,
    close() {
      closed = true;
      off();
      for (const waiters of byConsumer.values()) waiters.close();
    },
  };
}
