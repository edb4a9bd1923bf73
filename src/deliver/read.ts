/**
 * What a lane reads at once: due messages and new ones, in bytes that its worker has to spare. A lane begins with little and
 * reads more as long as there is more.
 */
import type { Sink } from '../model/sink.ts';
import { LEAST_BYTES } from '../runtime/concurrency/byte-budget.ts';
import type { Sandbox } from '../transform/sandbox.ts';
import type { Ask } from './ahead.ts';
import type { LaneDeps, LaneRun } from './held-lane.ts';
import { hasFunctions } from './prepare.ts';
import type { LaneRow } from './row.ts';
import { type LaneState, readDue, readNew } from './settle.ts';
import type { LaneSink } from './target.ts';

const READ_ROWS = 1_000;
const FIRST_BYTES = 1024 * 1024;
const READ_BYTES = 8 * FIRST_BYTES;
const SMALL_ROWS = 100;
const LEAST_ROWS = 10;
/** Characters; of four bytes at most, so that no read that its bytes have ended looks small. */
const SMALL_CHARACTERS = LEAST_BYTES / 5;

/** What came of the last batch. */
export interface Batched {
  /** Messages that were read, and how many of them were not sent: the destination is too slow for so many. */
  count: number;
  untried: number;
  /** Of its rows, as far as there was room for them. */
  bytes: number;
  /** Characters that functions made of them. */
  made: number;
  /** Not all of them found room. */
  cut: boolean;
}

/**
 * A batch for whose first message there was no room is followed by one with as much as any message may need. Where the
 * destination did not get to all of them, about as many are read as it did: what is read and not sent is read again.
 */
export function nextAsk({ sandbox }: Pick<LaneDeps, 'sandbox'>, target: LaneSink, last: Batched & { ask?: Ask }): Ask {
  const bytes = Math.min(READ_BYTES, Math.max(FIRST_BYTES, 2 * last.bytes));
  const most = mostRows(target.sink);
  const sent = last.count - last.untried;
  const rows = last.untried > 0 ? Math.max(LEAST_ROWS, 2 * sent) : 2 * (last.ask?.rows ?? most);
  const ask = { rows: Math.min(most, rows), bytes, room: 0, leastRoom: 0 };
  if (!hasFunctions(target.functions)) return ask;
  const { mostLength } = sandbox;
  if (last.cut && last.made === 0) return { ...ask, bytes: LEAST_BYTES, room: mostLength, leastRoom: mostLength };
  return { ...ask, room: Math.max(3 * bytes, 2 * last.made), leastRoom: Math.min(mostLength, 2 * last.made) };
}

/** Of what was given: how much of it is for rows. */
export function bytesToRead({ bytes, room }: Ask, given: number): number {
  return Math.floor((given * bytes) / (bytes + room));
}

/** And how much of it is for what functions make of rows of so many bytes. */
export function roomFor(rowBytes: number, { room, leastRoom }: Ask, given: number): number {
  if (room === 0) return 0;
  return Math.max(LEAST_BYTES, leastRoom, Math.min(4 * rowBytes, given - rowBytes));
}

/** Messages of a read, at most. */
export const mostRows = ({ within, batchSize }: Pick<Sink, 'batchSize' | 'within'>): number =>
  within ? batchSize : Math.max(READ_ROWS, batchSize);

/**
 * Due ones first, at most half of the batch. They lie at or below the cursor; a message above it that arrived parked and
 * was retried already comes with the new ones, in its turn. `more`: there may have been others that were not read.
 */
export async function read(
  deps: LaneDeps,
  run: LaneRun,
  { state, bytes, limit }: { state: LaneState; bytes: number; limit: number },
): Promise<{ rows: LaneRow[]; more: boolean }> {
  const due = state.due
    ? await readDue(deps.db, run.id, { cursor: state.cursor, limit: Math.ceil(limit / 2), bytes: bytes / 2 })
    : [];
  const fresh = await readNew(deps.db, run.id, {
    cursor: state.cursor,
    limit: limit - due.length,
    bytes: Math.max(1, bytes - bytesOf(due)),
    bodiesOnly: run.target.sink.bodiesOnly === true && readsBodies(deps.sandbox, run.target),
    hasStates: state.has_states,
  });
  if (due.length === 0) return { rows: fresh, more: !isSmall(fresh, limit) };
  return { rows: [...due, ...fresh], more: true };
}

/** The functions, if any, look at nothing but action and record. */
function readsBodies(sandbox: Sandbox, { no: sinkNo, functions, replaces }: LaneSink): boolean {
  return !hasFunctions(functions) || sandbox.reads(functions, { replaces, sinkNo }) <= 2;
}

/** Surely everything that there was, far from every limit. */
function isSmall(rows: readonly LaneRow[], limit: number): boolean {
  return rows.length < Math.min(limit, SMALL_ROWS) && bytesOf(rows) < SMALL_CHARACTERS;
}

/** About: of texts that are mostly ASCII. */
export function bytesOf(rows: readonly LaneRow[]): number {
  let bytes = 0;
  for (const row of rows) bytes += row.record.length + (row.changes?.length ?? 0);
  return bytes;
}
