/**
 * The position of a database: taken over by a new capture (which fences every older one), and read to go on from.
 */
import type { Database, Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { parseLsn } from '../model/lsn.ts';
import { NO_PUBLICATION, type SourceIdentity } from '../model/source-identity.ts';
import type { Position } from './append.ts';

const TAKE_OVER = statement('messages/take-over');
const READ = statement('messages/read-position');
const IDENTIFY = statement('messages/identify-source');
const BEGIN = statement('messages/begin-position');
const ID_OF_NOW = statement('messages/id-of-now');
const FOLLOW = statement('messages/follow-timeline');
const LOSE_PUBLICATION = statement('messages/lose-publication');
const STATE = statement('messages/set-state');
const STREAMING = statement('messages/is-streaming');

export interface StoredPosition extends Position {
  epoch: number;
  identity: SourceIdentity | undefined;
  /** Of the publication before a gap that was accepted. */
  publicationBefore: number | null;
  /** What it was before a gap that was accepted, if its history may go on. */
  left: Omit<SourceIdentity, 'publicationOid'> | undefined;
  /** Names of slots that it was captured by before. */
  formerSlots: readonly string[];
}

/** The stored position; undefined for a database that was never captured (or whose epoch was just opened). */
export async function readPosition(db: Queryable, databaseNo: number): Promise<StoredPosition | undefined> {
  const { rows } = await db.query<{
    epoch: number;
    system_identifier: string | null;
    left_system: string | null;
    timeline: number;
    database_oid: number;
    slot_name: string;
    former_slots: string[];
    publication_oid: number | null;
    commit_lsn: string;
    commit_idx: number;
    confirmed_lsn: string;
    next_id: number;
  }>(READ, [databaseNo]);
  const row = rows[0];
  if (!row) return undefined;
  return {
    epoch: row.epoch,
    commitLsn: parseLsn(row.commit_lsn),
    commitIdx: row.commit_idx,
    confirmedLsn: parseLsn(row.confirmed_lsn),
    nextId: row.next_id,
    publicationBefore: row.publication_oid,
    formerSlots: row.former_slots,
    left:
      row.left_system === null || row.system_identifier !== null
        ? undefined
        : {
            systemIdentifier: row.left_system,
            timeline: row.timeline,
            databaseOid: row.database_oid,
            slotName: row.slot_name,
          },
    identity:
      row.system_identifier === null || row.publication_oid === null
        ? undefined
        : {
            systemIdentifier: row.system_identifier,
            timeline: row.timeline,
            databaseOid: row.database_oid,
            slotName: row.slot_name,
            publicationOid: row.publication_oid,
          },
  };
}

/**
 * Records what the source is, and where capture of it begins; ids go on from where they were, if they were. Does nothing
 * when another capture did so meanwhile: its position may be further already. `also`: in the same transaction.
 */
export async function beginPosition(
  db: Database,
  databaseNo: number,
  begin: { identity: SourceIdentity; confirmedLsn: string; goesOn: boolean; also?: (tx: Queryable) => Promise<void> },
): Promise<void> {
  const { identity } = begin;
  await db.transaction(async (tx) => {
    const identified = await tx.query(IDENTIFY, [
      databaseNo,
      identity.systemIdentifier,
      identity.timeline,
      identity.databaseOid,
      identity.slotName,
      identity.publicationOid,
    ]);
    if (identified.rowCount === 0) return;
    await tx.query(BEGIN, [databaseNo, begin.confirmedLsn, begin.goesOn]);
    await begin.also?.(tx);
  });
}

/** Higher than each id that was given out before, also by a message database of which this is an older copy. */
export async function idOfNow(db: Queryable): Promise<number> {
  return (await db.query<{ id: number }>(ID_OF_NOW)).rows[0]!.id;
}

/** The source was promoted, and its history goes on from what was captured. Does nothing when another capture said so. */
export async function followTimeline(
  db: Database,
  databaseNo: number,
  between: { from: number; to: number },
): Promise<void> {
  await db.query(FOLLOW, [databaseNo, between.from, between.to]);
}

/**
 * Changes were left out because there was no publication when they were made. The one that is there now is not the one that
 * was captured, though it may be the same by its oid. Does nothing when another capture has taken over.
 */
export async function losePublication(db: Database, writer: { databaseNo: number; generation: number }): Promise<void> {
  await db.query(LOSE_PUBLICATION, [writer.databaseNo, writer.generation, NO_PUBLICATION]);
}

/** The new generation. From now on nobody with an older one can persist anything. */
export async function takeOver(db: Database, databaseNo: number): Promise<number> {
  const { rows } = await db.query<{ generation: number }>(TAKE_OVER, [databaseNo]);
  return rows[0]!.generation;
}

/** Does a capture of this database stream, and has said so within 15 s? */
export async function isStreaming(db: Queryable, databaseNo: number): Promise<boolean> {
  return (await db.query<{ streaming: boolean }>(STREAMING, [databaseNo])).rows[0]!.streaming;
}

export type CaptureState = 'starting' | 'streaming' | 'standby' | 'error' | 'needs_resync';

/**
 * What a person sees in millrace.database_status. True when that was something else. `warnings`: codes of what is wrong
 * while it streams all the same. `unlessStreaming`: nothing is written while another capture than our own last one streams.
 */
export async function setCaptureState(
  db: Database,
  databaseNo: number,
  state: {
    state: CaptureState;
    reason?: string | undefined;
    remedy?: string | undefined;
    warnings?: readonly string[];
    unlessStreaming?: { own: number | undefined } | undefined;
  },
): Promise<boolean> {
  const { rowCount } = await db.query(STATE, [
    databaseNo,
    state.state,
    state.reason ?? null,
    state.remedy ?? null,
    state.warnings ?? [],
    state.unlessStreaming !== undefined,
    state.unlessStreaming?.own ?? null,
  ]);
  return rowCount > 0;
}
