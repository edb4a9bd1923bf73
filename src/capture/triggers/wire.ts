/**
 * Noted changes in the words of the replication protocol, so that everything behind the stream is the same for both ways of
 * capture. https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html
 */
import type { JsonBytes } from '../../codec/json-bytes.ts';
import { readFields } from '../../codec/nested.ts';
import type { ChangeRow } from '../../source/noted-rows.ts';
import type { Shape } from '../../source/read-changes.ts';
import { PRIMARY } from '../replication/decode.ts';

const MICROS_1970_TO_2000 = 946_684_800_000_000;

/** The columns that a message brings, and where in a row they are. */
export interface Layout {
  relation: Buffer;
  /**
   * Another one where the table has other columns, also such as are not sent: those are computed (source/generated.ts). And where its
   * key is another one, though it looks the same: of the same columns in another order, of another column of that name.
   */
  mark: string;
  /** Fields of the composite value: so many there are, and these are sent, in this order. */
  fields: number;
  places: readonly number[];
}

export interface LayoutOptions {
  /** The shape that was seen first of the table. */
  first: Shape | undefined;
  /** Stored generated columns are sent. */
  generated: boolean;
}

export function beginMessage(commitLsn: bigint, micros: number, xid: bigint): Buffer {
  const bytes = Buffer.allocUnsafe(21);
  bytes.write('B');
  bytes.writeBigUInt64BE(commitLsn, 1);
  putMicros(bytes, micros, 9);
  bytes.writeUInt32BE(Number(xid & 0xffff_ffffn), 17);
  return bytes;
}

/** The commit ends one byte after it began: LSNs of these transactions follow one another. */
export function commitMessage(commitLsn: bigint, micros: number): Buffer {
  const bytes = Buffer.allocUnsafe(26);
  bytes.write('C');
  bytes.writeUInt8(0, 1);
  bytes.writeBigUInt64BE(commitLsn, 2);
  bytes.writeBigUInt64BE(commitLsn + 1n, 10);
  putMicros(bytes, micros, 18);
  return bytes;
}

function putMicros(bytes: Buffer, micros: number, at: number): void {
  bytes.writeBigInt64BE(BigInt(micros - MICROS_1970_TO_2000), at);
}

export function logicalMessage(prefix: string | Buffer, content: string | Buffer): Buffer {
  const [name, text] = [Buffer.from(prefix), Buffer.from(content)];
  const bytes = Buffer.alloc(10 + name.length + 1 + 4 + text.length);
  bytes.write('M');
  bytes.writeUInt8(1, 1);
  name.copy(bytes, 10);
  bytes.writeUInt32BE(text.length, 11 + name.length);
  text.copy(bytes, 15 + name.length);
  return bytes;
}

export function truncateMessage(rel: number): Buffer {
  const bytes = Buffer.alloc(10);
  bytes.write('T');
  bytes.writeUInt32BE(1, 1);
  bytes.writeUInt32BE(rel, 6);
  return bytes;
}

/**
 * Partitions may have their columns in another order than their table and each other: they are sent in that of the table, as a
 * backfill reads them, or in that of `first`, if it has the same ones.
 * Virtual generated columns are nothing that a trigger sees, and stored ones go as the publication says, so that backfills bring
 * the same.
 */
export function layoutOf(rel: number, shape: Shape, { first, generated }: LayoutOptions): Layout {
  const isSent = (column: Shape['columns'][number]): boolean => !column.virtual && (generated || !column.stored);
  const order = shape.order ?? [];
  const isKnown = shape.columns.every(({ name }) => order.includes(name));
  const placed = isKnown
    ? shape.columns.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name))
    : shape.columns;
  const sent = placed.filter(isSent);
  const nameOf = ({ name, type, typmod, key }: Shape['columns'][number]): string =>
    JSON.stringify([name, type, typmod, key]);
  const wanted = isKnown ? sent : (first?.columns.filter(isSent) ?? sent);
  const names = new Set(sent.map(nameOf));
  const isSame = wanted.length === sent.length && wanted.every((column) => names.has(nameOf(column)));
  const columns = isSame ? wanted : sent;
  const places = columns.map(({ name }) => shape.columns.findIndex((column) => column.name === name));
  const relation = relationMessage(rel, shape, columns);
  const others = shape.columns.filter((column) => !isSent(column)).map((one) => `${nameOf(one)} ${one.expression}`);
  const keys = shape.columns.map(({ name, place, number }) => place && JSON.stringify([place, number, name]));
  const mark = `${relation.toString('latin1')} ${others.toSorted().join()} ${keys.filter(Boolean).toSorted().join()}`;
  return { relation, mark, fields: shape.columns.length, places };
}

/** Old rows are whole, as with the replica identity full. */
function relationMessage(rel: number, { schema, name }: Shape, columns: Shape['columns']): Buffer {
  const head = Buffer.alloc(5);
  head.write('R');
  head.writeUInt32BE(rel, 1);
  const count = Buffer.alloc(2);
  count.writeUInt16BE(columns.length);
  const parts = columns.map((column) => {
    const types = Buffer.alloc(8);
    types.writeUInt32BE(column.type, 0);
    types.writeInt32BE(column.typmod, 4);
    return Buffer.concat([Buffer.from([column.key ? 1 | PRIMARY : 1]), cstring(column.name), types]);
  });
  return Buffer.concat([head, cstring(schema), cstring(name), Buffer.from('f'), count, ...parts]);
}

const cstring = (name: string): Buffer => Buffer.from(`${name}\0`, 'latin1');

/**
 * An insert, update or delete, written to `out`, which is empty: valid until something else is. Of a row that was too large to be noted
 * the values beside the key are like large ones that did not change: they are read again by the key. Undefined: the row does not have
 * the columns that it is said to have.
 */
export function rowMessage(out: JsonBytes, row: ChangeRow, layout: Layout): Buffer | undefined {
  const op = row.op.toUpperCase();
  const isWhole = op === row.op;
  // At once: of a large row everything is there twice as it is.
  out.reserve(
    HEAD_BYTES + (row.old?.length ?? 0) + (row.new?.length ?? 0) + 2 * (TUPLE_BYTES + FIELD_BYTES * layout.fields),
  );
  out.byte(op.charCodeAt(0));
  putInt32(out, row.rel);
  const add = (kind: string, text: Buffer | null, absent: number): boolean => {
    if (!text) return false;
    out.byte(kind.charCodeAt(0));
    return addTuple(out, text, { layout, absent });
  };
  const hasOld = op === 'I' || add(isWhole ? 'O' : 'K', row.old, NULL);
  const hasNew = op === 'D' || add('N', row.new, isWhole ? NULL : UNCHANGED);
  return hasOld && hasNew ? out.bytes.subarray(0, out.length) : undefined;
}

const HEAD_BYTES = 5;
/** Of a tuple without its values, and of a value without its text. */
const TUPLE_BYTES = 3;
const FIELD_BYTES = 5;
const TEXT = 0x74;
/** Kinds of a value that is not there. */
const NULL = 0x6e;
const UNCHANGED = 0x75;

function addTuple(out: JsonBytes, text: Buffer, { layout, absent }: { layout: Layout; absent: number }): boolean {
  const { fields: count, places } = layout;
  const fields = readFields({ bytes: text, start: 0, end: text.length });
  // `()` is one null field, or none.
  if (!fields || (fields.length !== count && !(count === 0 && text.length === 2))) return false;
  putInt16(out, places.length);
  for (const place of places) {
    const field = fields[place];
    if (!field) {
      out.byte(absent);
      continue;
    }
    out.byte(TEXT);
    putInt32(out, field.end - field.start);
    out.copy(field.bytes, field.start, field.end);
  }
  return true;
}

function putInt16(out: JsonBytes, value: number): void {
  out.reserve(2);
  out.length = out.bytes.writeUInt16BE(value, out.length);
}

function putInt32(out: JsonBytes, value: number): void {
  out.reserve(4);
  out.length = out.bytes.writeUInt32BE(value, out.length);
}
