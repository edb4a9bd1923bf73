/**
 * What a lane reads at once: due messages and new ones, in bytes that its worker has to spare. A lane begins with little and
 * reads more as long as there is more.
 */
import type { Sandbox } from '../transform/sandbox.ts';
import { LEAST_BYTES } from './budget.ts';
import type { LaneDeps, LaneRun, LaneSink } from './lane.ts';
import type { LaneRow } from './row.ts';
import { type LaneState, readDue, readNew } from './settle.ts';

const READ_ROWS = 1_000;
const FIRST_BYTES = 1024 * 1024;
const READ_BYTES = 8 * FIRST_BYTES;
const SMALL_ROWS = 100;
/** Characters; of four bytes at most, so that no read that its bytes have ended looks small. */
const SMALL_CHARACTERS = LEAST_BYTES / 5;

/** How much to ask for after a read of so many bytes. */
export const nextBytes = (bytes: number): number => Math.min(READ_BYTES, Math.max(FIRST_BYTES, 2 * bytes));

/**
 * Due ones first, at most half of the batch. They lie at or below the cursor; a message above it that arrived parked and
 * was retried already comes with the new ones, in its turn. `more`: there may have been others that were not read.
 */
export async function read(
  deps: LaneDeps,
  run: LaneRun,
  { state, bytes }: { state: LaneState; bytes: number },
): Promise<{ rows: LaneRow[]; more: boolean }> {
  const limit = run.target.sink.within ? run.target.sink.batchSize : Math.max(READ_ROWS, run.target.sink.batchSize);
  const due = state.due
    ? await readDue(deps.db, run.id, { cursor: state.cursor, limit: Math.ceil(limit / 2), bytes: bytes / 2 })
    : [];
  const fresh = await readNew(deps.db, run.id, {
    cursor: state.cursor,
    limit: limit - due.length,
    bytes: Math.max(1, bytes - bytesOf(due)),
    bodiesOnly: run.target.sink.bodiesOnly === true && readsBodies(deps.sandbox, run.target),
  });
  if (due.length === 0) return { rows: fresh, more: !isSmall(fresh, limit) };
  return { rows: [...due, ...fresh], more: true };
}

/** The functions, if any, look at nothing but action and record. */
function readsBodies(sandbox: Sandbox, { no: sinkNo, functions, replaces }: LaneSink): boolean {
  return Object.keys(functions).length === 0 || sandbox.reads(functions, { searchSink: replaces, sinkNo }) <= 2;
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
