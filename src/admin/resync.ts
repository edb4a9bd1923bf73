/**
 * Repairs a source whose changes were missed, step by step: accepts the gap, waits until capture streams again, watches the
 * rows being sent to the search indexes and delivered, and has each search index verified and repaired, which removes the
 * documents of rows that were deleted meanwhile. All but the last step happens without this too; called again after it was
 * interrupted, it goes on watching.
 */
import type { Database, Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import { millrace } from '../model/quote.ts';
import { failpoint } from '../runtime/failpoint.ts';
import { type Look, readWatched, type WatchDeps, type Watched, watchBackfills } from './watched.ts';

const STATE = statement('admin/resync-state');
const RESYNC = statement('admin/resync');
const LAST_ID = statement('admin/last-id');
const UNDELIVERED = statement('admin/undelivered');

const LOOK_MS = 500;
/** Capture may say once more what it saw before the gap was accepted. */
const MISSED_MS = 30_000;
/** Messages that wait; the statement counts no more. */
const COUNTED = 10_000;

export interface ResyncSink {
  no: number;
  name: string;
  receivable: boolean;
  takes_rows: boolean;
  readable: boolean;
}

export interface ResyncState {
  name: string;
  state: string | null;
  reason: string | null;
  remedy: string | null;
  sinks: ResyncSink[];
  open_ids: string[];
  /** An operation that was asked for has not ended. */
  is_asked: boolean;
}

export interface ResyncDeps extends WatchDeps {
  /** Accepts the gap, or takes it up where it is: the ids of its backfills. */
  begin(state: ResyncState): Promise<readonly string[]>;
  /** Compares and repairs one search index. True: it is what its tables are. */
  verify(sink: ResyncSink): Promise<boolean>;
  onStep(step: ResyncStep): void;
}

export type ResyncStep =
  | { step: 'waiting'; database: string; state: string | null; why: string }
  | { step: 'streaming'; database: string }
  | { step: 'filling'; look: Look }
  | { step: 'filled'; watched: Watched }
  | { step: 'delivering'; sinks: readonly Undelivered[] }
  /** Of a change table, the changes of the gap are lost; clients of a pull consumer take their time. */
  | { step: 'changes_lost' | 'left_to_clients' | 'verifying' | 'not_verified'; sink: string };

export interface Undelivered {
  sink: string;
  /** Messages. */
  waiting: number;
  /** There are more than were counted. */
  isMore: boolean;
  status: string;
  /** Of the sink's circuit. */
  circuit: string | null;
  error: string | null;
}

export interface ResyncRequest {
  database: string;
  verify: boolean;
  /** Also when nothing is known to be missing. */
  force: boolean;
}

/** `left`: whoever watched has gone. @throws MillraceError not_found; what `begin` throws. */
export async function resync(deps: ResyncDeps, request: ResyncRequest, signal: AbortSignal): Promise<Watched['ended']> {
  const before = await resyncState(deps.db, request.database);
  const ids = await deps.begin(before);
  failpoint('resync/after-begin');
  const refuseMissed = untilMissed(deps, before.name);
  if (!(await untilStreaming(deps, { database: before.name, refuseMissed }, signal))) return 'left';
  const sent = await untilSent(deps, { state: before, ids, refuseMissed }, signal);
  if (sent === 'left' || !(await untilDelivered(deps, before, signal))) return 'left';
  let isGood = sent === 'done';
  for (const one of before.sinks) {
    const { name: sink, receivable, takes_rows, readable } = one;
    if (!takes_rows) deps.onStep({ step: 'changes_lost', sink });
    else if (receivable) deps.onStep({ step: 'left_to_clients', sink });
    else if (!readable) continue;
    else if (!request.verify) deps.onStep({ step: 'not_verified', sink });
    else {
      deps.onStep({ step: 'verifying', sink });
      if (!(await deps.verify(one))) isGood = false;
      if (signal.aborted) return 'left';
    }
  }
  return isGood ? 'done' : 'failed';
}

/** @throws MillraceError not_found. */
export async function resyncState(db: Queryable, database: string): Promise<ResyncState> {
  const { rows } = await db.query<ResyncState>(STATE, [database]);
  if (rows[0]) return rows[0];
  throw new MillraceError('not_found', `there is no database ${database}`, {
    remedy: 'select database_name, state from millrace.database_status',
  });
}

/** One that was asked for before has not ended: its backfills are under way. */
export const isUnderWay = ({ state, open_ids }: ResyncState): boolean =>
  open_ids.length > 0 && state !== 'needs_resync';

/** @throws MillraceError wrong_state: nothing is known to be missing, and nobody insists. */
export function refuseNeedless(state: ResyncState, { force }: Pick<ResyncRequest, 'force'>): void {
  if (state.state === 'needs_resync' || force || state.is_asked || isUnderWay(state)) return;
  const message = `database ${state.name} needs no resync: it is ${state.state ?? 'not captured'}`;
  // It may have been interrupted when all rows were sent.
  const index = state.sinks.find(({ readable }) => readable)?.name;
  const compare =
    index === undefined ? '' : `Were the indexes not compared after one: bin/millrace verify ${index} --repair. `;
  throw new MillraceError('wrong_state', message, {
    facts: { state: state.state ?? 'none' },
    remedy: `${compare}To send all rows anyway: bin/millrace resync ${state.name} --force`,
  });
}

/** Accepts the gap, and asks for all rows; the ids of the backfills. */
export async function acceptAndSend(db: Queryable, { name }: ResyncState, force: boolean): Promise<string[]> {
  return (await db.query<{ id: string }>(RESYNC, [name, force])).rows.map(({ id }) => id);
}

type RefuseMissed = (state: string | null, reason: string | null) => void;

/** Throws when changes have been missed again for a while: what was asked for repairs the former gap alone, and waits for good. */
function untilMissed(deps: ResyncDeps, database: string): RefuseMissed {
  let since: number | undefined;
  return (state, reason) => {
    since = state === 'needs_resync' ? (since ?? deps.now()) : undefined;
    if (since === undefined || deps.now() - since < MISSED_MS) return;
    throw new MillraceError('bad_source', `changes of ${database} were missed again meanwhile: ${reason}`, {
      remedy: `Begin another one: ${millrace('resync', database)}`,
    });
  };
}

/** What keeps capture from it is shown for as long as it does. False: whoever watched has gone. */
async function untilStreaming(
  deps: ResyncDeps,
  { database, refuseMissed }: { database: string; refuseMissed: RefuseMissed },
  signal: AbortSignal,
): Promise<boolean> {
  while (!signal.aborted) {
    const { state, reason, remedy } = await resyncState(deps.db, database);
    refuseMissed(state, reason);
    if (state === 'streaming') {
      deps.onStep({ step: 'streaming', database });
      return true;
    }
    const why = [reason, remedy].filter((text) => text !== null).join('; ');
    deps.onStep({ step: 'waiting', database, state, why });
    await deps.sleep(LOOK_MS, signal);
  }
  return false;
}

const isPushed = ({ takes_rows, receivable }: ResyncSink): boolean => takes_rows && !receivable;

/** To the search indexes; clients of a pull consumer take their time. */
async function untilSent(
  deps: ResyncDeps,
  { state, ids, refuseMissed }: { state: ResyncState; ids: readonly string[]; refuseMissed: RefuseMissed },
  signal: AbortSignal,
): Promise<Watched['ended']> {
  const backfills = await readWatched(deps.db, ids);
  const pushed = new Set(state.sinks.filter(isPushed).map(({ name }) => name));
  const own = ids.filter((id) => backfills.some((one) => one.id === id && pushed.has(one.sink_name)));
  if (own.length === 0) return 'done';
  const onLook = (look: Look): void => {
    const [row] = look.rows;
    if (row) refuseMissed(row.capture_state, row.capture_reason);
    deps.onStep({ step: 'filling', look });
  };
  const watched = await watchBackfills(deps, { ids: own, onLook }, signal);
  deps.onStep({ step: 'filled', watched });
  return watched.ended;
}

/** What was there by now, by the search indexes. False: whoever watched has gone. */
async function untilDelivered(deps: ResyncDeps, state: ResyncState, signal: AbortSignal): Promise<boolean> {
  const { rows } = await deps.db.query<{ next_id: number }>(LAST_ID, [state.name]);
  const before = rows[0]?.next_id ?? 0;
  const pushed = state.sinks.filter(isPushed);
  while (!signal.aborted) {
    const looks = await Promise.all(pushed.map((sink) => undelivered(deps.db, sink, before)));
    const sinks = looks.filter(({ waiting }) => waiting > 0);
    deps.onStep({ step: 'delivering', sinks });
    if (sinks.length === 0) return true;
    await deps.sleep(LOOK_MS, signal);
  }
  return false;
}

async function undelivered(db: Database, { no, name }: ResyncSink, before: number): Promise<Undelivered> {
  const { rows } = await db.query<Omit<Undelivered, 'sink' | 'isMore'>>(UNDELIVERED, [no, before]);
  const found = rows[0] ?? { waiting: 0, status: 'active', circuit: null, error: null };
  return { sink: name, ...found, isMore: found.waiting >= COUNTED };
}
