/**
 * Messages on their way into the message table, as the text of a COPY. A row is written once and never updated. Values
 * are finished text; only the four characters that COPY's text format gives a meaning are escaped
 * (https://www.postgresql.org/docs/current/sql-copy.html, "Text Format").
 */
import type { Action } from '../model/message.ts';

/** What all rows of one change have in common. */
export interface ChangeText {
  sourceTable: number;
  action: Action;
  /** JSON array of text. */
  recordPks: string;
  commitLsn: bigint;
  commitIdx: number;
  /** As Postgres reads it, with its zone. */
  committedAt: string;
  record: string;
  changes: string | null;
  annotations: string | null;
  unchangedToast: string | null;
}

/** One sink's copy of a change. */
export interface Address {
  sinkNo: number;
  lane: number;
  groupKey: number | null;
  groupKey2: number | null;
}

/** A message that arrives parked: it cannot be delivered as it is, and must not be lost. */
export interface ParkedOnArrival {
  sinkNo: number;
  lane: number;
  id: number;
  groupKey: number | null;
  error: string;
}

export const COPY_MESSAGES = `copy millrace_private.messages (sink_no, lane, id, group_key, group_key2, source_table, action,
  record_pks, commit_lsn, commit_idx, committed_at, record, changes, annotations, unchanged_toast) from stdin`;

const SPECIAL = /[\\\t\n\r]/;
const ESCAPES: Record<string, string> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** A text value of COPY's text format. */
export function copyText(value: string): string {
  return SPECIAL.test(value) ? value.replace(/[\\\t\n\r]/g, (char) => ESCAPES[char]!) : value;
}

const orNull = (value: string | null): string => (value === null ? '\\N' : copyText(value));

/** The part of a COPY line that follows the address, with the line's end. */
export function changeLine(change: ChangeText): string {
  return (
    `\t${change.sourceTable}\t${change.action}\t${copyText(change.recordPks)}\t${change.commitLsn}\t${change.commitIdx}` +
    `\t${change.committedAt}\t${copyText(change.record)}\t${orNull(change.changes)}\t${orNull(change.annotations)}` +
    `\t${orNull(change.unchangedToast)}\n`
  );
}

/** The part of a COPY line before it. */
export function addressLine(address: Address, id: number): string {
  return `${address.sinkNo}\t${address.lane}\t${id}\t${address.groupKey ?? '\\N'}\t${address.groupKey2 ?? '\\N'}`;
}
