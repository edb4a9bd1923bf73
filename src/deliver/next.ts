/**
 * The next messages of a lane: read within what the worker's memory allows, delivered, settled.
 */

import { LEAST_BYTES } from '../runtime/concurrency/byte-budget.ts';
import { startWatch } from '../runtime/stages.ts';
import { type BatchEnd, deliverRows } from './batch.ts';
import type { HeldLane, LaneDeps } from './held-lane.ts';
import { type Ask, type Batched, bytesOf, bytesToRead, read, roomFor } from './read.ts';
import type { LaneState } from './settle.ts';
import { take } from './take.ts';

/** A delivery that takes longer keeps what others may be waiting for. */
const SLOW_MS = 1_000;

export const NOTHING_YET = { bytes: 0, made: 0, cut: false, count: 0, untried: 0 };

export interface Next extends Batched {
  end: BatchEnd | undefined;
  more: boolean;
  /** It took long until it was settled. */
  slow: boolean;
}

export interface NextAt {
  state: LaneState;
  ask: Ask;
  slow: boolean;
  signal: AbortSignal;
  /** Messages, at most; absent: as many as the destination likes. */
  limit?: number;
  /** This message and no other: `more` says to look again when the next one is another. `begin` is called before it is read. */
  only?: { id: number; begin(): Promise<void> };
}

/** The next messages of the lane, if any. Undefined: the signal came first. */
export async function deliverNext(deps: LaneDeps, run: HeldLane, at: NextAt): Promise<Next | undefined> {
  const { state, ask, signal, limit, only } = at;
  const taken = limit === undefined ? await take(deps, run, state) : undefined;
  if (taken) {
    const end = taken.count > 0 ? { cursor: taken.hi, remains: false } : undefined;
    return { ...NOTHING_YET, end, more: taken.more, slow: false };
  }
  const by = { owner: run.id.sinkNo, slow: at.slow, leastBytes: LEAST_BYTES + ask.leastRoom };
  const share = await run.limits.budget?.take(ask.bytes + ask.room, signal, by);
  if (run.limits.budget && !share) return undefined;
  try {
    // It may have waited for long.
    if (run.leaving?.aborted) return undefined;
    const given = share?.bytes ?? ask.bytes + ask.room;
    await only?.begin();
    const watch = startWatch(deps.stages);
    const { rows, more } = await read(deps, run, { state, bytes: bytesToRead(ask, given), limit: limit ?? ask.rows });
    watch.lap(rows.length > 0 ? 'read' : undefined);
    if (only !== undefined && rows.some(({ id }) => id !== only.id)) {
      return { ...NOTHING_YET, end: undefined, more: true, slow: false };
    }
    const bytes = bytesOf(rows);
    const room = roomFor(bytes, ask, given);
    share?.resize(bytes + room);
    if (rows.length === 0) return { ...NOTHING_YET, end: undefined, more, slow: false };
    let made = 0;
    const onMade = (length: number): void => {
      made = length;
      share?.resize(bytes + length);
    };
    const begun = deps.now();
    const end = await deliverRows(deps, run, {
      ...{ rows, cursor: state.cursor, signal, room, onMade },
      isWatched: state.is_watched,
    });
    const left = end.cut ?? 0;
    const untried = end.untried ?? 0;
    return {
      end,
      more: more || left > 0 || untried > 0,
      bytes: bytes * (1 - left / rows.length),
      made,
      cut: left > 0,
      count: rows.length,
      untried,
      slow: deps.now() - begun > SLOW_MS,
    };
  } finally {
    share?.release();
  }
}
