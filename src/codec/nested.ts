/**
 * Text forms with values inside (arrays, composites, hstore) -> JSON text. Element texts are unquoted into bytes and
 * handed to the element's own codec, to any depth. Keys of objects stand in jsonb's order. Any text that does not have the
 * form its output function prints is refused (false), so what is written is always valid JSON.
 * https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO, .../rowtypes.html#ROWTYPES-IO-SYNTAX
 */
import { type JsonBytes, type Slice, writeString } from './json-bytes.ts';
import type { ColumnCodec } from './scalar.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const EQUALS = 0x3d;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const LEFT = 0x28;
const RIGHT = 0x29;
const SPACE = 0x20;
const NULL = Buffer.from('null');

/** `{1,NULL,"a b"}`, `{{1},{2}}`, `[0:1]={1,2}`: nested JSON arrays; explicit bounds are dropped, as in `to_jsonb`. */
export function arrayCodec(element: ColumnCodec, delimiter: string): ColumnCodec {
  const separator = delimiter.charCodeAt(0);
  return (out, from) => {
    const { bytes, end } = from;
    let at = from.start;
    if (bytes[at] === 0x5b) while (at < end && bytes[at++] !== EQUALS);
    let depth = 0;
    // A value or `{` may come / a value was just written / a `{` was just written.
    let state: 'value' | 'after' | 'open' = 'value';
    while (at < end) {
      const byte = bytes[at]!;
      if (byte === CLOSE) {
        if (state === 'value' || depth === 0) return false;
        out.byte(0x5d);
        at++;
        if (--depth === 0) return at === end;
        state = 'after';
      } else if (state === 'after') {
        if (byte !== separator) return false;
        out.byte(COMMA);
        at++;
        state = 'value';
      } else if (byte === OPEN) {
        out.byte(0x5b);
        at++;
        depth++;
        state = 'open';
      } else {
        if (depth === 0) return false;
        at = writeElement(out, { bytes, start: at, end }, { element, separator });
        if (at < 0) return false;
        state = 'after';
      }
    }
    return false;
  };
}

/** Writes the element that starts the slice. Returns where it ends, -1 if it cannot be read. */
function writeElement(out: JsonBytes, from: Slice, array: { element: ColumnCodec; separator: number }): number {
  const { bytes, start, end } = from;
  if (bytes[start] === QUOTE) {
    const close = closingQuote(from);
    if (close < 0) return -1;
    return array.element(out, unescaped({ bytes, start: start + 1, end: close })) ? close + 1 : -1;
  }
  let at = start;
  while (at < end && bytes[at] !== array.separator && bytes[at] !== CLOSE) at++;
  if (at === start) return -1;
  if (isNull(bytes, start, at)) {
    out.copy(NULL);
    return at;
  }
  return array.element(out, { bytes, start, end: at }) ? at : -1;
}

/** `int2vector` and `oidvector` are arrays whose text is `1 2 3`. */
export function vectorCodec(element: ColumnCodec): ColumnCodec {
  return (out, from) => {
    const { bytes, end } = from;
    out.byte(0x5b);
    let start = from.start;
    while (start < end) {
      let at = start;
      while (at < end && bytes[at] !== SPACE) at++;
      if (start > from.start) out.byte(COMMA);
      if (!element(out, { bytes, start, end: at })) return false;
      start = at + 1;
    }
    out.byte(0x5d);
    return true;
  };
}

/**
 * `(1,,"a ""b""")`: an object of the attributes. The type may have changed since it was read: attributes that an older
 * row does not carry yet are left out; a text with more fields than attributes is refused.
 */
export function compositeCodec(attributes: readonly { name: string; codec: ColumnCodec }[]): ColumnCodec {
  const members = attributes
    .map(({ name, codec }, index) => ({ name: Buffer.from(name), label: label(name), codec, index }))
    .sort((a, b) => a.name.length - b.name.length || Buffer.compare(a.name, b.name));
  return (out, from) => {
    const fields = readFields(from);
    if (!fields) return false;
    // `()` is one null field, or none.
    if (fields.length > attributes.length && from.end - from.start > 2) return false;
    out.byte(OPEN);
    let first = true;
    for (const { label, codec, index } of members) {
      const field = fields[index];
      if (field === undefined) continue;
      if (!first) out.byte(COMMA);
      first = false;
      out.copy(label);
      if (!field) out.copy(NULL);
      else if (!codec(out, field)) return false;
    }
    out.byte(CLOSE);
    return true;
  };
}

/** The fields of a composite's text, null for NULL; undefined if it is none. */
export function readFields(from: Slice): (Slice | null)[] | undefined {
  const { bytes, end } = from;
  if (bytes[from.start] !== LEFT) return undefined;
  const fields: (Slice | null)[] = [];
  let at = from.start + 1;
  while (at < end) {
    const start = at;
    if (bytes[at] === QUOTE) {
      const close = closingQuote({ bytes, start, end });
      if (close < 0) return undefined;
      fields.push(unescaped({ bytes, start: start + 1, end: close }));
      at = close + 1;
    } else {
      while (at < end && bytes[at] !== COMMA && bytes[at] !== RIGHT) at++;
      fields.push(at === start ? null : { bytes, start, end: at });
    }
    const byte = at < end ? bytes[at] : undefined;
    at++;
    if (byte === RIGHT) return at === end ? fields : undefined;
    if (byte !== COMMA) return undefined;
  }
  return undefined;
}

/** `"a"=>"1", "b"=>NULL`: an object of strings and nulls, as hstore's cast to json gives (its text is in jsonb's order). */
export const writeHstore: ColumnCodec = (out, from) => {
  const { bytes, end } = from;
  out.byte(OPEN);
  let at = from.start;
  while (at < end) {
    if (at > from.start) {
      if (bytes[at] !== COMMA || bytes[at + 1] !== SPACE) return false;
      out.byte(COMMA);
      at += 2;
    }
    at = writeQuoted(out, { bytes, start: at, end });
    if (at < 0 || bytes[at] !== EQUALS || bytes[at + 1] !== 0x3e) return false;
    out.byte(COLON);
    at += 2;
    if (bytes[at] === QUOTE) {
      at = writeQuoted(out, { bytes, start: at, end });
      if (at < 0) return false;
    } else {
      if (!isNull(bytes, at, Math.min(at + 4, end))) return false;
      out.copy(NULL);
      at += 4;
    }
  }
  out.byte(CLOSE);
  return true;
};

/** Writes the quoted text that starts the slice as a JSON string. Returns where it ends, -1 if there is none. */
function writeQuoted(out: JsonBytes, from: Slice): number {
  const close = from.bytes[from.start] === QUOTE ? closingQuote(from) : -1;
  if (close < 0) return -1;
  writeString(out, unescaped({ bytes: from.bytes, start: from.start + 1, end: close }));
  return close + 1;
}

/** Where the quote that opens the slice is closed; -1 if nowhere. A doubled quote and one after a backslash are text. */
function closingQuote(from: Slice): number {
  const { bytes, end } = from;
  for (let i = from.start + 1; i < end; i++) {
    const byte = bytes[i];
    if (byte === BACKSLASH) i++;
    else if (byte === QUOTE) {
      if (i + 1 < end && bytes[i + 1] === QUOTE) i++;
      else return i;
    }
  }
  return -1;
}

/** The text between two quotes without its escapes: the same slice if it has none, else a copy. */
function unescaped(from: Slice): Slice {
  const { bytes, start, end } = from;
  let i = start;
  while (i < end && bytes[i] !== BACKSLASH && bytes[i] !== QUOTE) i++;
  if (i === end) return from;
  const copy = Buffer.allocUnsafe(end - start);
  let length = bytes.copy(copy, 0, start, i);
  for (; i < end; i++) {
    if (bytes[i] === BACKSLASH || bytes[i] === QUOTE) i++;
    copy[length++] = bytes[i]!;
  }
  return { bytes: copy, start: 0, end: length };
}

function isNull(bytes: Buffer, start: number, end: number): boolean {
  if (end - start !== 4) return false;
  return bytes[start] === 0x4e && bytes[start + 1] === 0x55 && bytes[start + 2] === 0x4c && bytes[start + 3] === 0x4c;
}

/** `"name":`, ready to be copied. */
export function label(name: string): Buffer {
  return Buffer.from(`${JSON.stringify(name)}:`);
}
