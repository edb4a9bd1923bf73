/**
 * The next messages of a lane: read within what the worker's memory allows, delivered, settled.
 */

import { type Holder, LEAST_BYTES, type Share } from '../runtime/concurrency/byte-budget.ts';
import { startWatch } from '../runtime/stages.ts';
import type { Ask, Got } from './ahead.ts';
import { type BatchEnd, deliverRows } from './batch.ts';
import type { HeldLane, LaneDeps } from './held-lane.ts';
import { type Batched, bytesOf, bytesToRead, read, roomFor } from './read.ts';
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
  const { state, signal, limit, only } = at;
  const taken = limit === undefined ? await take(deps, run, state) : undefined;
  if (taken) {
    const end = taken.count > 0 ? { cursor: taken.hi, remains: false } : undefined;
    return { ...NOTHING_YET, end, more: taken.more, slow: false };
  }
  const got = await next(deps, run, at);
  if (!got) return undefined;
  const { rows, more, ask, given, share } = got;
  let isSettled = false;
  try {
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
    if (more) readAhead(deps, run, { ...at, after: rows.at(-1)!.id });
    const end = await deliverRows(deps, run, {
      ...{ rows, cursor: state.cursor, signal, room, onMade },
      isWatched: state.is_watched,
    });
    const left = end.cut ?? 0;
    const untried = end.untried ?? 0;
    const slow = deps.now() - begun > SLOW_MS;
    isSettled = !end.remains && !slow;
    return {
      end,
      more: more || left > 0 || untried > 0,
      bytes: bytes * (1 - left / rows.length),
      made,
      cut: left > 0,
      count: rows.length,
      untried,
      slow,
    };
  } finally {
    share?.release();
    if (!isSettled) run.ahead.drop();
  }
}

/** What was read ahead, or else is read now, within what the memory of the worker allows. */
async function next(deps: LaneDeps, run: HeldLane, at: NextAt): Promise<Got | undefined> {
  const { state, ask, signal, limit, only } = at;
  const mayBeOld = limit !== undefined || state.due || state.has_states;
  if (mayBeOld) run.ahead.drop();
  const ahead = await run.ahead.take(state.cursor);
  const share = ahead?.share ?? (await run.limits.budget?.take(ask.bytes + ask.room, signal, holder(run, at)));
  if (run.limits.budget && !share) return undefined;
  // It may have waited for long.
  if (run.leaving?.aborted) {
    share?.release();
    return undefined;
  }
  return ahead ?? (await readInto(deps, run, { state, ask, share, limit, begin: only?.begin }));
}

/** Begins to read what follows a batch, where nothing speaks against it, and there is memory to spare. */
function readAhead(
  deps: LaneDeps,
  run: HeldLane,
  { state, ask, slow, limit, after }: NextAt & { after: number },
): void {
  const { budget } = run.limits;
  if (limit !== undefined || slow || state.due || state.has_states || !run.target.readsAhead || after < state.cursor)
    return;
  const share = budget?.tryTake(ask.bytes + ask.room, holder(run, { ask, slow }));
  if (budget && !share) return;
  run.ahead.begin(after, readInto(deps, run, { state: { ...state, cursor: after }, ask, share, limit: undefined }));
}

const holder = (run: HeldLane, { ask, slow }: Pick<NextAt, 'ask' | 'slow'>): Holder => ({
  owner: run.id.sinkNo,
  slow,
  leastBytes: LEAST_BYTES + ask.leastRoom,
});

interface Reading {
  state: LaneState;
  ask: Ask;
  share: Share | undefined;
  limit: number | undefined;
  begin?: (() => Promise<void>) | undefined;
}

/** Takes over the share: it is given back when the read fails. */
async function readInto(deps: LaneDeps, run: HeldLane, { state, ask, share, limit, begin }: Reading): Promise<Got> {
  try {
    const given = share?.bytes ?? ask.bytes + ask.room;
    await begin?.();
    const watch = startWatch(deps.stages);
    const { rows, more } = await read(deps, run, { state, bytes: bytesToRead(ask, given), limit: limit ?? ask.rows });
    watch.lap(rows.length > 0 ? 'read' : undefined);
    return { rows, more, ask, given, share };
  } catch (error) {
    share?.release();
    throw error;
  }
}
