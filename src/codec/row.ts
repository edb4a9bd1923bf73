/**
 * One relation's rows -> JSON. Compiled once per Relation message: names encoded, codecs chosen. What a message does not
 * carry is left out, never invented as null: columns outside the key of a key-only old row, and unchanged TOASTed columns
 * that neither the old row nor the caller supplies. Old and new values are compared as bytes of their text form.
 */

import { MillraceError } from '../model/errors.ts';
import { codecFor, writeValue } from './codec.ts';
import { JsonBytes, type Slice } from './json-bytes.ts';
import { label } from './nested.ts';
import type { RelationMessage, RowMessage, UpdateMessage } from './row-message.ts';
import type { ColumnCodec } from './scalar.ts';
import { NULL_VALUE, type Tuple, UNCHANGED } from './tuple.ts';
import type { TypeCatalogue } from './types.ts';
import { keyText } from './utf8.ts';

/** Values read again from the source for columns that a message does not carry: text form, bytes where they are no UTF-8, or null, by column index. */
export type Reread = ReadonlyMap<number, string | Buffer | null>;

export interface RowOptions {
  /** Primary-key columns by name, in key order (from pg_index: with identity full the relation marks every column). */
  keyColumns: readonly string[];
  /** Its rows come from partitions, each with a replica identity of its own. */
  partitioned?: boolean;
  /** Columns that no record shows. */
  leaveOut?: readonly string[];
}

interface Column {
  name: string;
  codec: ColumnCodec;
  /** `"name":` */
  label: Buffer;
  shown: boolean;
  /** Known in a key-only old row. */
  inIdentity: boolean;
}

const EMPTY = Buffer.alloc(0);
const NULL = Buffer.from('null');
const COMMA = 0x2c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
/** Longer values are compared by the runtime. */
const NATIVE_COMPARE_BYTES = 64;

/** Prepares the rows of a relation. Throws `bad_source` when the relation lacks a key column. */
export function compileRelation(types: TypeCatalogue, relation: RelationMessage, options: RowOptions): RowCodec {
  const hidden = new Set(options.leaveOut);
  const columns = relation.columns.map((column) => ({
    name: column.name,
    codec: codecFor(column.typeOid, types),
    label: label(column.name),
    shown: !hidden.has(column.name),
    // With identity full every column is marked.
    inIdentity: relation.identity === 'full' ? options.keyColumns.includes(column.name) : column.key,
  }));
  const keyIndexes = options.keyColumns.map((name) => {
    const index = columns.findIndex((column) => column.name === name);
    if (index >= 0) return index;
    throw new MillraceError('bad_source', `${relation.schema}.${relation.name}: key column ${name} is not published`, {
      remedy: 'Publish every column of the primary key: a column list must name them all.',
    });
  });
  return new RowCodec(columns, keyIndexes, options.partitioned ?? false);
}

/** Of the one value that is written now, whatever its table is: there may be thousands of them. */
const OUT = new JsonBytes();
const SLICE: Slice = { bytes: EMPTY, start: 0, end: 0 };

export class RowCodec {
  readonly columns: readonly Column[];
  readonly keyIndexes: readonly number[];
  /**
   * Values that did not fit their type and were passed as strings. It grows when a composite type was altered: load the
   * relation's types again, compile, and encode that row once more.
   */
  misfits = 0;
  /** Keys that were asked for and are no UTF-8: their faulty bytes are written out. */
  damagedKeys = 0;
  readonly partitioned: boolean;

  constructor(columns: readonly Column[], keyIndexes: readonly number[], partitioned: boolean) {
    this.columns = columns;
    this.keyIndexes = keyIndexes;
    this.partitioned = partitioned;
  }

  /**
   * The change with its old row as it is. Postgres marks it by the identity of the partitioned table, full say, and leaves
   * NULL what the identity of the partition does not have: a row of its key and nothing but NULL is its key.
   */
  asCarried(message: RowMessage): RowMessage {
    if (!this.partitioned || message.tag === 'insert' || message.oldKind !== 'full' || !message.old) return message;
    const { ranges } = message.old;
    const isKeyAlone = this.columns.every((_, index) => this.keyIndexes.includes(index) || ranges[index * 2]! < 0);
    return isKeyAlone && this.keyIndexes.length > 0 ? { ...message, oldKind: 'key' } : message;
  }

  /** Indexes of the unchanged TOASTed columns whose values the message does not carry. */
  missing(message: RowMessage): number[] {
    if (message.tag === 'delete' || !message.new.unchanged) return [];
    const indexes: number[] = [];
    for (let i = 0; i < this.columns.length; i++) {
      if (this.columns[i]!.shown && this.carrier(message, i) === undefined) indexes.push(i);
    }
    return indexes;
  }

  /** Message `record`: `{"column":value,...}` in column order; the new values, or of a delete what is known of the old. */
  record(message: RowMessage, reread?: Reread): string {
    OUT.clear();
    this.writeRecord(OUT, message, reread);
    return OUT.text();
  }

  /** As `record`, appended to `out`. */
  writeRecord(out: JsonBytes, message: RowMessage, reread?: Reread): void {
    const simple = this.#wholeTuple(message);
    out.byte(OPEN);
    const first = out.length;
    for (let i = 0; i < this.columns.length; i++) {
      if (!this.columns[i]!.shown) continue;
      const tuple = simple ?? this.carrier(message, i);
      if (tuple) this.#member(out, { tuple, index: i, first });
      else this.#rereadMember(out, { reread, index: i, first });
    }
    out.byte(CLOSE);
  }

  /** The given columns alone, as `record` shows them (the key of a row that is too large, say). */
  pick(message: RowMessage, indexes: readonly number[]): string {
    OUT.clear();
    OUT.byte(OPEN);
    for (const index of indexes) {
      const tuple = this.carrier(message, index);
      if (tuple) this.#member(OUT, { tuple, index, first: 1 });
    }
    OUT.byte(CLOSE);
    return OUT.text();
  }

  /**
   * Message `changes`: null unless it is an update; else the old values of the columns that changed, as far as the old
   * row is known: `{}` without it. An unchanged TOASTed column has not changed.
   */
  changes(message: RowMessage): string | null {
    if (message.tag !== 'update') return null;
    OUT.clear();
    this.writeChanges(OUT, message);
    return OUT.text();
  }

  /** As `changes` of an update, appended to `out`; `only`: of these columns alone. */
  writeChanges(out: JsonBytes, message: UpdateMessage, only?: readonly number[]): void {
    out.byte(OPEN);
    const first = out.length;
    const tuple = message.old;
    if (tuple) {
      for (let i = 0; i < this.columns.length; i++) {
        const isWanted = only === undefined ? this.columns[i]!.shown : only.includes(i);
        if (isWanted && this.changed(message, i)) this.#member(out, { tuple, index: i, first });
      }
    }
    out.byte(CLOSE);
  }

  /**
   * Key values as text, in key order: after the change, of a delete before it. Empty for a table without a key; null when
   * the message does not tell (a replica identity that does not cover the key).
   */
  key(message: RowMessage, reread?: Reread): string[] | null {
    const values: string[] = [];
    for (const index of this.keyIndexes) {
      const tuple = this.carrier(message, index);
      const value = tuple ? this.#keyAt(tuple, index) : reread?.get(index)?.toString();
      if (value === null || value === undefined) return null;
      values.push(value);
    }
    return values;
  }

  /** The key before an update that changed it; null for every other message. */
  oldKey(message: RowMessage): string[] | null {
    if (message.tag !== 'update' || message.old === null) return null;
    if (!this.keyIndexes.some((index) => this.changed(message, index))) return null;
    const values: string[] = [];
    for (const index of this.keyIndexes) {
      const value = this.#keyAt(this.#oldCarrier(message, index) ?? message.new, index);
      if (value === null || value === undefined) return null;
      values.push(value);
    }
    return values;
  }

  /** A column's text form, null for NULL, undefined when the message does not carry it. */
  text(message: RowMessage, index: number): string | null | undefined {
    const tuple = this.carrier(message, index);
    return tuple && textAt(tuple, index);
  }

  /** The same of an update's old row. */
  textBefore(message: RowMessage, index: number): string | null | undefined {
    const tuple = this.carrierBefore(message, index);
    return tuple && textAt(tuple, index);
  }

  #keyAt(tuple: Tuple, index: number): string | null | undefined {
    const start = tuple.ranges[index * 2]!;
    if (start < 0) return start === NULL_VALUE ? null : undefined;
    const { text, whole } = keyText(tuple.bytes, start, tuple.ranges[index * 2 + 1]!);
    if (!whole) this.damagedKeys++;
    return text;
  }

  /** The tuple that holds every column, in the usual case. */
  #wholeTuple(message: RowMessage): Tuple | undefined {
    const tuple = message.tag === 'delete' ? message.old : message.new;
    const count = this.columns.length * 2;
    if (
      tuple.ranges.length !== count ||
      (message.tag === 'update' && (message.old?.ranges.length ?? count) !== count)
    ) {
      throw new MillraceError('bad_source', 'a row does not have the columns that its Relation message announced');
    }
    return tuple.unchanged || (message.tag === 'delete' && message.oldKind !== 'full') ? undefined : tuple;
  }

  /** The tuple that holds a column's value as `record` shows it; undefined if none does. */
  carrier(message: RowMessage, index: number): Tuple | undefined {
    const isSent = message.tag !== 'delete' && message.new.ranges[index * 2] !== UNCHANGED;
    return isSent ? message.new : this.#oldCarrier(message, index);
  }

  /** The same of an update's old row. */
  carrierBefore(message: RowMessage, index: number): Tuple | undefined {
    return message.tag === 'update' ? this.#oldCarrier(message, index) : undefined;
  }

  #oldCarrier(message: RowMessage, index: number): Tuple | undefined {
    if (message.tag === 'insert' || message.old === null) return undefined;
    const isKnown = message.oldKind === 'full' || this.columns[index]!.inIdentity;
    return isKnown && message.old.ranges[index * 2] !== UNCHANGED ? message.old : undefined;
  }

  /** Did an update change this column, as far as its old value is known? */
  changed(message: UpdateMessage, index: number): boolean {
    const old = this.#oldCarrier(message, index);
    return old !== undefined && message.new.ranges[index * 2] !== UNCHANGED && !sameValue(old, message.new, index);
  }

  #member(out: JsonBytes, place: { tuple: Tuple; index: number; first: number }): void {
    const column = this.columns[place.index]!;
    const { bytes, ranges } = place.tuple;
    if (out.length > place.first) out.byte(COMMA);
    out.copy(column.label);
    const start = ranges[place.index * 2]!;
    if (start < 0) {
      out.copy(NULL);
      return;
    }
    SLICE.bytes = bytes;
    SLICE.start = start;
    SLICE.end = ranges[place.index * 2 + 1]!;
    if (!writeValue(out, column.codec, SLICE)) this.misfits++;
  }

  #rereadMember(out: JsonBytes, place: { reread: Reread | undefined; index: number; first: number }): void {
    const text = place.reread?.get(place.index);
    if (text === undefined) return;
    const bytes = text === null ? EMPTY : typeof text === 'string' ? Buffer.from(text) : text;
    const ranges: number[] = [];
    ranges[place.index * 2] = text === null ? NULL_VALUE : 0;
    ranges[place.index * 2 + 1] = bytes.length;
    this.#member(out, { tuple: { bytes, ranges, unchanged: false }, index: place.index, first: place.first });
  }
}

/** A column's text, null for NULL, undefined for an unchanged TOASTed one. */
function textAt(tuple: Tuple, index: number): string | null | undefined {
  const start = tuple.ranges[index * 2]!;
  if (start >= 0) return tuple.bytes.toString('utf8', start, tuple.ranges[index * 2 + 1]!);
  return start === NULL_VALUE ? null : undefined;
}

function sameValue(a: Tuple, b: Tuple, index: number): boolean {
  const from = index * 2;
  const startA = a.ranges[from]!;
  const startB = b.ranges[from]!;
  if (startA < 0 || startB < 0) return startA === startB;
  const length = a.ranges[from + 1]! - startA;
  if (b.ranges[from + 1]! - startB !== length) return false;
  if (length > NATIVE_COMPARE_BYTES)
    return a.bytes.compare(b.bytes, startB, startB + length, startA, startA + length) === 0;
  for (let i = 0; i < length; i++) if (a.bytes[startA + i] !== b.bytes[startB + i]) return false;
  return true;
}
