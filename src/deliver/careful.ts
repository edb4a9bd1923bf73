/**
 * A lane whose worker died over it, whatever the reason (killed, out of memory, aborted), is taken up with care: what killed
 * it may be one of its messages, and would kill the next worker too. After the first death it goes in small batches, after
 * the second one message at a time, until everything is through that the fatal batch can have held; then it is trusted
 * again. A message over which three workers died while they had it alone is parked, without being read.
 *
 * Which message is alone is written down before it is read, and when it is settled, so that the next worker knows: a worker
 * that dies before it has begun with a message, or after it, is no death of that message. Only one lane of a worker goes
 * message by message at a time: if the worker dies, that one is what it died of, as far as it can be known. Who kills
 * workers from outside may meet a message twice; three times is no chance any more.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { Sink } from '../model/sink.ts';
import { failpoint } from '../runtime/failpoint.ts';
import type { HeldLane, LaneDeps, LaneRun } from './held-lane.ts';
import { deliverNext, type Next, NOTHING_YET } from './next.ts';
import { mostRows, nextAsk } from './read.ts';
import { LaneLost, type LaneState, settle } from './settle.ts';

const NEXT_ALONE = statement('deliver/next-alone');
const MARK_ALONE = statement('deliver/mark-alone');
const TRUST = statement('deliver/trust-lane');

/** Deaths that a message may see while it is alone. */
const ALONE_DEATHS = 3;

export interface Care {
  /** Messages of a batch. */
  limit: number;
  /** Messages until the lane is trusted again. */
  left: number;
}

/** Undefined: it is trusted. */
export function careOf(
  { sink, readsAhead }: { sink: Pick<Sink, 'batchSize' | 'within'>; readsAhead: boolean },
  deaths: number,
): Care | undefined {
  if (deaths === 0) return undefined;
  const full = mostRows(sink);
  const small = Math.ceil(Math.sqrt(full));
  return deaths === 1 ? { limit: small, left: readsAhead ? 2 * full : full } : { limit: 1, left: small };
}

/**
 * The next messages of the lane, with care, which is over when `left` is 0. Undefined: the signal came first.
 * @throws LaneLost, and when the message database is away
 */
export async function deliverCarefully(
  deps: LaneDeps,
  run: HeldLane,
  at: { state: LaneState; care: Care; slow: boolean; signal: AbortSignal },
): Promise<Next | undefined> {
  const { state, care, slow, signal } = at;
  let only: number | undefined;
  if (care.limit === 1) {
    const one = await nextAlone(deps.db, run, state.cursor);
    if (one && one.id === state.alone && state.alone_deaths >= ALONE_DEATHS) {
      return await parkCrashing(deps, run, { ...one, cursor: state.cursor });
    }
    only = one?.id;
  }
  const ask = nextAsk(deps, run.target, NOTHING_YET);
  const begin = async (): Promise<void> => {
    failpoint('deliver/before-alone');
    await mark(deps.db, run, { alone: only!, begun: true });
  };
  const alone = only === undefined ? {} : { only: { id: only, begin } };
  const next = await deliverNext(deps, run, { state, ask, slow, signal, limit: care.limit, ...alone });
  // Its death, if it dies while it waits for what comes next, is nobody's fault.
  if (only !== undefined) await mark(deps.db, run, { alone: only, begun: false });
  if (!next || signal.aborted || next.end?.circuit) return next;
  care.left = next.more ? Math.max(0, care.left - next.count) : 0;
  if (care.left === 0) await deps.db.query(TRUST, [run.id.sinkNo, run.id.lane, run.id.owner]);
  return next;
}

interface Alone {
  id: number;
  attempts: number;
}

async function nextAlone(db: Queryable, { id }: LaneRun, cursor: number): Promise<Alone | undefined> {
  const { rows } = await db.query<Alone>(NEXT_ALONE, [id.sinkNo, id.lane, cursor]);
  return rows[0];
}

/** `alone`: the message that the lane has for itself. @throws LaneLost */
async function mark(db: Queryable, { id }: LaneRun, at: { alone: number | null; begun: boolean }): Promise<void> {
  const { rowCount } = await db.query(MARK_ALONE, [id.sinkNo, id.lane, id.owner, at.alone, at.begun]);
  if (rowCount === 0) throw new LaneLost();
}

async function parkCrashing(deps: LaneDeps, run: HeldLane, one: Alone & { cursor: number }): Promise<Next> {
  const { id, attempts, cursor } = one;
  const error =
    `not delivered: ${ALONE_DEATHS} workers, one after the other, died while they handled this message alone. ` +
    'See the log and the memory of the worker at that time';
  const parked = {
    id,
    state: 'parked' as const,
    attempts: attempts + 1,
    delay_ms: 0,
    stage: 'send' as const,
    error,
    failure: {},
  };
  const hi = Math.max(id, cursor);
  await settle(deps.db, run.id, { lo: cursor, hi, settlement: { finished: [], remaining: [parked], superseding: [] } });
  run.events.onSettled(run.target, { done: 0, retried: 0, parked: 1, latencies: [] });
  deps.log.error({ sink: run.target.name, message: id }, 'parked: workers died while they handled this message alone');
  // Whoever puts it back has it tried again.
  await mark(deps.db, run, { alone: null, begun: false });
  return { ...NOTHING_YET, end: { cursor: hi, remains: true }, more: true, slow: false };
}
