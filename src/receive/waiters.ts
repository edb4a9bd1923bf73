/**
 * Who waits for messages of one consumer, in this process: first come, first served. The first one looks, the
 * others sleep; a try that finds something lets the next ones look. A sleep ends by news (a notification, an
 * acknowledgement here), when something is due, else after a second: never sooner without a reason.
 *
 * A waiter may leave at any moment. What was leased for one who has left is given back before anybody else looks.
 */
import { type Alarm, createAlarm } from '../runtime/concurrency/alarm.ts';
import { type Attempt, type Lease, type Leased, NOTHING } from './lease.ts';

export interface Waiters {
  /** Counts the news; taken before a try, it tells whether something came after it. */
  readonly news: number;
  readonly waiting: number;
  /** All are sent away. */
  readonly closed: boolean;
  /** Waits for a lease; undefined when the time is over, the signal came or they were closed. Throws what a try throws. */
  wait(input: WaitInput, signal: AbortSignal): Promise<Lease | undefined>;
  /** Something may have become receivable. */
  wake(): void;
  /** Something may become receivable in so many milliseconds. */
  plan(inMs: number): void;
  /** Sends all away, now and from now on. */
  close(): void;
}

export interface WaitInput {
  attempt: Attempt;
  waitMs: number;
  /** The try that came before, and the news it knew. */
  before: { news: number; dueInMs: number | null; more: boolean };
}

export interface WaitersDeps {
  giveBack(lease: Lease): Promise<void>;
  now: () => number;
}

export interface WaitersOptions {
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

interface State {
  deps: WaitersDeps;
  pollMs: number;
  queue: Waiter[];
  alarm: Alarm;
  news: number;
  trying: readonly Waiter[];
  pumping: boolean;
  closed: boolean;
}

export function createWaiters(deps: WaitersDeps, options: WaitersOptions = {}): Waiters {
  const state: State = {
    deps,
    pollMs: options.pollMs ?? 1_000,
    queue: [],
    alarm: createAlarm(deps.now),
    news: 0,
    trying: [],
    pumping: false,
    closed: false,
  };
  const { queue, alarm } = state;
  return {
    get news() {
      return state.news;
    },
    get waiting() {
      return queue.length;
    },
    get closed() {
      return state.closed;
    },
    async wait(input, signal) {
      if (signal.aborted || state.closed) return undefined;
      const { before } = input;
      const result = join(state, input, signal);
      if (!state.pumping) void pump(state, before);
      else if (before.more) alarm.ring();
      else if (before.dueInMs !== null) alarm.set(before.dueInMs + 1);
      return await result;
    },
    wake() {
      state.news += 1;
      alarm.ring();
    },
    plan: (inMs) => alarm.set(Math.ceil(inMs) + 1),
    close() {
      state.closed = true;
      for (const waiter of [...queue]) waiter.finish(undefined);
    },
  };
}

/** A place at the end of the queue. */
function join(state: State, { attempt, waitMs }: WaitInput, signal: AbortSignal): Promise<Lease | undefined> {
  const { queue, alarm } = state;
  const { promise, resolve, reject } = Promise.withResolvers<Lease | undefined>();
  const leave = (): void => {
    waiter.gone = true;
    clearTimeout(timer);
    signal.removeEventListener('abort', hangUp);
    const place = queue.indexOf(waiter);
    if (place >= 0) queue.splice(place, 1);
    if (queue.length === 0) alarm.ring();
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
    if (state.trying.includes(waiter)) waiter.late = true;
    else waiter.finish(undefined);
  }, waitMs);
  signal.addEventListener('abort', hangUp, { once: true });
  queue.push(waiter);
  return promise;
}

/** Looks for the first ones in the queue whenever there is a reason, until nobody waits. */
async function pump(state: State, before: WaitInput['before']): Promise<void> {
  const { queue, alarm, pollMs } = state;
  state.pumping = true;
  let { dueInMs, more, news: seen } = before;
  let hurried = false;
  // Twice as many as long as all of them find something.
  let width = 1;
  while (queue.length > 0) {
    const overdue = dueInMs !== null && dueInMs <= 0;
    if (!more && state.news === seen && (!overdue || hurried)) {
      await alarm.sleep(Math.min(pollMs, overdue || dueInMs === null ? pollMs : Math.ceil(dueInMs) + 1));
    }
    if (queue.length === 0) break;
    // Due since before the try, and yet not there: once it is worth another look.
    hurried = overdue && !hurried;
    seen = state.news;
    const got = await tryFor(state, queue.slice(0, width));
    const empty = got.filter(({ lease }) => lease === undefined);
    more = empty.length === 0 || empty.some((each) => each.more);
    dueInMs = empty.at(-1)?.dueInMs ?? null;
    width = empty.length === 0 ? width * 2 : 1;
  }
  state.pumping = false;
}

/** All at once: they go together, in this order. */
async function tryFor(state: State, waiters: readonly Waiter[]): Promise<Leased[]> {
  state.trying = waiters;
  try {
    return await Promise.all(waiters.map((waiter) => tryForOne(state, waiter)));
  } catch (error) {
    // Whatever it was, the others would meet it as well.
    for (const each of [...state.queue]) each.fail(error);
    return [NOTHING];
  } finally {
    state.trying = [];
  }
}

async function tryForOne(state: State, waiter: Waiter): Promise<Leased> {
  const got = await waiter.attempt();
  if (got.lease !== undefined && waiter.gone) await state.deps.giveBack(got.lease);
  else if (got.lease !== undefined || waiter.late) waiter.finish(got.lease);
  // Who has left was not tried for: the next one is.
  return waiter.gone && got.lease === undefined ? { ...got, more: true } : got;
}
