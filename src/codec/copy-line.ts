/**
 * A line of COPY's text format as a row, with the same bytes that the stream would bring
 * (https://www.postgresql.org/docs/current/sql-copy.html, "Text Format"). All encodings of servers keep tabs, line breaks
 * and backslashes for themselves.
 */
import { NULL_VALUE, type Tuple } from './tuple.ts';

const TAB = 0x09;
const LINE_BREAK = 0x0a;
const BACKSLASH = 0x5c;
/** After a backslash: NULL. */
const NULL_LETTER = 0x4e;
/** What letters stand for after a backslash; everything else for itself. */
const MEANT = new Uint8Array(256).map((_, byte) => byte);
for (const [letter, byte] of Object.entries({ b: 0x08, f: 0x0c, n: 0x0a, r: 0x0d, t: 0x09, v: 0x0b }))
  MEANT[letter.charCodeAt(0)] = byte;

/** `line` ends with its line break. The row has bytes of its own. */
export function tupleOfLine(line: Buffer): Tuple {
  const bytes = Buffer.allocUnsafe(line.length);
  const ranges: number[] = [];
  let start = 0;
  let end = 0;
  let isNull = false;
  for (let at = 0; at < line.length; at++) {
    const byte = line[at]!;
    if (byte === TAB || byte === LINE_BREAK) {
      if (isNull) ranges.push(NULL_VALUE, NULL_VALUE);
      else ranges.push(start, end);
      start = end;
      isNull = false;
    } else if (byte === BACKSLASH) {
      const letter = line[++at]!;
      if (letter === NULL_LETTER) isNull = true;
      else bytes[end++] = MEANT[letter]!;
    } else bytes[end++] = byte;
  }
  return { bytes: bytes.subarray(0, end), ranges, unchanged: false };
}
