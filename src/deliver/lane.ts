/**
 * One lane of one sink, for a short while: takes it, delivers what waits, settles each batch in one transaction, and gives
 * it back. Messages leave in order; a failed one holds back later ones of its row, unless a later one replaces it.
 *
 * Dies the process before settling: the batch is sent again (ids are its versions, so an index is not turned back). After
 * settling: nothing is repeated. A stopped lane settles what it knows and counts no attempt for what it does not.
 */

import { failpoint } from '../runtime/failpoint.ts';
import { createAhead } from './ahead.ts';
import { type Care, careOf, deliverCarefully } from './careful.ts';
import { closeCircuit, openCircuit, probe } from './circuit.ts';
import { pauseForCrashes } from './crashing-messages.ts';
import { createHeartbeat } from './heartbeat.ts';
import type { HeldLane, LaneDeps, LaneEnd, LaneRun } from './held-lane.ts';
import { deliverNext, type Next, NOTHING_YET } from './next.ts';
import { forgive, pauseForGone } from './pause.ts';
import { nextAsk } from './read.ts';
import { isLost, type LaneState, readState, releaseLane, takeLane } from './settle.ts';

const STATE_MS = 250;
/** Who is woken for nothing looks at the state of his lane, unless he did just now: news come with each batch, and most are of other lanes. */
const RECENT_MS = 100;
/** Until another lane that goes message by message may be through. */
const TURN_MS = 250;

export async function runLane(deps: LaneDeps, run: LaneRun, signal: AbortSignal): Promise<LaneEnd> {
  const heartbeat = deps.heartbeat ?? createHeartbeat(deps.db);
  const since = heartbeat.clock();
  if (signal.aborted || run.leaving?.aborted || !(await takeLane(deps.db, run.id, heartbeat.session())))
    return { taken: false, again: undefined };
  const lost = new AbortController();
  const hold = heartbeat.hold(run.id, { since, onLost: () => lost.abort() });
  const ahead = createAhead();
  try {
    const again = await deliver(
      deps,
      { ...run, hold, ahead, clock: heartbeat.clock },
      AbortSignal.any([signal, lost.signal]),
    );
    return { taken: true, again: lost.signal.aborted ? 'now' : again };
  } catch (error) {
    if (isLost(error)) return { taken: true, again: 'now' };
    throw error;
  } finally {
    hold.end();
    ahead.drop();
    await releaseLane(deps.db, run.id).catch(() => run.events.onUnreleased(run.id));
  }
}

async function deliver(deps: LaneDeps, run: HeldLane, signal: AbortSignal): Promise<LaneEnd['again']> {
  const state = await readState(deps.db, run.id);
  const care = careOf(run.target, state.deaths);
  if (!care) return await deliverAll(deps, run, { state, care, signal });
  const { deaths } = state;
  // Of a lane that is at it for long, one line for each death, not one for each of its jobs.
  const fields = { sink: run.target.name, lane: run.id.lane, reason: `deaths: ${deaths}`, batch: care.limit };
  deps.log.warn(fields, 'a worker died over this lane: it is taken up with care');
  if (care.limit > 1) return await deliverAll(deps, run, { state, care, signal });
  const { turn } = run.limits;
  const end = turn ? turn.take() : () => undefined;
  if (!end) return new Date(state.now.getTime() + TURN_MS);
  try {
    return await deliverAll(deps, run, { state, care, signal, onTrusted: end });
  } finally {
    end();
  }
}

async function deliverAll(
  deps: LaneDeps,
  run: HeldLane,
  from: { state: LaneState; care: Care | undefined; signal: AbortSignal; onTrusted?: () => void },
): Promise<LaneEnd['again']> {
  const { signal } = from;
  const { clock } = run;
  let { state, care } = from;
  const begun = clock();
  let [quietSince, stateAt, readAt] = [begun, begun, begun];
  let slept = false;
  let ask = nextAsk(deps, run.target, NOTHING_YET);
  // Until it has proved otherwise.
  let slow = true;
  let behind = false;
  let isOpen = false;
  while (!signal.aborted && !run.leaving?.aborted) {
    if (clock() - begun > run.limits.runMs) return 'now';
    if (clock() - stateAt > STATE_MS) {
      state = { ...(await readState(deps.db, run.id)), cursor: state.cursor };
      stateAt = clock();
      readAt = stateAt;
      slept = false;
    }
    const notReady = await notReadyUntil(deps, run, { state, signal });
    if (notReady) return notReady;
    isOpen ||= state.probe_at !== null;
    state = { ...state, probe_at: null };
    const on: LaneDeps = behind && deps.behind ? { ...deps, db: deps.behind } : deps;
    const next: Next | undefined = care
      ? await deliverCarefully(on, run, { state, care, slow, signal })
      : await deliverNext(on, run, { state, ask, slow, signal });
    if (!next) break;
    const { end, more } = next;
    if (care) stateAt = 0;
    if (care?.left === 0) {
      care = undefined;
      // Others wait for the turn: what comes now, or does not come, is no reason to keep it.
      from.onTrusted?.();
    }
    ask = nextAsk(deps, run.target, { ...next, ask });
    if (end) ({ slow } = next);
    behind = end !== undefined && more;
    if (end?.circuit?.isGone) {
      await pauseForGone(deps, run, end.circuit);
      return undefined;
    }
    if (end?.circuit) return await openCircuit(deps, run, end.circuit);
    if (end) run.target.failures = 0;
    if (isOpen && !signal.aborted) await closeCircuit(deps, run);
    isOpen = false;
    if (end) {
      failpoint('deliver/after-settle');
      if (end.pause) {
        await pauseForCrashes(deps, run);
        return undefined;
      }
      quietSince = clock();
      // What failed may be due soon.
      if (end.remains || state.due) stateAt = 0;
      state = { ...state, cursor: end.cursor, due: false };
      // Whatever comes after a small batch was read wakes us.
      if (more || end.remains) continue;
    } else if (more || (slept && clock() - stateAt >= RECENT_MS)) {
      // Woken by something else than new messages: a retry, or the time of one.
      stateAt = 0;
      continue;
    }
    const quiet = clock() - quietSince;
    if (quiet >= run.limits.lingerMs || run.limits.crowded?.() === true)
      return (await readState(deps.db, run.id)).next_due ?? undefined;
    const untilLook = !end && slept ? RECENT_MS - (clock() - stateAt) : Number.POSITIVE_INFINITY;
    await run.news.wait(Math.min(run.limits.lingerMs - quiet, untilDue(state, clock() - readAt), untilLook), signal);
    slept = true;
  }
  return undefined;
}

/** When to come again; undefined: the destination is ready. */
async function notReadyUntil(
  deps: LaneDeps,
  run: HeldLane,
  { state, signal }: { state: LaneState; signal: AbortSignal },
): Promise<Date | undefined> {
  if (state.probe_at) {
    const later = await probe(deps, run, { probeAt: state.probe_at, now: state.now, signal });
    if (later) return later;
  } else if (!run.target.tested) {
    // An engine would silently create a missing index: nothing is sent to a destination that was not asked first.
    const circuit = await run.target.sink.test(signal);
    if (circuit) return await openCircuit(deps, run, circuit);
    await forgive(deps, run);
  }
  run.target.tested = true;
  return undefined;
}

/** Milliseconds; `ageMs`: how old the state is. */
const untilDue = ({ next_due, now }: LaneState, ageMs: number): number =>
  next_due === null ? Number.POSITIVE_INFINITY : Math.max(5, next_due.getTime() - now.getTime() - ageMs);
