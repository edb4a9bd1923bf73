/**
 * The one codec from Postgres' text form of a value to JSON text. Capture, backfill and trigger capture share it, so that
 * the same row looks the same whichever way it came. It equals what `to_jsonb` prints in a session with TimeZone UTC,
 * DateStyle ISO, IntervalStyle postgres, extra_float_digits 1 and bytea_output hex, but for json, which passes its own text.
 */

import { JsonBytes, type Slice, writeString } from './json-bytes.ts';
import { arrayCodec, compositeCodec, vectorCodec, writeHstore } from './nested.ts';
import {
  type ColumnCodec,
  writeBoolean,
  writeFloat,
  writeInteger,
  writeJson,
  writeJsonb,
  writeNumeric,
  writeTimestamp,
  writeTimestamptz,
} from './scalar.ts';
import { baseOf, type TypeCatalogue, type TypeInfo, typeInfo } from './types.ts';

/** Types with a JSON form of their own; every other base type is a string of its text. */
const SCALARS: ReadonlyMap<number, ColumnCodec> = new Map([
  [16, writeBoolean],
  [20, writeInteger],
  [21, writeInteger],
  [23, writeInteger],
  [700, writeFloat],
  [701, writeFloat],
  [1700, writeNumeric],
  [114, writeJson],
  [3802, writeJsonb],
  [1114, writeTimestamp],
  [1184, writeTimestamptz],
]);
const INT2VECTOR = 22;
const OIDVECTOR = 30;

/**
 * The codec of a type. A type that `types` does not know is passed as a string. The codec returns false for a text that
 * its type does not print; `writeValue` turns that into a string.
 */
export function codecFor(typeOid: number, types: TypeCatalogue): ColumnCodec {
  return compile(typeOid, { types, done: new Map(), depth: 0 });
}

interface Compiling {
  types: TypeCatalogue;
  /** Also ends the recursion should a catalogue contradict itself. */
  done: Map<number, ColumnCodec>;
  depth: number;
}

/** Types inside of types. Anybody can make thousands, each of the one before: what lies deeper is a string of its text. */
const DEEPEST = 100;

function compile(oid: number, { depth, ...rest }: Compiling): ColumnCodec {
  const scalar = SCALARS.get(oid);
  if (scalar) return scalar;
  if (depth > DEEPEST) return writeString;
  const compiling = { ...rest, depth: depth + 1 };
  const known = compiling.done.get(oid);
  if (known) return known;
  compiling.done.set(oid, writeString);
  const type = typeInfo(compiling.types, oid);
  const codec = type ? compileType(type, compiling) : writeString;
  compiling.done.set(oid, codec);
  return codec;
}

function compileType(type: TypeInfo, compiling: Compiling): ColumnCodec {
  if (type.kind === 'domain') return compile(baseOf(compiling.types, type.oid), compiling);
  if (type.kind === 'composite') {
    return compositeCodec(type.attributes.map(({ name, typeOid }) => ({ name, codec: compile(typeOid, compiling) })));
  }
  if (type.elementOid !== null) {
    const element = compile(type.elementOid, compiling);
    if (type.oid === INT2VECTOR || type.oid === OIDVECTOR) return vectorCodec(element);
    return arrayCodec(element, type.delimiter);
  }
  if (type.extension === 'hstore' && type.name === 'hstore') return writeHstore;
  return writeString;
}

/** Writes one value; a text that does not fit its type becomes a string. Returns whether it fitted. */
export function writeValue(out: JsonBytes, codec: ColumnCodec, from: Slice): boolean {
  const before = out.length;
  if (codec(out, from)) return true;
  out.length = before;
  writeString(out, from);
  return false;
}

/** The JSON text of one value. For single values; rows go through `compileRelation`. */
export function jsonOf(codec: ColumnCodec, text: string): string {
  const bytes = Buffer.from(text);
  const out = new JsonBytes(bytes.length + 64);
  writeValue(out, codec, { bytes, start: 0, end: bytes.length });
  return out.text();
}
