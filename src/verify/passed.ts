/**
 * Waits until a sink has demonstrably passed everything that was committed in the source by now: capture has persisted
 * it, and no message of the sink of that time is still to be delivered. Parked messages are not waited for, and not those
 * that are held behind one. A sink that cannot get there says why at once; one that no longer moves, after a while.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import { parseLsn } from '../model/lsn.ts';

const PROGRESS = statement('verify/progress');
const MARK = statement('verify/mark');
const MOVE_ON = statement('verify/move-on');

export interface PassedDeps {
  messages: Queryable;
  source: Queryable;
  /** Rejects when the signal says so. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Milliseconds. */
  now(): number;
}

export interface PassedOptions {
  /** Without any progress for so long, it is given up. */
  patienceMs: number;
}

export interface SinkProgress {
  status: 'active' | 'paused' | 'disabled';
  circuit: string | null;
  circuit_error: string | null;
  /** Of capture. */
  state: string | null;
  reason: string | null;
  remedy: string | null;
  confirmed_lsn: string | null;
  /** No message that is persisted has this id or a higher one. */
  next_id: number | null;
  /** The oldest message that is still to be delivered. */
  first_id: number | null;
  first_error: string | null;
}

const POLL_MS = 50;
const SLOW_POLL_MS = 500;

/** @throws MillraceError with the reason and its remedy when the sink does not get there. */
export async function untilPassed(
  deps: PassedDeps,
  { sink, signal }: { sink: { no: number; name: string }; signal: AbortSignal },
  { patienceMs }: PassedOptions,
): Promise<void> {
  const mark = await markOf(deps.source);
  let upTo: number | undefined;
  let seen = '';
  let movedAt = deps.now();
  for (let polls = 0; ; polls += 1) {
    const progress = await progressOf(deps.messages, sink);
    const obstacle = obstacleOf(sink.name, progress);
    if (obstacle) throw obstacle;
    upTo ??= persistedUpTo(progress, mark);
    if (upTo !== undefined && (progress.first_id ?? upTo) >= upTo) return;
    const now = `${progress.confirmed_lsn} ${progress.first_id}`;
    if (now !== seen) movedAt = deps.now();
    seen = now;
    if (deps.now() - movedAt > patienceMs) throw stuck(sink.name, progress, patienceMs);
    await deps.sleep(polls < 40 ? POLL_MS : SLOW_POLL_MS, signal);
  }
}

/** Throws what keeps the sink from delivering, before anything is read. */
export async function ensureDelivering(messages: Queryable, sink: { no: number; name: string }): Promise<void> {
  const obstacle = obstacleOf(sink.name, await progressOf(messages, sink));
  if (obstacle) throw obstacle;
}

/** Behind everything that is committed now. A commit behind that makes capture say how far it is, without a heartbeat. */
async function markOf(source: Queryable): Promise<bigint> {
  const { rows } = await source.query<{ lsn: string }>(MARK);
  await source.query(MOVE_ON);
  return parseLsn(rows[0]!.lsn);
}

async function progressOf(messages: Queryable, sink: { no: number; name: string }): Promise<SinkProgress> {
  const { rows } = await messages.query<SinkProgress>(PROGRESS, [sink.no]);
  const [progress] = rows;
  if (progress) return progress;
  throw new MillraceError('not_found', `sink ${sink.name} was removed meanwhile`);
}

/**
 * Once capture has persisted everything up to the mark: the id below which all of its messages are. By ids and not by
 * LSNs, which run backwards when a source is restored, while messages of before still wait.
 */
export function persistedUpTo(progress: SinkProgress, mark: bigint): number | undefined {
  const { confirmed_lsn: confirmed, next_id: nextId, state } = progress;
  // After a gap the position is that of before, perhaps of a server that was further, until capture begins.
  if (state !== 'streaming') return undefined;
  return confirmed === null || nextId === null || parseLsn(confirmed) < mark ? undefined : nextId;
}

/** What no waiting changes. */
export function obstacleOf(name: string, progress: SinkProgress): MillraceError | undefined {
  const { status, circuit, circuit_error: error, state, reason, remedy } = progress;
  if (status !== 'active') {
    return new MillraceError('bad_request', `sink ${name} is ${status}, so its index does not follow the tables`, {
      remedy: `Set its status to active (millrace.resume('${name}') when it is paused), then verify.`,
    });
  }
  if (circuit !== null) {
    return new MillraceError('bad_destination', `sink ${name} cannot be delivered to (${circuit}): ${error}`, {
      remedy: 'Fix that first: its messages wait, and are delivered afterwards.',
    });
  }
  if (state === 'error' || state === 'needs_resync') {
    return new MillraceError('bad_source', `the source of sink ${name} is not captured (${state}): ${reason}`, {
      remedy: remedy ?? 'See millrace.database_status.',
    });
  }
  return undefined;
}

function stuck(name: string, progress: SinkProgress, patienceMs: number): MillraceError {
  const seconds = Math.round(patienceMs / 1000);
  const { state, first_id: first, first_error: error } = progress;
  if (state !== 'streaming') {
    return new MillraceError('unavailable', `the source of sink ${name} is not captured: it is ${state ?? 'unknown'}`, {
      remedy: 'Start the service (the role capture), and see millrace.database_status.',
    });
  }
  const why =
    first === null ? 'capture persists nothing' : `message ${first} waits${error === null ? '' : `: ${error}`}`;
  return new MillraceError('unavailable', `sink ${name} has made no progress for ${seconds} s: ${why}`, {
    remedy:
      'Is the service running (the roles capture and worker)? See millrace.sink_status and millrace.pending_messages.',
  });
}
