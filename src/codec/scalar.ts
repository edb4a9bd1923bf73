/**
 * Text form of one plain value -> JSON text, as `to_jsonb` prints it in a session with TimeZone UTC. A codec returns false
 * when the text is not what its type prints; the caller then takes back what it wrote and passes the text as a string.
 * Whatever a codec accepts is valid JSON.
 */
import { isDeeper } from './depth.ts';
import { type JsonBytes, type Slice, writeString } from './json-bytes.ts';

/** Appends the JSON text of `from` to `out`; false (with rubbish appended) if the text does not fit the type. */
export type ColumnCodec = (out: JsonBytes, from: Slice) => boolean;

const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const POINT = 0x2e;
const SPACE = 0x20;
const QUOTE = 0x22;
const TRUE = Buffer.from('true');
const FALSE = Buffer.from('false');

/** `t` and `f`. */
export function writeBoolean(out: JsonBytes, from: Slice): boolean {
  const byte = from.bytes[from.start];
  if (from.end - from.start !== 1 || (byte !== 0x74 && byte !== 0x66)) return false;
  out.copy(byte === 0x74 ? TRUE : FALSE);
  return true;
}

/** int2, int4, int8: digits with an optional minus, copied. */
export function writeInteger(out: JsonBytes, from: Slice): boolean {
  const source = from.bytes;
  const end = from.end;
  out.reserve(end - from.start);
  const target = out.bytes;
  let at = out.length;
  let i = from.start;
  if (source[i] === MINUS) target[at++] = source[i++]!;
  if (i >= end || (source[i] === ZERO && end - i > 1)) return false;
  for (; i < end; i++) {
    const byte = source[i]!;
    if (byte < ZERO || byte > NINE) return false;
    target[at++] = byte;
  }
  out.length = at;
  return true;
}

/** numeric: every digit; NaN and the infinities as strings. */
export function writeNumeric(out: JsonBytes, from: Slice): boolean {
  if (isSpecial(from)) return writeString(out, from);
  if (!isDecimal(from)) return false;
  out.copy(from.bytes, from.start, from.end);
  return true;
}

/** float4, float8: as numeric prints the shortest form, that is without an exponent and without a negative zero. */
export function writeFloat(out: JsonBytes, from: Slice): boolean {
  if (isSpecial(from)) return writeString(out, from);
  const exponentAt = indexOf(from, 0x65);
  if (exponentAt >= 0) return writeExpanded(out, from, exponentAt);
  if (!isDecimal(from)) return false;
  const negativeZero =
    from.end - from.start === 2 && from.bytes[from.start] === MINUS && from.bytes[from.start + 1] === ZERO;
  out.copy(from.bytes, negativeZero ? from.start + 1 : from.start, from.end);
  return true;
}

/** `NaN`, `Infinity`, `-Infinity`. */
function isSpecial(from: Slice): boolean {
  const last = from.bytes[from.end - 1];
  if (last !== 0x4e && last !== 0x79) return false;
  const text = from.bytes.toString('latin1', from.start, from.end);
  return text === 'NaN' || text === 'Infinity' || text === '-Infinity';
}

function indexOf(from: Slice, wanted: number): number {
  for (let i = from.start; i < from.end; i++) if (from.bytes[i] === wanted) return i;
  return -1;
}

/** Is it `-?digits(.digits)?` without a leading zero, so a JSON number? */
function isDecimal(from: Slice): boolean {
  const source = from.bytes;
  const first = source[from.start] === MINUS ? from.start + 1 : from.start;
  let i = skipDigits(source, first, from.end);
  if (i === first || (source[first] === ZERO && i - first > 1)) return false;
  if (i === from.end) return true;
  if (source[i] !== POINT) return false;
  const fraction = i + 1;
  i = skipDigits(source, fraction, from.end);
  return i === from.end && i > fraction;
}

function skipDigits(source: Buffer, start: number, end: number): number {
  let i = start;
  while (i < end && source[i]! >= ZERO && source[i]! <= NINE) i++;
  return i;
}

/** `d.ddde+nn`, whose first digit is no zero, with its point moved. */
function writeExpanded(out: JsonBytes, from: Slice, exponentAt: number): boolean {
  const first = from.bytes[from.start] === MINUS ? from.start + 1 : from.start;
  if (from.bytes[first] === ZERO || !isDecimal({ bytes: from.bytes, start: from.start, end: exponentAt })) return false;
  const match = /^([+-]?\d{1,3})$/.exec(from.bytes.toString('latin1', exponentAt + 1, from.end));
  if (!match) return false;
  const mantissa = from.bytes.toString('latin1', from.start, exponentAt);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole, fraction = ''] = mantissa.slice(sign.length).split('.') as [string, string?];
  const point = whole.length + Number(match[1]);
  const digits = whole + fraction;
  const text =
    point <= 0
      ? `0.${'0'.repeat(-point)}${digits}`
      : point >= digits.length
        ? digits.padEnd(point, '0')
        : `${digits.slice(0, point)}.${digits.slice(point)}`;
  out.copy(Buffer.from(sign + text, 'latin1'));
  return true;
}

/** timestamp: `T` where the text has a space between date and time. Infinities and BC pass. */
export function writeTimestamp(out: JsonBytes, from: Slice): boolean {
  return writeMoment(out, from) >= 0;
}

/** timestamptz: as timestamp, and an offset of hours alone gets its minutes (`+00` -> `+00:00`). */
export function writeTimestamptz(out: JsonBytes, from: Slice): boolean {
  const offsetAt = writeMoment(out, from);
  if (offsetAt <= 0) return offsetAt === 0;
  if (from.bytes[offsetAt + 3] === 0x3a) return true;
  const tail = from.end - offsetAt - 3;
  if (tail < 0) return false;
  out.reserve(3);
  const target = out.bytes;
  const at = out.length - 1 - tail;
  target.copyWithin(at + 3, at, out.length);
  target[at] = 0x3a;
  target[at + 1] = ZERO;
  target[at + 2] = ZERO;
  out.length += 3;
  return true;
}

/**
 * Writes a point in time in quotes. Returns where in the text its offset stands, 0 if it has none, -1 for a text that is
 * not one.
 */
function writeMoment(out: JsonBytes, from: Slice): number {
  const source = from.bytes;
  const end = from.end;
  out.reserve(end - from.start + 2);
  const target = out.bytes;
  let at = out.length;
  target[at++] = QUOTE;
  let inTime = false;
  let offsetAt = 0;
  for (let i = from.start; i < end; i++) {
    const byte = source[i]!;
    if (byte < SPACE || byte === QUOTE || byte === 0x5c) return -1;
    if (byte === SPACE && !inTime) {
      inTime = true;
      target[at++] = 0x54;
      continue;
    }
    if (inTime && (byte === 0x2b || byte === MINUS) && offsetAt === 0) offsetAt = i;
    target[at++] = byte;
  }
  target[at++] = QUOTE;
  out.length = at;
  return offsetAt;
}

/**
 * What is nested more deeply goes out as a string: with the message around it Postgres could not parse it, and no receive by SQL or
 * change table would take it. With its usual stack of 2 MB it takes some 20,000 levels.
 */
const MOST_LEVELS = 5_000;

/** jsonb: its own text, which has no line breaks. */
export function writeJsonb(out: JsonBytes, from: Slice): boolean {
  if (from.end === from.start) return false;
  if (isDeeper(from, MOST_LEVELS)) return writeString(out, from);
  out.copy(from.bytes, from.start, from.end);
  return true;
}

/** json: its own text with line breaks (only possible between tokens) as spaces, so that a message stays one line. */
export function writeJson(out: JsonBytes, from: Slice): boolean {
  if (from.end === from.start) return false;
  if (isDeeper(from, MOST_LEVELS)) return writeString(out, from);
  const first = out.length;
  out.copy(from.bytes, from.start, from.end);
  const target = out.bytes;
  for (let i = first; i < out.length; i++) if (target[i] === 0x0a || target[i] === 0x0d) target[i] = SPACE;
  return true;
}
