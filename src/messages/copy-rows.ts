/**
 * Messages on their way into the message table, in COPY's binary format: nothing is escaped, and JSON goes from the codec
 * into the connection without a string in between
 * (https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format"). A row is written once and never updated.
 */
import type { Action } from '../model/message.ts';

/** Where bytes are gathered. `reserve` may put another buffer into `bytes`. */
export interface Bytes {
  bytes: Buffer;
  length: number;
  reserve(count: number): void;
}

/** Finished text, or what writes it. */
export type TextOf<Out extends Bytes> = string | null | ((out: Out) => void);

/** What all rows of one change have in common. */
export interface ChangeText<Out extends Bytes> {
  sourceTable: number;
  action: Action;
  /** JSON array of text. */
  recordPks: string;
  commitLsn: bigint;
  commitIdx: number;
  /** Microseconds since 1970. */
  committedAt: number;
  record: TextOf<Out>;
  changes: TextOf<Out>;
  annotations: string | null;
  unchangedToast: string | null;
}

/** One sink's copy of a change. */
export interface Address {
  sinkNo: number;
  lane: number;
  id: number;
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
  record_pks, commit_lsn, commit_idx, committed_at, record, changes, annotations, unchanged_toast) from stdin (format binary)`;

/** Fields of a row, and those of them that are text. */
export const COLUMNS = 15;
export const TEXT_COLUMNS: readonly number[] = [6, 7, 11, 12, 13, 14];
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** Before the first row. */
export const HEADER_BYTES = HEADER.length;
const TRAILER = -1;
const NULL = -1;
const MICROS_1970_TO_2000 = 946_684_800_000_000;
const HIGH = 2 ** 32;
/** Room for all fixed fields of an address, and of what follows up to the record without its texts. */
const FIXED_BYTES = 64;

/** Before the first row. */
export function beginRows(out: Bytes): void {
  out.reserve(HEADER.length);
  HEADER.copy(out.bytes, out.length);
  out.length += HEADER.length;
}

/** After the last. */
export function endRows(out: Bytes): void {
  out.reserve(2);
  int16(out, TRAILER);
}

/** The first part of a row; `putChange`, or the same bytes again, must follow. */
export function putAddress(out: Bytes, address: Address): void {
  out.reserve(FIXED_BYTES);
  int16(out, COLUMNS);
  int32(out, 4);
  int32(out, address.sinkNo);
  int32(out, 2);
  int16(out, address.lane);
  int32(out, 8);
  int64(out, address.id);
  nullableInt64(out, address.groupKey);
  nullableInt64(out, address.groupKey2);
}

/** The rest of it. */
export function putChange<Out extends Bytes>(out: Out, change: ChangeText<Out>): void {
  out.reserve(FIXED_BYTES);
  int32(out, 4);
  int32(out, change.sourceTable);
  putText(out, change.action);
  putText(out, change.recordPks);
  out.reserve(FIXED_BYTES);
  int32(out, 8);
  out.length = out.bytes.writeBigUInt64BE(change.commitLsn, out.length);
  int32(out, 8);
  int64(out, change.commitIdx);
  int32(out, 8);
  int64(out, change.committedAt - MICROS_1970_TO_2000);
  putText(out, change.record);
  putText(out, change.changes);
  putText(out, change.annotations);
  putText(out, change.unchangedToast);
}

/** Appends once more what was written from `start` to `end`. */
export function putAgain(out: Bytes, start: number, end: number): void {
  out.reserve(end - start);
  out.bytes.copyWithin(out.length, start, end);
  out.length += end - start;
}

function putText<Out extends Bytes>(out: Out, text: TextOf<Out>): void {
  out.reserve(4);
  if (text === null) {
    int32(out, NULL);
    return;
  }
  const lengthAt = out.length;
  out.length += 4;
  if (typeof text === 'string') writeUtf8(out, text);
  else text(out);
  const end = out.length;
  out.length = lengthAt;
  int32(out, end - lengthAt - 4);
  out.length = end;
}

function writeUtf8(out: Bytes, text: string): void {
  out.reserve(text.length * 3);
  const start = out.length;
  const target = out.bytes;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0x80) {
      out.length = start + target.write(text, start);
      return;
    }
    target[start + i] = unit;
  }
  out.length = start + text.length;
}

function int16(out: Bytes, value: number): void {
  const target = out.bytes;
  target[out.length++] = value >> 8;
  target[out.length++] = value;
}

function int32(out: Bytes, value: number): void {
  const target = out.bytes;
  target[out.length++] = value >> 24;
  target[out.length++] = value >> 16;
  target[out.length++] = value >> 8;
  target[out.length++] = value;
}

/** `value` is an integer, exact as a double. */
function int64(out: Bytes, value: number): void {
  const high = Math.floor(value / HIGH);
  int32(out, high);
  int32(out, value - high * HIGH);
}

function nullableInt64(out: Bytes, value: number | null): void {
  if (value === null) {
    int32(out, NULL);
    return;
  }
  int32(out, 8);
  int64(out, value);
}
