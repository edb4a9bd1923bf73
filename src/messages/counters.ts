/**
 * What this process does for each sink, summed up in memory and added to the database's counters every 10 s, at the first delivery
 * to a sink, and once more at its end. Never in the transaction of the work: dies the process, its last 10 s are not counted. What cannot be written
 * is written with what comes next.
 */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { createThrottle } from '../runtime/concurrency/throttle.ts';
import type { Service } from '../runtime/service.ts';
import { bucketOf, LATENCY_BUCKETS, type Latency } from './latency.ts';

const ADD = statement('messages/add-counters');

const EVERY_MS = 10_000;
/** Between two writes of first deliveries. */
const FIRST_MS = 500;
/** For the last ones: who is told to stop waits no longer for a database that does not answer. */
const FAREWELL_MS = 1_000;

export interface Counts {
  persisted: number;
  delivered: number;
  /** Deliveries that failed: `retried` and `parked` of them. */
  failed: number;
  retried: number;
  /** Also those that arrived so. */
  parked: number;
  discarded: number;
  /** Of what was persisted. */
  bytes: number;
}

export interface Counters {
  add(sinkNo: number, counts: Partial<Counts>): void;
  /** From their commit to their delivery. */
  took(sinkNo: number, latencies: readonly Latency[]): void;
}

export interface CountersService extends Counters, Service {
  /** Writes what is counted; what cannot be written stays. @throws what Postgres says. */
  write(): Promise<void>;
}

interface Sums extends Counts {
  latency: number[];
  latency_ms: number;
  /** When something was delivered first and last, of `performance.now()`; none: not since the last write. */
  firstAt?: number;
  lastAt?: number;
  /** How long after its commit the last one came. */
  last_ms?: number;
}

const nothing = (): Sums => ({
  ...{ persisted: 0, delivered: 0, failed: 0, retried: 0, parked: 0, discarded: 0, bytes: 0 },
  latency: Array.from({ length: LATENCY_BUCKETS }, () => 0),
  latency_ms: 0,
});

const FIGURES = ['persisted', 'delivered', 'failed', 'retried', 'parked', 'discarded', 'bytes'] as const;

/** `more`: of before. */
function addTo(sums: Sums, more: Sums): void {
  for (const figure of FIGURES) sums[figure] += more[figure];
  for (const [bucket, count] of more.latency.entries()) sums.latency[bucket]! += count;
  sums.latency_ms += more.latency_ms;
  if (more.firstAt === undefined || more.lastAt === undefined) return;
  sums.firstAt = more.firstAt;
  sums.lastAt ??= more.lastAt;
  if (more.last_ms !== undefined) sums.last_ms ??= more.last_ms;
}

/** As the database adds them: so long before it does. */
function written(sinkNo: number, { firstAt, lastAt, ...sums }: Sums): object {
  const now = performance.now();
  const ago =
    firstAt === undefined || lastAt === undefined ? {} : { first_ago_ms: now - firstAt, last_ago_ms: now - lastAt };
  return { sink_no: sinkNo, ...sums, ...ago };
}

/** Counts nothing. */
export const NO_COUNTERS: Counters = { add: () => undefined, took: () => undefined };

export function openCounters(
  deps: { db: Queryable; onError: (error: unknown) => void },
  options: { everyMs?: number } = {},
): CountersService {
  let sums = new Map<number, Sums>();
  let writing: Promise<void> | undefined;
  const of = (sinkNo: number): Sums => {
    const known = sums.get(sinkNo);
    if (known) return known;
    const fresh = nothing();
    sums.set(sinkNo, fresh);
    return fresh;
  };
  const writeOnce = async (): Promise<void> => {
    if (sums.size === 0) return;
    const moved = sums;
    sums = new Map();
    try {
      await deps.db.query(ADD, [JSON.stringify([...moved].map(([sinkNo, counts]) => written(sinkNo, counts)))]);
    } catch (error) {
      for (const [sinkNo, counts] of moved) addTo(of(sinkNo), counts);
      throw error;
    }
  };
  /** One at a time. */
  const write = async (): Promise<void> => {
    while (writing) await writing.catch(() => undefined);
    writing = writeOnce().finally(() => {
      writing = undefined;
    });
    await writing;
  };
  const delivered = new Set<number>();
  let soon = (): void => undefined;
  return {
    name: 'counters',
    add(sinkNo, counts) {
      const known = of(sinkNo);
      for (const figure of FIGURES) known[figure] += counts[figure] ?? 0;
      if (!counts.delivered) return;
      known.lastAt = performance.now();
      known.firstAt ??= known.lastAt;
      if (delivered.has(sinkNo)) return;
      delivered.add(sinkNo);
      soon();
    },
    took(sinkNo, latencies) {
      if (latencies.length === 0) return;
      const known = of(sinkNo);
      for (const { ms, count } of latencies) {
        if (!Number.isFinite(ms)) continue;
        // Another machine's clock may be ahead.
        const latency = Math.max(0, ms);
        known.latency[bucketOf(latency)]! += count;
        known.latency_ms += latency * count;
        known.last_ms = latency;
      }
    },
    write,
    async run(signal) {
      const writeNow = (): void => void write().catch(deps.onError);
      const first = createThrottle(writeNow, FIRST_MS);
      // Its latency is told after it.
      soon = () => queueMicrotask(() => first.soon());
      const timer = setInterval(() => writing || writeNow(), options.everyMs ?? EVERY_MS);
      if (!signal.aborted) await once(signal, 'abort');
      clearInterval(timer);
      soon = () => undefined;
      first.stop();
    },
    async close() {
      await Promise.race([write().catch(deps.onError), sleep(FAREWELL_MS, undefined, { ref: false })]);
    },
  };
}
