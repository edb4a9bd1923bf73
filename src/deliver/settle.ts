/**
 * A lane's statements: whose it is, what waits in it, and what became of a batch. Every write that matters is fenced by
 * the owner's token, so that a worker that was paused past its lease and wakes up settles nothing.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { isFenced, isServerError } from '../model/sqlstate.ts';
import { failpoint } from '../runtime/failpoint.ts';
import type { Settlement } from './decide.ts';
import { readBodies } from './read-bodies.ts';
import type { LaneRow } from './row.ts';

const TAKE = statement('deliver/take-lane');
const RELEASE = statement('deliver/release-lane');
const CURSOR = statement('deliver/read-cursor');
const NEW = statement('deliver/read-new');
const DUE = statement('deliver/read-due');
const SETTLE = statement('deliver/settle');

export interface LaneId {
  sinkNo: number;
  lane: number;
  /** The owner's token: another one for each time that the lane is taken. */
  owner: string;
}

export const LANE_TTL_MS = 30_000;

/** The lane has another owner by now, or nobody: what its former owner knows of the sink is old. */
export class LaneLost extends Error {}

/** Has the lane another owner by now? */
export const isLost = (error: unknown): boolean => error instanceof LaneLost || isFenced(error);

/** Did Postgres refuse a statement, for another reason than the lane's owner? */
export const isRefused = (error: unknown): boolean => isServerError(error) && !isLost(error);

/** Takes the lane. False: somebody else has it. `session`: see presence.ts. */
export async function takeLane(db: Queryable, id: LaneId, session: string | null = null): Promise<boolean> {
  const { rows } = await db.query<{ taken: boolean }>(TAKE, [id.sinkNo, id.lane, id.owner, LANE_TTL_MS, session]);
  return rows[0]!.taken;
}

export async function releaseLane(db: Queryable, id: LaneId): Promise<void> {
  await db.query(RELEASE, [id.sinkNo, id.lane, id.owner]);
}

export interface LaneState {
  cursor: number;
  /** When it was read. Times here are of the message database's clock, which ours may be far from. */
  now: Date;
  /** Something is due now. */
  due: boolean;
  /** Some message of the sink has a delivery state: not all are on the straight path. */
  has_states: boolean;
  /** When the next retry is due. */
  next_due: Date | null;
  /** When the sink's circuit may be probed; null when it is closed. */
  probe_at: Date | null;
  /** Owners that never gave it back since it was last trusted, and the message that the last one had alone (careful.ts). */
  deaths: number;
  alone: number | null;
  /** Deaths that this message has seen so. */
  alone_deaths: number;
  /** Somebody looks at messages of the sink on their way. */
  is_watched: boolean;
}

export async function readState(db: Queryable, id: LaneId): Promise<LaneState> {
  const { rows } = await db.query<LaneState>(CURSOR, [id.sinkNo, id.lane]);
  return rows[0]!;
}

export interface ReadNew {
  cursor: number;
  limit: number;
  bytes: number;
  /** Without what only functions and some sinks look at: table, changes, metadata and time are left empty. */
  bodiesOnly: boolean;
  /** Some message of the sink has a delivery state, as far as is known. */
  hasStates: boolean;
}

/** The next messages above the cursor, in order: at most `limit`, and about `bytes` (at least one). */
export async function readNew(db: Queryable, id: LaneId, above: ReadNew): Promise<LaneRow[]> {
  const values = [id.sinkNo, id.lane, above.cursor, above.limit, above.bytes];
  if (above.bodiesOnly) return await readBodies(db, values, above);
  return (await db.query<LaneRow>(NEW, values)).rows;
}

/** Messages at or below the cursor that are due again, in order of their ids: at most `limit`, and about `bytes` (at least one). */
export async function readDue(
  db: Queryable,
  id: LaneId,
  upTo: { cursor: number; limit: number; bytes: number },
): Promise<LaneRow[]> {
  const values = [id.sinkNo, id.lane, upTo.limit, upTo.cursor, Math.floor(upTo.bytes)];
  return (await db.query<LaneRow>(DUE, values)).rows;
}

/** Writes what became of a batch, all or nothing. Throws when the lane was lost: `isLost`. */
export async function settle(
  db: Queryable,
  id: LaneId,
  batch: { lo: number; hi: number; settlement: Settlement },
): Promise<void> {
  const { finished, remaining, superseding } = batch.settlement;
  await db.query(SETTLE, [
    id.sinkNo,
    id.lane,
    id.owner,
    batch.lo,
    batch.hi,
    finished,
    remaining.length > 0 ? JSON.stringify(remaining) : null,
    superseding,
  ]);
}

/** Written and settled in one transaction: a place to die. */
export const beforeCommit = (): void => failpoint('deliver/before-commit');
