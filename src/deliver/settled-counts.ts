/** What became of a batch, in numbers, for the counters. */
import { type Latency, spreadLatencies } from '../messages/latency.ts';
import type { Taken } from '../model/sink.ts';
import type { Settlement, Verdict } from './decide.ts';
import type { LaneRow } from './row.ts';

export interface SettledCounts {
  done: number;
  /** Deliveries that failed, and come again. */
  retried: number;
  parked: number;
  /** Of those that are done: from their commit until now. */
  latencies: readonly Latency[];
}

/** Where looking at every row would cost more than it tells, some are looked at. */
const MOST_SAMPLES = 64;

/** `verdicts`: of these rows, in their order. */
export function countSettled(
  given: { rows: readonly LaneRow[]; verdicts: readonly Verdict[]; settlement: Settlement },
  nowMs: number,
): SettledCounts {
  const { rows, verdicts, settlement } = given;
  const parked = settlement.remaining.filter(({ state }) => state === 'parked').length;
  const done: LaneRow[] = [];
  let failed = 0;
  for (let place = 0; place < rows.length; place += 1) {
    const { kind } = verdicts[place]!;
    if (kind === 'done') done.push(rows[place]!);
    else if (kind === 'retry' || kind === 'park') failed += 1;
  }
  return { done: done.length, retried: failed - parked, parked, latencies: latenciesOf(done, nowMs) };
}

/** One that is looked at stands for those before it. */
function latenciesOf(rows: readonly LaneRow[], nowMs: number): Latency[] {
  const every = Math.ceil(rows.length / MOST_SAMPLES);
  const latencies: Latency[] = [];
  let count = 0;
  for (let place = 0; place < rows.length; place += 1) {
    const row = rows[place]!;
    count += 1;
    const isWanted = place === rows.length - 1 || (place + 1) % every === 0;
    const committedMs = row.committed_at === '' ? row.committed_ms : isWanted ? Date.parse(row.committed_at) : null;
    if (committedMs == null) continue;
    latencies.push({ ms: nowMs - committedMs, count });
    count = 0;
  }
  const last = latencies.at(-1);
  if (last) last.count += count;
  return latencies;
}

/** Of what a destination has taken by itself. */
export function countTaken({ count, committedMs }: Taken, nowMs: number): SettledCounts {
  const latencies = committedMs
    ? spreadLatencies({ firstMs: committedMs.first, lastMs: committedMs.last, count }, nowMs)
    : [];
  return { done: count, retried: 0, parked: 0, latencies };
}
