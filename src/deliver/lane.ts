/**
 * One lane of one sink, for a short while: takes it, delivers what waits, settles each batch in one transaction, and gives
 * it back. Messages leave in order; a failed one holds back later ones of its row, unless a later one replaces it.
 *
 * Dies the process before settling: the batch is sent again (ids are its versions, so an index is not turned back). After
 * settling: nothing is repeated. A stopped lane settles what it knows and counts no attempt for what it does not.
 */
import type { Sink } from '../model/sink.ts';
import { failpoint } from '../runtime/failpoint.ts';
import type { Log } from '../runtime/log.ts';
import type { FunctionSet, Sandbox } from '../transform/sandbox.ts';
import { type BatchEnd, deliverRows } from './batch.ts';
import type { LaneDatabase } from './behind.ts';
import { LEAST_BYTES, type ReadBudget } from './budget.ts';
import { closeCircuit, openCircuit, probe } from './circuit.ts';
import { createKeeper, type Keeper, type Kept } from './keep.ts';
import { forgiveKillers, pauseForKillers } from './killers.ts';
import { type Ask, type Batched, bytesOf, bytesToRead, nextAsk, read, roomFor } from './read.ts';
import { isLost, type LaneId, type LaneState, readState, releaseLane, takeLane } from './settle.ts';
import { take } from './take.ts';
import type { Wake } from './wake.ts';

/** A sink ready to be delivered to. */
export interface LaneSink {
  no: number;
  name: string;
  sink: Sink;
  functions: FunctionSet;
  /** Each message carries its row's whole document, under its id as version: a later one replaces an earlier one. */
  replaces: boolean;
  deleteOnLeave: boolean;
  /** It makes messages that others receive. */
  shapes: boolean;
  maxRetryCount: number | null;
  /** It was found ready since it was opened. */
  tested: boolean;
  /** Messages that brought its functions' process down since one went well. */
  killers: Set<number>;
  /** Times that it failed as a whole since a batch went well. */
  failures: number;
}

export interface LaneDeps {
  db: LaneDatabase;
  sandbox: Sandbox;
  log: Log;
  now: () => number;
  random: () => number;
  /** The circuit of this sink has closed: its other lanes may go on. */
  onRecovered(sinkNo: number): void;
  onSettled(sink: LaneSink, counts: { done: number; failed: number }): void;
  /** The same database for a lane that is far behind; absent: `db`. */
  behind?: LaneDatabase;
  /** What all lanes together may have in memory; absent: as much as they like. */
  budget?: ReadBudget;
  /** Other lanes wait for a place: one that is quiet ends at once. Absent: none does. */
  crowded?(): boolean;
  /** Keeps all lanes of the process; absent: each has its own. */
  keeper?: Keeper;
  /** The lane could not be given back: nobody else can have it before its lease ends. */
  onUnreleased?(id: LaneId): void;
}

export interface LaneRun {
  target: LaneSink;
  id: LaneId;
  wake: Wake;
  /** Milliseconds: how long to deliver at most, and how long to stay awake without messages. */
  runMs: number;
  lingerMs: number;
}

/** A lane that was taken. */
export interface HeldLane extends LaneRun {
  kept: Kept;
}

/**
 * When to run again: a time, at once, or when there is news. `taken`: false when somebody else had the lane. One that was
 * lost on the way is asked for again: its lease may have ended without anybody taking it.
 */
export interface LaneEnd {
  taken: boolean;
  again: Date | 'now' | undefined;
}

const STATE_MS = 250;
/** A delivery that takes longer keeps what others may be waiting for. */
const SLOW_MS = 1_000;

export async function runLane(deps: LaneDeps, run: LaneRun, signal: AbortSignal): Promise<LaneEnd> {
  const keeper = deps.keeper ?? createKeeper(deps.db);
  const since = keeper.clock();
  if (signal.aborted || !(await takeLane(deps.db, run.id, keeper.session()))) return { taken: false, again: undefined };
  const lost = new AbortController();
  const kept = keeper.keep(run.id, { since, onLost: () => lost.abort() });
  try {
    const again = await deliver(deps, { ...run, kept }, AbortSignal.any([signal, lost.signal]));
    return { taken: true, again: lost.signal.aborted ? 'now' : again };
  } catch (error) {
    if (isLost(error)) return { taken: true, again: 'now' };
    throw error;
  } finally {
    kept.end();
    await releaseLane(deps.db, run.id).catch(() => deps.onUnreleased?.(run.id));
  }
}

async function deliver(deps: LaneDeps, run: HeldLane, signal: AbortSignal): Promise<LaneEnd['again']> {
  const begun = deps.now();
  let quietSince = begun;
  let state = await readState(deps.db, run.id);
  let stateAt = begun;
  let slept = false;
  let ask = nextAsk(deps, run.target, NOTHING_YET);
  // Until it has proved otherwise.
  let slow = true;
  let behind = false;
  let isOpen = false;
  while (!signal.aborted) {
    if (deps.now() - begun > run.runMs) return 'now';
    if (deps.now() - stateAt > STATE_MS) {
      state = { ...(await readState(deps.db, run.id)), cursor: state.cursor };
      stateAt = deps.now();
      slept = false;
    }
    if (state.probe_at) {
      const later = await probe(deps, run, { probeAt: state.probe_at, signal });
      if (later) return later;
      state = { ...state, probe_at: null };
      isOpen = true;
    } else if (!run.target.tested) {
      // An engine would silently create a missing index: nothing is sent to a destination that was not asked first.
      const circuit = await run.target.sink.test(signal);
      if (circuit) return await openCircuit(deps, run, circuit);
      await forgiveKillers(deps, run);
    }
    run.target.tested = true;
    const on = behind && deps.behind ? { ...deps, db: deps.behind } : deps;
    const next = await deliverNext(on, run, { state, ask, slow, signal });
    if (!next) break;
    const { end, more } = next;
    ask = nextAsk(deps, run.target, next);
    if (end) ({ slow } = next);
    behind = end !== undefined && more;
    if (end?.circuit) return await openCircuit(deps, run, end.circuit);
    if (end) run.target.failures = 0;
    if (isOpen && !signal.aborted) await closeCircuit(deps, run);
    isOpen = false;
    if (end) {
      failpoint('deliver/after-settle');
      if (end.pause) {
        await pauseForKillers(deps, run);
        return undefined;
      }
      quietSince = deps.now();
      // What failed may be due soon.
      if (end.kept || state.due) stateAt = 0;
      state = { ...state, cursor: end.cursor, due: false };
      // Whatever comes after a small batch was read wakes us.
      if (more || end.kept) continue;
    } else if (slept) {
      // Woken by something else than new messages: a retry, or the time of one.
      stateAt = 0;
      continue;
    }
    const quiet = deps.now() - quietSince;
    if (quiet >= run.lingerMs || deps.crowded?.() === true)
      return (await readState(deps.db, run.id)).next_due ?? undefined;
    await run.wake.wait(Math.min(run.lingerMs - quiet, untilDue(state, deps.now())), signal);
    slept = true;
  }
  return undefined;
}

const untilDue = (state: LaneState, now: number): number =>
  state.next_due === null ? Number.POSITIVE_INFINITY : Math.max(5, state.next_due.getTime() - now);

const NOTHING_YET: Batched = { bytes: 0, made: 0, cut: false };

interface Next extends Batched {
  end: BatchEnd | undefined;
  more: boolean;
  /** It took long until it was settled. */
  slow: boolean;
}

/** The next messages of the lane, if any. Undefined: the signal came first. */
async function deliverNext(
  deps: LaneDeps,
  run: HeldLane,
  at: { state: LaneState; ask: Ask; slow: boolean; signal: AbortSignal },
): Promise<Next | undefined> {
  const { state, ask, signal } = at;
  const taken = await take(deps, run, state);
  if (taken) {
    const end = taken.count > 0 ? { cursor: taken.hi, kept: false } : undefined;
    return { ...NOTHING_YET, end, more: taken.more, slow: false };
  }
  const by = { sinkNo: run.id.sinkNo, slow: at.slow, leastBytes: LEAST_BYTES + ask.leastRoom };
  const share = await deps.budget?.take(ask.bytes + ask.room, signal, by);
  if (deps.budget && !share) return undefined;
  try {
    const given = share?.bytes ?? ask.bytes + ask.room;
    const { rows, more } = await read(deps, run, { state, bytes: bytesToRead(ask, given) });
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
    const end = await deliverRows(deps, run, { rows, cursor: state.cursor, signal, room, onMade });
    const left = end.cut ?? 0;
    return {
      end,
      more: more || left > 0,
      bytes: bytes * (1 - left / rows.length),
      made,
      cut: left > 0,
      slow: deps.now() - begun > SLOW_MS,
    };
  } finally {
    share?.release();
  }
}
