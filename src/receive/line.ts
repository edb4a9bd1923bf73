/**
 * Who waits for messages of one consumer, in this process: first come, first served. One of them at a time looks, the
 * others sleep; a try that finds something lets the next one look. A sleep ends by news (a notification, an
 * acknowledgement here), when something is due, else after a second: never sooner without a reason.
 *
 * A waiter may leave at any moment. What was leased for one who has left is given back before anybody else looks.
 */
import type { Lease, Leased } from './lease.ts';

export interface Line {
  /** Counts the news; taken before a try, it tells whether something came after it. */
  readonly news: number;
  readonly waiting: number;
  /** One try. At most two run at once: Postgres does one after the other anyway, and others want connections too. */
  attempt(attempt: Attempt, signal: AbortSignal): Promise<Leased>;
  /** Waits for a lease; undefined when the time is over, the signal came or the line was closed. Throws what a try throws. */
  wait(input: WaitInput, signal: AbortSignal): Promise<Lease | undefined>;
  /** Something may have become receivable. */
  wake(): void;
  /** Something may become receivable in so many milliseconds. */
  plan(inMs: number): void;
  /** Sends all away, now and from now on. */
  close(): void;
}

/** Leases something for one client. */
export type Attempt = () => Promise<Leased>;

export interface WaitInput {
  attempt: Attempt;
  waitMs: number;
  /** The try that came before, and the news it knew. */
  before: { news: number; dueInMs: number | null; more: boolean };
}

export interface LineDependencies {
  giveBack(lease: Lease): Promise<void>;
  now: () => number;
}

export interface LineOptions {
  /** The longest sleep; 1,000. */
  pollMs?: number;
}

interface Waiter {
  attempt: Attempt;
  /** Its time is over, but its try is under way: the result decides. */
  late: boolean;
  gone: boolean;
  finish(lease: Lease | undefined): void;
  fail(error: unknown): void;
}

const ATTEMPTS = 2;
const NOTHING: Leased = { lease: undefined, more: false, dueInMs: null };

export function createLine(deps: LineDependencies, options: LineOptions = {}): Line {
  const pollMs = options.pollMs ?? 1_000;
  const waiters: Waiter[] = [];
  const attempts = gate(ATTEMPTS);
  const alarm = createAlarm(deps.now);
  let news = 0;
  let trying: Waiter | undefined;
  let pumping = false;
  let closed = false;

  const remove = (waiter: Waiter): void => {
    const place = waiters.indexOf(waiter);
    if (place >= 0) waiters.splice(place, 1);
    if (waiters.length === 0) alarm.ring();
  };

  const tryFor = async (waiter: Waiter): Promise<Leased> => {
    trying = waiter;
    try {
      const got = await attempts(waiter.attempt, () => waiter.gone);
      if (got.lease !== undefined && waiter.gone) await deps.giveBack(got.lease);
      else if (got.lease !== undefined || waiter.late) waiter.finish(got.lease);
      return got;
    } catch (error) {
      // Whatever it was, the others would meet it as well.
      for (const each of [...waiters]) each.fail(error);
      waiter.fail(error);
      return NOTHING;
    } finally {
      trying = undefined;
    }
  };

  const pump = async (before: WaitInput['before']): Promise<void> => {
    pumping = true;
    let { dueInMs, more, news: seen } = before;
    let hurried = false;
    while (waiters.length > 0) {
      const overdue = dueInMs !== null && dueInMs <= 0;
      if (!more && news === seen && (!overdue || hurried)) {
        await alarm.sleep(Math.min(pollMs, overdue || dueInMs === null ? pollMs : Math.ceil(dueInMs) + 1));
      }
      const first = waiters[0];
      if (first === undefined) break;
      // Due since before the try, and yet not there: once it is worth another look.
      hurried = overdue && !hurried;
      seen = news;
      const got = await tryFor(first);
      ({ dueInMs, more } = got.lease === undefined ? got : { dueInMs: null, more: true });
    }
    pumping = false;
  };

  return {
    get news() {
      return news;
    },
    get waiting() {
      return waiters.length;
    },
    attempt: async (attempt, signal) => await attempts(attempt, () => signal.aborted || closed),
    async wait({ attempt, waitMs, before }, signal) {
      if (signal.aborted || closed) return undefined;
      const { promise, resolve, reject } = Promise.withResolvers<Lease | undefined>();
      const leave = (): void => {
        waiter.gone = true;
        clearTimeout(timer);
        signal.removeEventListener('abort', hangUp);
        remove(waiter);
      };
      const waiter: Waiter = {
        attempt,
        late: false,
        gone: false,
        finish(lease) {
          leave();
          resolve(lease);
        },
        fail(error) {
          leave();
          reject(error);
        },
      };
      const hangUp = (): void => waiter.finish(undefined);
      const timer = setTimeout(() => {
        if (trying === waiter) waiter.late = true;
        else waiter.finish(undefined);
      }, waitMs);
      signal.addEventListener('abort', hangUp, { once: true });
      waiters.push(waiter);
      if (!pumping) void pump(before);
      else if (before.more) alarm.ring();
      else if (before.dueInMs !== null) alarm.set(before.dueInMs + 1);
      return await promise;
    },
    wake() {
      news += 1;
      alarm.ring();
    },
    plan: (inMs) => alarm.set(Math.ceil(inMs) + 1),
    close() {
      closed = true;
      for (const waiter of [...waiters]) waiter.finish(undefined);
    },
  };
}

/** At most `size` at a time, in the order of their coming. One whose client has left meanwhile is not started. */
function gate(size: number): (attempt: Attempt, left: () => boolean) => Promise<Leased> {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (attempt, left) => {
    if (running >= size) await new Promise<void>((resolve) => queue.push(resolve));
    else running += 1;
    try {
      return left() ? NOTHING : await attempt();
    } finally {
      // The place goes to the next one, or is free.
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

interface Alarm {
  /** Until it rings, or the time that was set last and earliest. */
  sleep(ms: number): Promise<void>;
  /** Rings in `ms` at the latest, for whoever sleeps then or now. */
  set(ms: number): void;
  ring(): void;
}

function createAlarm(now: () => number): Alarm {
  let timer: NodeJS.Timeout | undefined;
  let at = Number.POSITIVE_INFINITY;
  let awake: (() => void) | undefined;
  const ring = (): void => {
    clearTimeout(timer);
    awake?.();
    awake = undefined;
  };
  const start = (): void => {
    clearTimeout(timer);
    timer = setTimeout(ring, Math.max(0, at - now()));
  };
  return {
    ring,
    set(ms) {
      at = Math.min(at, now() + ms);
      if (awake !== undefined) start();
    },
    async sleep(ms) {
      // What was set for a time that is over has had its try.
      at = Math.min(at > now() ? at : Number.POSITIVE_INFINITY, now() + ms);
      const rung = new Promise<void>((resolve) => {
        awake = resolve;
      });
      start();
      await rung;
      at = Number.POSITIVE_INFINITY;
    },
  };
}
