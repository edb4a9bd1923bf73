/**
 * The waiting lines of a process, one a consumer, and what wakes them: capture's notification names the sinks that have
 * something new; an empty one means that any may have.
 */
import type { Queryable } from '../db/pool.ts';
import { MESSAGES_CHANNEL, sinksOf } from '../messages/notify.ts';
import { messageOf } from '../model/errors.ts';
import type { Consumer, Notifications } from './consumer.ts';
import { giveBack, type Lease } from './lease.ts';
import { createLine, type Line, type LineOptions } from './waiters.ts';

/** Who waits, and how the log names it. */
type Named = Pick<Consumer, 'no' | 'name'>;

export interface Lines {
  of(consumer: Named): Line;
  /** Clients that wait right now, all consumers together. */
  waiting(): number;
  /** Gives back what a client did not get. Never throws: the messages come again by themselves, later. */
  giveBack(consumer: Named, lease: Lease): Promise<void>;
  /** Ends every wait, also those that would begin later. Safe to call twice. */
  close(): void;
}

export interface LinesDependencies {
  db: Queryable;
  listener: Notifications;
  log: { warn(details: object, message: string): void };
  now?: () => number;
}

export function openLines(deps: LinesDependencies, options: LineOptions = {}): Lines {
  const lines = new Map<number, Line>();
  let closed = false;

  const returnLease = async (consumer: Named, lease: Lease): Promise<void> => {
    try {
      await giveBack(deps.db, consumer, lease.ackIds());
      lines.get(consumer.no)?.wake();
    } catch (error) {
      deps.log.warn(
        { sink: consumer.name, reason: messageOf(error) },
        'messages could not be given back; they come again later',
      );
    }
  };

  const off = deps.listener.on(MESSAGES_CHANNEL, (payload) => {
    for (const no of sinksOf(payload) ?? lines.keys()) lines.get(no)?.wake();
  });

  return {
    of({ no, name }) {
      const known = lines.get(no);
      if (known !== undefined) return known;
      const now = deps.now ?? (() => performance.now());
      const line = createLine({ now, giveBack: (lease) => returnLease({ no, name }, lease) }, options);
      if (closed) line.close();
      lines.set(no, line);
      return line;
    },
    waiting: () => [...lines.values()].reduce((sum, line) => sum + line.waiting, 0),
    giveBack: returnLease,
    close() {
      closed = true;
      off();
      for (const line of lines.values()) line.close();
    },
  };
}
