/**
 * A line of COPY's text format as a row, with the same bytes that the stream would bring
 * (https://www.postgresql.org/docs/current/sql-copy.html, "Text Format"). All encodings of servers keep tabs, line breaks
 * and backslashes for themselves.
 */
import { NULL_VALUE, type Tuple } from './tuple.ts';

const TAB = 0x09;
const BACKSLASH = 0x5c;
/** After a backslash: NULL. */
const NULL_LETTER = 0x4e;
/** What letters stand for after a backslash; everything else for itself. */
const MEANT = new Uint8Array(256).map((_, byte) => byte);
for (const [letter, byte] of Object.entries({ b: 0x08, f: 0x0c, n: 0x0a, r: 0x0d, t: 0x09, v: 0x0b }))
  MEANT[letter.charCodeAt(0)] = byte;

/** A value that is longer is searched for its end by the runtime; of a shorter one the call would cost more. */
const SHORT = 16;

/** `line` ends with its line break, and is not to be changed afterwards: a row without escapes lies in it. */
export function tupleOfLine(line: Buffer): Tuple {
  const ranges: number[] = [];
  const last = line.length - 1;
  let escaped = placeOf(line, BACKSLASH, 0);
  for (let start = 0; start <= last; ) {
    const end = Math.min(last, placeOf(line, TAB, start));
    if (escaped > end) ranges.push(start, end);
    else if (line[escaped + 1] === NULL_LETTER) {
      ranges.push(NULL_VALUE, NULL_VALUE);
      escaped = placeOf(line, BACKSLASH, end);
    } else return withEscapes(line, { start, escaped, ranges });
    start = end + 1;
  }
  return { bytes: line, ranges, unchanged: false };
}

interface Begun {
  /** Of the first value with an escape, and that escape. */
  start: number;
  escaped: number;
  /** Of the values before it. */
  ranges: number[];
}

/** The row has bytes of its own, and no more of them than its values have: by their number it may be too large. */
function withEscapes(line: Buffer, { start, escaped, ranges }: Begun): Tuple {
  const bytes = Buffer.allocUnsafe(line.length);
  const last = line.length - 1;
  let to = line.copy(bytes, 0, 0, start);
  for (let from = start; from <= last; ) {
    const end = Math.min(last, placeOf(line, TAB, from));
    const begin = to;
    let isNull = false;
    while (escaped < end) {
      to += line.copy(bytes, to, from, escaped);
      const letter = line[escaped + 1]!;
      isNull = letter === NULL_LETTER;
      bytes[to++] = MEANT[letter]!;
      from = escaped + 2;
      escaped = placeOf(line, BACKSLASH, from);
    }
    if (isNull) ranges.push(NULL_VALUE, NULL_VALUE);
    else {
      to += line.copy(bytes, to, from, end);
      ranges.push(begin, to);
    }
    from = end + 1;
  }
  return { bytes: bytes.subarray(0, to), ranges, unchanged: false };
}

/** Where a byte is found from `start` on; Infinity: nowhere. */
function placeOf(line: Buffer, byte: number, start: number): number {
  const near = Math.min(line.length, start + SHORT);
  for (let at = start; at < near; at += 1) if (line[at] === byte) return at;
  const found = line.indexOf(byte, near);
  return found < 0 ? Number.POSITIVE_INFINITY : found;
}
