/**
 * Captures one database: checks it, makes slot and publication when asked, takes over the position (which fences every
 * older capture), and streams until something ends it. It never gives up: what ended it is a state that a person can read
 * in millrace.database_status, with the remedy, and it tries again. Somebody else on the slot means: stand by, quietly.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isSaidBy, openPool } from '../db/pool.ts';
import { refuseSharedSessions } from '../db/pooler.ts';
import { optionsOf } from '../db/tls.ts';
import { type CaptureBeats, openCaptureBeats } from '../messages/beat.ts';
import { type CaptureState, isStreaming, losePublication, setCaptureState } from '../messages/position.ts';
import { connectionFault, DECLARED_DATABASE, MESSAGE_DATABASE } from '../model/connection-fault.ts';
import { MillraceError } from '../model/errors.ts';
import { withoutValues } from '../model/refusal.ts';
import { remedyForCapture } from '../model/remedies.ts';
import {
  isDiskFull,
  isFenced,
  isInUse,
  isStaleCatalog,
  isUnconvertible,
  isWithoutPublication,
} from '../model/sqlstate.ts';
import { backoffMs, RECONNECT } from '../runtime/backoff.ts';
import { failpoint } from '../runtime/failpoint.ts';
import type { CaptureDeps, CapturedDatabase } from './method.ts';
import { notePartitions } from './partition-notices.ts';
import { GapError, SlotInUseError } from './replication/prepare.ts';
import { type StreamInput, stream } from './replication/stream.ts';
import { isStuck } from './replication/unsendable.ts';
import { openWay } from './switch/open-way.ts';
import { noteAdded, noteTables } from './table-notices.ts';
import { ReaderThereError } from './triggers/stream.ts';

const STANDBY_MS = 2_000;
/** Tries, in less than a second, by which another capture of ours that has begun has said so. */
const FOREIGN_AFTER = 4;
const GAP_RECHECK_MS = 2_000;
/** Creating a slot waits for open transactions as long. */
const STATEMENT_MS = 15_000;

const LATE = 'the stream has ended, but capture cannot let go of what belongs to it: nothing is captured';
const LATE_REMEDY =
  'Restart the capture process: nothing is lost by that. Its log says what ended the stream, if anything did.';

/** A try that lasted as long as this was no failure to begin: the next one comes at once. */
const STEADY_MS = 5_000;

/** Runs until the signal, or until the database is not in the catalog any more. Rejects never. */
export async function captureDatabase(deps: CaptureDeps, databaseNo: number, signal: AbortSignal): Promise<void> {
  const beats = openCaptureBeats(deps.messages, databaseNo);
  await captureAlways(deps, { databaseNo, signal, beats }).finally(() => beats.end());
}

async function captureAlways(
  deps: CaptureDeps,
  { databaseNo, signal, beats }: { databaseNo: number; signal: AbortSignal; beats: CaptureBeats },
): Promise<void> {
  let failures = 0;
  let unconvertible = false;
  let stuck = false;
  /** Of its last stream. */
  let generation: number | undefined;
  const onTaken = (taken: number, behindMs: () => number | null): void => {
    generation = taken;
    beats.go(taken, behindMs);
  };
  while (!signal.aborted) {
    const begun = performance.now();
    let waitMs: number;
    try {
      const database = await deps.current();
      if (!database) return;
      const onLate = (): void => {
        deps.log.error({ remedy: LATE_REMEDY }, LATE);
        void show(deps, { databaseNo, generation }, { state: 'error', reason: LATE, remedy: LATE_REMEDY });
      };
      await captureOnce(deps, database, { signal, onTaken, onLate, unconvertible, stuck });
      failures = 0;
      stuck = false;
      waitMs = 0;
    } catch (error) {
      if (!unconvertible && isUnconvertible(error)) {
        unconvertible = true;
        continue;
      }
      if (performance.now() - begun > STEADY_MS) failures = 0;
      failures += 1;
      stuck = isStuck(error) || isDiskFull(error);
      waitMs = await explain(deps, databaseNo, { error, failures, generation, beats });
    }
    await sleep(waitMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Says what happened where people look, and how long to wait. */
async function explain(
  deps: CaptureDeps,
  databaseNo: number,
  what: { error: unknown; failures: number; generation: number | undefined; beats: CaptureBeats },
): Promise<number> {
  const { error, failures, generation, beats } = what;
  const wait = backoffMs(failures, RECONNECT, Math.random());
  if (isStaleCatalog(error)) return 0;
  const isHeld = error instanceof ReaderThereError || error instanceof SlotInUseError;
  // The state that people see is of whoever streams, so another capture of ours is left to say how it is.
  if (isInUse(error) || isFenced(error) || (isHeld && (await isOurs(deps, databaseNo, { error, failures })))) {
    beats.hold();
    deps.log.debug('another capture has this database: this one stands by');
    // At first it may be our own stream of a moment ago.
    return Math.min(STANDBY_MS, 50 * 2 ** Math.min(failures, 10));
  }
  if (isWithoutPublication(error) && generation !== undefined) {
    // The next look says what has become of it.
    await losePublication(deps.messages, { databaseNo, generation }).catch(() => undefined);
    return wait;
  }
  const shown = async (what: Shown): Promise<boolean> => await show(deps, { databaseNo, generation }, what);
  beats.go();
  if (isHeld) {
    if (await shown({ state: 'standby', reason: error.message, remedy: error.remedy }))
      deps.log.warn({}, error.message);
    return STANDBY_MS;
  }
  if (error instanceof GapError) {
    if (await shown({ state: 'needs_resync', reason: error.message, remedy: error.remedy }))
      deps.log.error({ remedy: error.remedy }, error.message);
    return deps.recheckMs ?? GAP_RECHECK_MS;
  }
  deps.log.warn({ failures, wait_ms: wait, err: error }, 'capture interrupted');
  await shown({ state: 'error', ...told(deps, error) });
  return wait;
}

interface Shown {
  state: CaptureState;
  reason: string;
  remedy?: string | undefined;
}

/** `generation`: of its last stream. False: it was so before, or another capture streams meanwhile. */
async function show(
  { messages }: CaptureDeps,
  { databaseNo, generation }: { databaseNo: number; generation: number | undefined },
  what: Shown,
): Promise<boolean> {
  // Another capture may stream meanwhile: how that one is matters.
  const unlessStreaming = what.state === 'error' ? { own: generation } : undefined;
  return await setCaptureState(messages, databaseNo, { ...what, unlessStreaming }).catch(() => true);
}

/** In words, and what to do about it. What the message database says is not taken for the source's. */
function told({ messages }: CaptureDeps, error: unknown): { reason: string; remedy: string | undefined } {
  const isHere = isSaidBy(messages, error);
  const found = connectionFault(error, isHere ? MESSAGE_DATABASE : DECLARED_DATABASE);
  const reason = found?.message ?? withoutValues(error);
  if (error instanceof MillraceError) return { reason, remedy: error.remedy };
  const remedy = found?.remedy ?? remedyForCapture(error, isHere ? 'the message database' : 'the source');
  return { reason: isHere ? `the message database said: ${reason}` : reason, remedy };
}

/** Captures of another service, or of another entry, have the same name, but say nothing here of this database. */
async function isOurs(
  { messages }: CaptureDeps,
  databaseNo: number,
  { error, failures }: { error: ReaderThereError | SlotInUseError; failures: number },
): Promise<boolean> {
  if (error instanceof SlotInUseError && !error.ours) return false;
  return failures < FOREIGN_AFTER || (await isStreaming(messages, databaseNo).catch(() => true));
}

async function captureOnce(
  deps: CaptureDeps,
  database: CapturedDatabase,
  input: Pick<StreamInput, 'signal' | 'onTaken' | 'onLate' | 'unconvertible' | 'stuck'>,
): Promise<void> {
  const ended = new AbortController();
  const applicationName = `millrace capture ${database.settings.name}`;
  const options = { ...(await optionsOf(database, { max: 1, applicationName })), local: true };
  await refuseSharedSessions(options, `The address of database ${database.settings.name}`);
  const statementTimeoutMs = deps.statementMs ?? STATEMENT_MS;
  const pool = { ...options, statementTimeoutMs, queryTimeoutMs: statementTimeoutMs + 5_000 };
  const source = openPool({ ...pool, onError: (error) => ended.abort(error) });
  const beside = () => openPool({ ...pool, onError: () => undefined });
  let generation: number | undefined;
  try {
    const way = await openWay({ source, options, messages: deps.messages, log: deps.log, beside }, database);
    const prepared = await way.prepare();
    const both = { source, messages: deps.messages };
    await noteAdded(both, database, prepared);
    await noteTables(both, database, prepared.publication);
    await notePartitions(both, database, prepared.publication);
    await stream(deps, database, {
      way,
      source,
      options,
      prepared,
      signal: AbortSignal.any([input.signal, ended.signal]),
      onTaken(taken, behindMs) {
        generation = taken;
        input.onTaken(taken, behindMs);
      },
      onLate: input.onLate,
      unconvertible: input.unconvertible,
      stuck: input.stuck,
    });
    if (ended.signal.aborted) throw ended.signal.reason;
    if (generation === undefined || input.signal.aborted || !way.moveOver) return;
    failpoint('switch/before-move');
    await way.moveOver(generation);
    failpoint('switch/after-move');
  } finally {
    await source.close().catch(() => undefined);
  }
}
