/**
 * One lane of one sink, for a short while: takes it, delivers what waits, settles each batch in one transaction, and gives
 * it back. Messages leave in order; a failed one holds back later ones of its row, unless a later one replaces it.
 *
 * Dies the process before settling: the batch is sent again (ids are its versions, so an index is not turned back). After
 * settling: nothing is repeated. A stopped lane settles what it knows and counts no attempt for what it does not.
 */
import type { Database, Queryable } from '../db/pool.ts';
import { messageOf } from '../model/errors.ts';
import type { Circuit, Sink } from '../model/sink.ts';
import { isUnavailable } from '../model/unavailable.ts';
import { failpoint } from '../runtime/failpoint.ts';
import type { Log } from '../runtime/log.ts';
import type { FunctionSet, Sandbox } from '../transform/sandbox.ts';
import type { ReadBudget } from './budget.ts';
import { openCircuit, probe } from './circuit.ts';
import { decide, type Verdict } from './decide.ts';
import { forgiveKillers, pauseForKillers, upToUntried } from './killers.ts';
import { bytesOf, nextBytes, read } from './read.ts';
import type { LaneRow } from './row.ts';
import { type Sent, send } from './send.ts';
import {
  isLost,
  keepLane,
  LANE_TTL_MS,
  type LaneId,
  type LaneState,
  readState,
  releaseLane,
  settle,
  takeLane,
} from './settle.ts';
import { prepare } from './shape.ts';
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
}

export interface LaneDeps {
  db: Database;
  sandbox: Sandbox;
  log: Log;
  now: () => number;
  random: () => number;
  /** The circuit of this sink has closed: its other lanes may go on. */
  onRecovered(sinkNo: number): void;
  onSettled(sink: LaneSink, counts: { done: number; failed: number }): void;
  /** What all lanes together may have in memory; absent: as much as they like. */
  budget?: ReadBudget;
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

/** When to run again: a time, at once, or when there is news. `taken`: false when somebody else had the lane. */
export interface LaneEnd {
  taken: boolean;
  again: Date | 'now' | undefined;
}

const STATE_MS = 250;

export async function runLane(deps: LaneDeps, run: LaneRun, signal: AbortSignal): Promise<LaneEnd> {
  if (signal.aborted || !(await takeLane(deps.db, run.id))) return { taken: false, again: undefined };
  const lost = new AbortController();
  const beat = setInterval(() => {
    keepLane(deps.db, run.id).then(
      (kept) => kept || lost.abort(),
      () => undefined,
    );
  }, LANE_TTL_MS / 3);
  try {
    return { taken: true, again: await deliver(deps, run, AbortSignal.any([signal, lost.signal])) };
  } catch (error) {
    if (isLost(error)) return { taken: false, again: undefined };
    throw error;
  } finally {
    clearInterval(beat);
    await releaseLane(deps.db, run.id).catch(() => deps.onUnreleased?.(run.id));
  }
}

async function deliver(deps: LaneDeps, run: LaneRun, signal: AbortSignal): Promise<LaneEnd['again']> {
  const begun = deps.now();
  let quietSince = begun;
  let state = await readState(deps.db, run.id);
  let stateAt = begun;
  let slept = false;
  let readBytes = nextBytes(0);
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
    } else if (!run.target.tested) {
      // An engine would silently create a missing index: nothing is sent to a destination that was not asked first.
      const circuit = await run.target.sink.test(signal);
      if (circuit) return await openCircuit(deps, run, circuit);
      await forgiveKillers(deps, run);
    }
    run.target.tested = true;
    const next = await deliverNext(deps, run, { state, bytes: readBytes, signal });
    if (!next) break;
    const { end, more } = next;
    readBytes = nextBytes(next.bytes);
    if (end) {
      failpoint('deliver/after-settle');
      if (end.circuit) return await openCircuit(deps, run, end.circuit);
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
    if (quiet >= run.lingerMs) return (await readState(deps.db, run.id)).next_due ?? undefined;
    await run.wake.wait(Math.min(run.lingerMs - quiet, untilDue(state, deps.now())), signal);
    slept = true;
  }
  return undefined;
}

const untilDue = (state: LaneState, now: number): number =>
  state.next_due === null ? Number.POSITIVE_INFINITY : Math.max(5, state.next_due.getTime() - now);

/** The next messages of the lane, if any. `bytes`: what was read of them. Undefined: the signal came first. */
async function deliverNext(
  deps: LaneDeps,
  run: LaneRun,
  at: { state: LaneState; bytes: number; signal: AbortSignal },
): Promise<{ end: BatchEnd | undefined; more: boolean; bytes: number } | undefined> {
  const { state, signal } = at;
  const taken = await take(deps, run, state);
  if (taken) {
    const end = taken.count > 0 ? { cursor: taken.hi, kept: false } : undefined;
    return { end, more: taken.more, bytes: 0 };
  }
  const share = await deps.budget?.take(at.bytes, signal);
  if (deps.budget && !share) return undefined;
  try {
    const { rows, more } = await read(deps, run, at);
    const bytes = bytesOf(rows);
    share?.resize(bytes);
    const end = rows.length > 0 ? await deliverRows(deps, run, { rows, cursor: state.cursor, signal }) : undefined;
    return { end, more, bytes };
  } finally {
    share?.release();
  }
}

interface Batch {
  rows: readonly LaneRow[];
  cursor: number;
  signal: AbortSignal;
}

interface BatchEnd {
  cursor: number;
  /** Something failed, and comes again or is parked. */
  kept: boolean;
  circuit?: Circuit;
  /** Its messages bring down the process that runs its functions. */
  pause?: boolean;
}

async function deliverRows(deps: LaneDeps, run: LaneRun, batch: Batch): Promise<BatchEnd> {
  const { target } = run;
  const decided = new Map<LaneRow, Verdict>();
  const sendable: LaneRow[] = [];
  for (const row of batch.rows) {
    if (row.id > batch.cursor && row.state === 'parked') decided.set(row, { kind: 'as_it_was' });
    else if (row.behind && !(target.replaces && !row.partial)) decided.set(row, { kind: 'held' });
    else sendable.push(row);
  }
  let circuit: Circuit | undefined;
  let settling = false;
  try {
    const shaped = await prepare(deps.sandbox, sendable, {
      functions: target.functions,
      search: target.replaces,
      deleteOnLeave: target.deleteOnLeave,
    });
    const { prepared, pause } = upToUntried(shaped, target.killers);
    const finish = async (db: Queryable, sent: Sent): Promise<BatchEnd> => {
      for (const [place, verdict] of sent.verdicts.entries()) {
        // Cut off by our own stop: not tried, so it stays as it was.
        if (verdict.kind === 'wait' && batch.signal.aborted) break;
        decided.set(sendable[place]!, verdict);
      }
      return { ...(await settleRows(deps, run, { db, batch, decided })), pause };
    };
    const { within } = target.sink;
    if (within) {
      settling = true;
      return await deps.db.transaction(async (tx) => {
        const sent = await send((deliveries) => within(tx, deliveries), prepared, target.sink);
        if (sent.circuit) throw new CircuitOpened(sent.circuit);
        const end = await finish(tx, sent);
        failpoint('deliver/before-commit');
        return end;
      });
    }
    const sent = await send((deliveries) => target.sink.send(deliveries, batch.signal), prepared, target.sink);
    failpoint('deliver/after-send');
    ({ circuit } = sent);
    settling = true;
    const end = await finish(deps.db, sent);
    return circuit ? { ...end, circuit } : end;
  } catch (error) {
    // The message database is away: not the destination's fault, and there is nowhere to write it down.
    if (isLost(error) || (settling && isUnavailable(error))) throw error;
    const nothing = { cursor: batch.cursor, kept: false };
    if (batch.signal.aborted) return nothing;
    if (error instanceof CircuitOpened) return { ...nothing, circuit: error.circuit };
    deps.log.error({ sink: target.name, err: error }, 'delivery failed');
    return { ...nothing, circuit: { reason: 'bad_destination', error: messageOf(error) } };
  }
}

/** Carries a circuit out of a transaction that must be rolled back. */
class CircuitOpened extends Error {
  readonly circuit: Circuit;
  constructor(circuit: Circuit) {
    super(circuit.error);
    this.circuit = circuit;
  }
}

/** Settles every message up to the first new one without a verdict. */
async function settleRows(
  deps: LaneDeps,
  run: LaneRun,
  what: { db: Queryable; batch: Batch; decided: ReadonlyMap<LaneRow, Verdict> },
): Promise<BatchEnd> {
  const { rows, cursor } = what.batch;
  const settled: LaneRow[] = [];
  const verdicts: Verdict[] = [];
  let hi = cursor;
  for (const row of rows) {
    const verdict = what.decided.get(row);
    if (row.id > cursor && verdict === undefined) break;
    if (verdict === undefined) continue;
    settled.push(row);
    verdicts.push(verdict);
    if (row.id > hi) hi = row.id;
  }
  if (settled.length === 0) return { cursor, kept: false };
  const settlement = decide(settled, verdicts, {
    maxRetryCount: run.target.maxRetryCount,
    replaces: run.target.replaces,
    random: deps.random,
  });
  await settle(what.db, run.id, { lo: cursor, hi, settlement });
  const failed = settlement.kept.length;
  deps.onSettled(run.target, { done: settled.length - failed, failed });
  return { cursor: hi, kept: failed > 0 };
}
