/**
 * Where JSON text is written: a byte buffer that grows. The codec goes from the wire's bytes to JSON's bytes without a
 * JavaScript value in between, so UTF-8 is copied and never decoded, and no number passes through a double. One buffer is
 * used again for row after row; `text` makes the one string a row needs.
 */

/** Part of a buffer: the text form of one value, `start` included, `end` not. */
export interface Slice {
  bytes: Buffer;
  start: number;
  end: number;
}

/** Kept between rows; a buffer that a huge row made larger is let go. */
const KEPT_BYTES = 4 << 20;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Longer runs without an escape are copied by the runtime instead of by this loop. */
const NATIVE_COPY_BYTES = 96;

/** 1 where a byte cannot stand in a JSON string as it is. Bytes of UTF-8 sequences can, and so can 0x7f, as in jsonb. */
const ESCAPED = new Uint8Array(256);
ESCAPED.fill(1, 0, 0x20);
ESCAPED[QUOTE] = 1;
ESCAPED[BACKSLASH] = 1;

const HEX = Buffer.from('0123456789abcdef', 'latin1');
const SHORT = new Uint8Array(0x20);
for (const [byte, letter] of Object.entries({ 8: 'b', 9: 't', 10: 'n', 12: 'f', 13: 'r' })) {
  SHORT[Number(byte)] = letter.charCodeAt(0);
}

export class JsonBytes {
  bytes: Buffer;
  length = 0;

  constructor(capacity = 16_384) {
    this.bytes = Buffer.allocUnsafeSlow(capacity);
  }

  /** Makes room for `count` more bytes. `bytes` may be another buffer afterwards. */
  reserve(count: number): void {
    if (this.length + count <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.length + count));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }

  byte(value: number): void {
    if (this.length === this.bytes.length) this.reserve(1);
    this.bytes[this.length++] = value;
  }

  /** Appends bytes `start` to `end` of `source` as they are. */
  copy(source: Buffer, start = 0, end = source.length): void {
    const count = end - start;
    this.reserve(count);
    if (count > NATIVE_COPY_BYTES) {
      source.copy(this.bytes, this.length, start, end);
      this.length += count;
      return;
    }
    const target = this.bytes;
    let at = this.length;
    for (let i = start; i < end; i++) target[at++] = source[i]!;
    this.length = at;
  }

  /** Forgets everything; what `text` returned stays. */
  clear(): void {
    this.length = 0;
    if (this.bytes.length > KEPT_BYTES) this.bytes = Buffer.allocUnsafeSlow(16_384);
  }

  /** All that was written, as a string. */
  text(): string {
    return this.bytes.toString('utf8', 0, this.length);
  }
}

/** Writes a slice as a JSON string with the escapes that jsonb prints. Always true: every text is a string. */
export function writeString(out: JsonBytes, from: Slice): boolean {
  const source = from.bytes;
  const end = from.end;
  out.reserve(end - from.start + 2);
  const target = out.bytes;
  let at = out.length;
  target[at++] = QUOTE;
  for (let i = from.start; i < end; i++) {
    const byte = source[i]!;
    if (ESCAPED[byte] === 1) {
      out.length = at;
      writeRest(out, from, i);
      return true;
    }
    target[at++] = byte;
  }
  target[at++] = QUOTE;
  out.length = at;
  return true;
}

/** The rest of a string from its first escape on, with the closing quote. */
function writeRest(out: JsonBytes, from: Slice, first: number): void {
  const source = from.bytes;
  let start = first;
  for (let i = first; i < from.end; i++) {
    const byte = source[i]!;
    if (ESCAPED[byte] === 0) continue;
    if (i > start) out.copy(source, start, i);
    writeEscape(out, byte);
    start = i + 1;
  }
  out.copy(source, start, from.end);
  out.byte(QUOTE);
}

function writeEscape(out: JsonBytes, byte: number): void {
  out.reserve(6);
  const target = out.bytes;
  target[out.length++] = BACKSLASH;
  if (byte >= 0x20) {
    target[out.length++] = byte;
  } else if (SHORT[byte] !== 0) {
    target[out.length++] = SHORT[byte]!;
  } else {
    target[out.length++] = 0x75;
    target[out.length++] = 0x30;
    target[out.length++] = 0x30;
    target[out.length++] = HEX[byte >> 4]!;
    target[out.length++] = HEX[byte & 15]!;
  }
}
