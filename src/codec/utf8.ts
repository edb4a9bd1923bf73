/**
 * Bytes of a source that should be UTF-8 and are not: a SQL_ASCII database keeps whatever it was sent, `"char"` takes any
 * byte, and a damaged file is what it is. A value's faults become U+FFFD when it is persisted (messages/repair.ts); a key
 * is never replaced, for two rows could become one: its faulty bytes are written out, as `\xe9`.
 */
import { isUtf8 } from 'node:buffer';

const REPLACEMENT = '\ufffd';

/** The text of a key, and whether all its bytes were UTF-8; the others read `\xe9`. */
export function keyText(bytes: Buffer, start = 0, end = bytes.length): { text: string; whole: boolean } {
  const text = bytes.toString('utf8', start, end);
  if (!text.includes(REPLACEMENT)) return { text, whole: true };
  const part = bytes.subarray(start, end);
  return isUtf8(part) ? { text, whole: true } : { text: writtenOut(part), whole: false };
}

/** A key's value as the stream's changes have it, of what a row was read as: bytes are no UTF-8. */
export const keyValue = (value: string | Buffer): string => (typeof value === 'string' ? value : keyText(value).text);

function writtenOut(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceAt(bytes, at);
    text += length > 0 ? bytes.toString('utf8', at, at + length) : `\\x${bytes.toString('hex', at, at + 1)}`;
    at += Math.max(1, length);
  }
  return text;
}

/** How many bytes the character at this place has; 0 if there is none. */
function sequenceAt(bytes: Buffer, at: number): number {
  const first = bytes[at]!;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  return at + length <= bytes.length && isUtf8(bytes.subarray(at, at + length)) ? length : 0;
}
