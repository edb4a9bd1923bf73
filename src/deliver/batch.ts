/**
 * One batch on its way: which of its messages may go, what the user's functions make of them, what the destination says,
 * and the settling of it all in one transaction. A destination in the message database is written in that transaction.
 */
import type { Queryable } from '../db/pool.ts';
import { messageOf } from '../model/errors.ts';
import { refusalText } from '../model/refusal.ts';
import type { Circuit } from '../model/sink.ts';
import { isUnavailable, isValueRefused, type ServerError } from '../model/sqlstate.ts';
import { failpoint } from '../runtime/failpoint.ts';
import { startWatch } from '../runtime/stages.ts';
import { upToUntried } from './crashing-messages.ts';
import { decide, type Stage, type Verdict } from './decide.ts';
import type { HeldLane, LaneDeps, LaneRun } from './held-lane.ts';
import { noteLeftBehind, placesBefore } from './places.ts';
import { hasFunctions, prepare, type ShapeOptions } from './prepare.ts';
import { groupsOf, type LaneRow } from './row.ts';
import { isTime, keepSample, settleTimed } from './sample.ts';
import { type Sent, send, upToLastTried } from './send.ts';
import { beforeCommit, isLost, LaneLost, settle } from './settle.ts';
import { countSettled } from './settled-counts.ts';
import type { LaneSink } from './target.ts';

export interface Batch {
  rows: readonly LaneRow[];
  cursor: number;
  signal: AbortSignal;
  /** Characters that its functions may make of it, at most. */
  room?: number;
  /** Hears how many they made of it. */
  onMade?(length: number): void;
  /** Somebody looks at messages on their way. */
  isWatched?: boolean;
}

export interface BatchEnd {
  cursor: number;
  /** Something failed, and comes again or is parked. */
  remains: boolean;
  /** For so many of its messages there was no room: they are to be read again. */
  cut?: number;
  /** So many of its messages were not sent: they are to be read again. */
  untried?: number;
  circuit?: Circuit;
  /** Its messages bring down the process that runs its functions. */
  pause?: boolean;
}

/**
 * Sends a batch and settles it. With a circuit nothing is settled that was not sent.
 * @throws LaneLost, and when the message database is away
 */
export async function deliverRows(deps: LaneDeps, run: HeldLane, batch: Batch): Promise<BatchEnd> {
  const { target } = run;
  const { decided, sendable } = sortOut(batch, target);
  let circuit: Circuit | undefined;
  let stage: Stage = 'shape';
  const watch = startWatch(deps.stages);
  try {
    const made = await prepare(deps.sandbox, sendable, shapeOptions(deps, run, batch));
    watch.lap(hasFunctions(target.functions) ? 'shape' : undefined);
    batch.onMade?.(made.length);
    const cut = sendable.length - made.prepared.length;
    const { prepared, pause } = upToUntried(made.prepared, target.crashes);
    const finish = async (db: Queryable, sent: Sent): Promise<BatchEnd> => {
      const tried = upToLastTried(sent.verdicts);
      for (let place = 0; place < tried.length; place += 1) decided.set(sendable[place]!, tried[place]!);
      const untried = prepared.length - tried.length;
      const unsure = prepared.filter(({ isUnsure }, place) => isUnsure && tried[place]?.kind === 'done');
      const rows = unsure.map(({ row }) => row);
      await noteLeftBehind(db, target.no, rows);
      return { ...(await settleRows(deps, run, { db, batch, decided })), pause, cut, untried };
    };
    const { within, batchSize, batchBytes } = target.sink;
    const limits = { batchSize, batchBytes, now: deps.now };
    const at = deps.now();
    const sample = async (sent: Sent): Promise<number | undefined> => {
      if (!batch.isWatched || !isTime(deps, run)) return undefined;
      const timed = { ...sent, at, tookMs: deps.now() - at };
      return await keepSample(deps, run, { prepared, shapeMs: made.tookMs, sent: timed });
    };
    if (within) {
      // Written and settled at once.
      stage = 'settle';
      const { sent, end } = await deps.db.transaction(async (tx) => {
        const sent = await send((deliveries) => within(tx, deliveries), prepared, limits);
        watch.lap('send');
        if (sent.circuit) throw new CircuitOpened(sent.circuit);
        const end = await finish(tx, sent);
        beforeCommit();
        return { sent, end };
      });
      watch.lap('settle');
      await sample(sent);
      return end;
    }
    stage = 'send';
    failpoint('deliver/before-send');
    const sent = await send(
      (deliveries) => {
        if (!run.hold.isSure()) throw new LaneLost();
        return target.sink.send(deliveries, batch.signal);
      },
      prepared,
      limits,
    );
    watch.lap('send');
    failpoint('deliver/after-send');
    ({ circuit } = sent);
    const sampled = await sample(sent);
    watch.lap();
    stage = 'settle';
    const settle = () => finish(deps.db, sent);
    const end = await settleTimed(deps, run, { id: sampled, settle, onSettled: () => watch.lap('settle') });
    return circuit ? { ...end, circuit } : end;
  } catch (error) {
    return await endOfFailed(deps, run, { batch, stage, error });
  }
}

function shapeOptions(deps: LaneDeps, { target, id }: HeldLane, { room }: Batch): ShapeOptions {
  const { no: sinkNo, functions, replaces, shapes, deleteOnLeave } = target;
  return {
    ...{ sinkNo, functions, replaces, deleteOnLeave, room, now: deps.now, holdsBack: !replaces && !shapes },
    placesBefore: (batch) => placesBefore(batch, { ...deps, id, functions }),
  };
}

/** Throws what is no fault of the destination. */
async function endOfFailed(
  deps: LaneDeps,
  run: HeldLane,
  { batch, stage, error }: { batch: Batch; stage: Stage; error: unknown },
): Promise<BatchEnd> {
  // The message database is away: there is nowhere to write it down.
  if (isLost(error) || (stage !== 'send' && isUnavailable(error))) throw error;
  const nothing = { cursor: batch.cursor, remains: false };
  if (batch.signal.aborted) return nothing;
  if (error instanceof CircuitOpened) return { ...nothing, circuit: error.circuit };
  if (stage === 'settle' && isValueRefused(error)) return await deliverParts(deps, run, { batch, error });
  deps.log.error({ sink: run.target.name, stage, err: error }, 'delivery failed');
  return { ...nothing, circuit: { reason: 'bad_destination', error: messageOf(error) } };
}

/** What may be sent, and what is decided without. */
function sortOut(
  { rows, cursor }: Batch,
  { replaces }: LaneSink,
): { decided: Map<LaneRow, Verdict>; sendable: LaneRow[] } {
  const decided = new Map<LaneRow, Verdict>();
  const sendable: LaneRow[] = [];
  // A changed key that is held holds back what comes under the other key.
  const held = new Set<number>();
  const isHeld = (row: LaneRow): boolean =>
    (row.behind && !(replaces && !row.partial)) ||
    (!replaces && held.size > 0 && groupsOf(row).some((group) => held.has(group)));
  for (const row of rows) {
    if (row.id > cursor && row.state === 'parked') decided.set(row, { kind: 'as_it_was' });
    else if (isHeld(row)) {
      decided.set(row, { kind: 'held' });
      for (const group of groupsOf(row)) held.add(group);
    } else sendable.push(row);
  }
  return { decided, sendable };
}

/**
 * Settling was refused for a value that one of the messages brings: the halves, down to that message, which is parked.
 * What is sent again on the way is sent for the same ids.
 */
async function deliverParts(
  deps: LaneDeps,
  run: HeldLane,
  { batch, error }: { batch: Batch; error: ServerError },
): Promise<BatchEnd> {
  const { rows } = batch;
  if (rows.length === 1) {
    const parked: Verdict = { kind: 'park', error: refusalText(error), stage: 'settle' };
    return await settleRows(deps, run, { db: deps.db, batch, decided: new Map([[rows[0]!, parked]]) });
  }
  const half = rows.slice(0, rows.length >> 1);
  const first = await deliverRows(deps, run, { ...batch, rows: half });
  // A cursor beyond a message that has no verdict would lose it.
  const isWhole = half.every(({ id }) => id <= first.cursor);
  if (first.circuit || first.pause || !isWhole || batch.signal.aborted) {
    return { ...first, cut: (first.cut ?? 0) + rows.length - half.length };
  }
  const rest = { ...batch, cursor: first.cursor, rows: rows.slice(half.length) };
  const second = await deliverRows(deps, run, rest);
  return { ...second, remains: first.remains || second.remains };
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
  if (settled.length === 0) return { cursor, remains: false };
  const settlement = decide(settled, verdicts, {
    maxRetryCount: run.target.maxRetryCount,
    replaces: run.target.replaces,
    random: deps.random,
  });
  await settle(what.db, run.id, { lo: cursor, hi, settlement });
  run.events.onSettled(run.target, countSettled({ rows: settled, verdicts, settlement }, deps.now()));
  return { cursor: hi, remains: settlement.remaining.length > 0 };
}
