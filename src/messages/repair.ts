/**
 * Changes rows on their way into the message table, in the finished COPY (batch.ts): texts that are no UTF-8, which Postgres
 * refuses (22021), get U+FFFD for each fault; rows are cut down to their key. A row's JSON stays JSON, for a fault never
 * takes an ASCII byte with it.
 */
import { isUtf8 } from 'node:buffer';
import { type Bytes, beginRows, COLUMNS, endRows, HEADER_BYTES, TEXT_COLUMNS } from './copy-rows.ts';

/** One row of a COPY: whose it is, and where it lies. */
export interface CopiedRow {
  sinkNo: number;
  lane: number;
  id: number;
  groupKey: number | null;
  sourceTable: number;
  start: number;
  end: number;
  /** Where the fields begin, their lengths included. */
  fields: readonly number[];
}

const NULL = -1;

/** The rows of a COPY, finished or not, in its order. */
export function* rowsOf(copy: Buffer): Generator<CopiedRow> {
  let at = HEADER_BYTES;
  while (at < copy.length && copy.readInt16BE(at) === COLUMNS) {
    const start = at;
    const fields: number[] = [];
    at += 2;
    for (let n = 0; n < COLUMNS; n++) {
      fields.push(at);
      at += 4 + Math.max(0, copy.readInt32BE(at));
    }
    yield {
      sinkNo: copy.readInt32BE(fields[0]! + 4),
      lane: copy.readInt16BE(fields[1]! + 4),
      id: Number(copy.readBigInt64BE(fields[2]! + 4)),
      groupKey: copy.readInt32BE(fields[3]!) === NULL ? null : Number(copy.readBigInt64BE(fields[3]! + 4)),
      sourceTable: copy.readInt32BE(fields[5]! + 4),
      start,
      end: at,
      fields,
    };
  }
}

/** A COPY of some of the rows. */
export function rewritten(copy: Buffer, out: Bytes, rows: Iterable<CopiedRow>): Buffer {
  return written(out, rows, (row) => putBytes(out, copy.subarray(row.start, row.end)));
}

/** The COPY with every text made UTF-8, and the rows that were not; the same buffer when all were. */
export function repaired(copy: Buffer, makeOut: () => Bytes): { copy: Buffer; damaged: readonly CopiedRow[] } {
  const rows = [...rowsOf(copy)];
  const damaged = rows.filter((row) => TEXT_COLUMNS.some((n) => !isUtf8(fieldAt(copy, row, n))));
  if (damaged.length === 0) return { copy, damaged };
  const faulty = new Set(damaged);
  const out = makeOut();
  const whole = written(out, rows, (row) => {
    if (faulty.has(row)) putRow(out, { copy, row }, replacedOf);
    else putBytes(out, copy.subarray(row.start, row.end));
  });
  return { copy: whole, damaged };
}

/** The COPY with the rows that begin at `starts` cut down to their key. */
export function keyOnly(copy: Buffer, out: Bytes, starts: ReadonlySet<number>): Buffer {
  return written(out, rowsOf(copy), (row) => {
    if (starts.has(row.start)) putRow(out, { copy, row }, keptOf);
    else putBytes(out, copy.subarray(row.start, row.end));
  });
}

/** Well-formed, U+FFFD for each fault; undefined: as it is. */
const replacedOf = (n: number, value: Buffer): Buffer | null | undefined =>
  TEXT_COLUMNS.includes(n) && !isUtf8(value) ? Buffer.from(value.toString('utf8')) : undefined;

const RECORD_PKS = 7;
const RECORD = 11;
const NULLABLE = [12, 13, 14];
/** No key of an index is longer, so nothing that is compared by one. */
const KEY_BYTES = 8_192;

function keptOf(n: number, value: Buffer): Buffer | null | undefined {
  if (n === RECORD) return Buffer.from('{}');
  if (n === RECORD_PKS && value.length > KEY_BYTES) return Buffer.from('[]');
  return NULLABLE.includes(n) ? null : undefined;
}

function written(out: Bytes, rows: Iterable<CopiedRow>, write: (row: CopiedRow) => void): Buffer {
  beginRows(out);
  for (const row of rows) write(row);
  endRows(out);
  return out.bytes.subarray(0, out.length);
}

/** Appends a row with other values; `change` says undefined for those that stay, null for SQL's NULL. */
function putRow(
  out: Bytes,
  { copy, row }: { copy: Buffer; row: CopiedRow },
  change: (n: number, value: Buffer) => Buffer | null | undefined,
): void {
  putBytes(out, copy.subarray(row.start, row.fields[0]!));
  for (let n = 0; n < COLUMNS; n++) {
    const value = change(n, fieldAt(copy, row, n));
    if (value === undefined) putBytes(out, copy.subarray(row.fields[n]!, row.fields[n + 1] ?? row.end));
    else {
      out.reserve(4);
      out.length = out.bytes.writeInt32BE(value?.length ?? NULL, out.length);
      if (value) putBytes(out, value);
    }
  }
}

/** A field's value; empty for NULL. */
function fieldAt(copy: Buffer, row: CopiedRow, n: number): Buffer {
  const start = row.fields[n]! + 4;
  return copy.subarray(start, start + Math.max(0, copy.readInt32BE(row.fields[n]!)));
}

function putBytes(out: Bytes, source: Buffer): void {
  out.reserve(source.length);
  out.length += source.copy(out.bytes, out.length);
}
