/**
 * JSON texts read as text, so that no number passes through a double: `1.0`, `1` and `10e-1` are one value, and
 * 9007199254740993 is not 9007199254740992. Of duplicate keys the last one counts, as everywhere in JSON.
 */
import { withoutTrailing } from './trailing.ts';

/** `1.50e3`, `0015` and the like: digits, fraction and exponent of a number. */
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * The same text for every text of one value: keys in order, no white space, numbers as digits and a power of ten.
 * @throws SyntaxError for what is no JSON.
 */
export function canonicalJson(text: string): string {
  const reader = { text, at: 0 };
  const value = canonicalValue(reader);
  if (skipSpace(text, reader.at) < text.length) throw unreadable(reader);
  return value;
}

/** Are two texts one value? Texts that are no JSON equal only themselves. */
export function sameJson(a: string, b: string): boolean {
  if (a === b) return true;
  try {
    return canonicalJson(a) === canonicalJson(b);
  } catch (error) {
    // A RangeError: nested so deeply that no engine takes it.
    if (error instanceof SyntaxError || error instanceof RangeError) return false;
    throw error;
  }
}

/** The members of an object as texts, by key; undefined for a text that is no object. */
export function membersOf(text: string): Map<string, string> | undefined {
  const reader = { text, at: skipSpace(text, 0) };
  if (text[reader.at] !== '{') return undefined;
  const found = new Map<string, string>();
  eachMember(reader, (key) => found.set(key, takeValue(reader)));
  return found;
}

/** The items of an array as texts; undefined for a text that is no array. */
export function itemsOf(text: string): string[] | undefined {
  const reader = { text, at: skipSpace(text, 0) };
  if (text[reader.at] !== '[') return undefined;
  const found: string[] = [];
  eachItem(reader, () => found.push(takeValue(reader)));
  return found;
}

/** Keys of an object whose values differ between two objects, in order; undefined when one of them is no object. */
export function differingKeys(a: string, b: string): string[] | undefined {
  const [ours, theirs] = [membersOf(a), membersOf(b)];
  if (ours === undefined || theirs === undefined) return undefined;
  return [...new Set([...ours.keys(), ...theirs.keys()])]
    .filter((key) => {
      const [one, other] = [ours.get(key), theirs.get(key)];
      return one === undefined || other === undefined || !sameJson(one, other);
    })
    .toSorted();
}

interface Reader {
  text: string;
  at: number;
}

function canonicalValue(reader: Reader): string {
  const { text } = reader;
  reader.at = skipSpace(text, reader.at);
  switch (text[reader.at]) {
    case '{': {
      const members = new Map<string, string>();
      eachMember(reader, (key) => members.set(key, canonicalValue(reader)));
      const sorted = [...members].sort(([a], [b]) => (a < b ? -1 : 1));
      return `{${sorted.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
    }
    case '[': {
      const items: string[] = [];
      eachItem(reader, () => items.push(canonicalValue(reader)));
      return `[${items.join(',')}]`;
    }
    case '"': {
      const start = reader.at;
      skipString(reader);
      const raw = text.slice(start, reader.at);
      return raw.includes('\\') ? JSON.stringify(JSON.parse(raw)) : raw;
    }
    default:
      return canonicalWord(reader);
  }
}

function canonicalWord(reader: Reader): string {
  const start = reader.at;
  skipValue(reader);
  const word = reader.text.slice(start, reader.at);
  if (word === 'true' || word === 'false' || word === 'null') return word;
  const match = NUMBER.exec(word);
  if (match === null) throw unreadable(reader);
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = withoutTrailing(digits, '0');
  if (significant === '') return '0';
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - significant.length);
  return `${sign}${significant}e${power}`;
}

/** Calls `member` with each key when the reader stands at its value, behind which `member` moves it. */
function eachMember(reader: Reader, member: (key: string) => void): void {
  const { text } = reader;
  const key = (): string => {
    const start = reader.at;
    if (text[start] !== '"') throw unreadable(reader);
    skipString(reader);
    const raw = text.slice(start, reader.at);
    return raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1);
  };
  eachItem(reader, () => {
    const name = key();
    reader.at = skipSpace(text, reader.at);
    if (text[reader.at] !== ':') throw unreadable(reader);
    reader.at = skipSpace(text, reader.at + 1);
    member(name);
  });
}

/** Calls `item` at each member of an object, item of an array; `item` moves the reader behind it. */
function eachItem(reader: Reader, item: () => void): void {
  const { text } = reader;
  const closing = text[reader.at] === '{' ? '}' : ']';
  reader.at = skipSpace(text, reader.at + 1);
  while (text[reader.at] !== closing) {
    item();
    reader.at = skipSpace(text, reader.at);
    if (text[reader.at] === closing) break;
    if (text[reader.at] !== ',') throw unreadable(reader);
    reader.at = skipSpace(text, reader.at + 1);
    if (text[reader.at] === closing) throw unreadable(reader);
  }
  reader.at += 1;
}

/** The text of the value at the reader, which it goes behind. */
function takeValue(reader: Reader): string {
  const start = reader.at;
  skipValue(reader);
  return reader.text.slice(start, reader.at);
}

/** Goes behind the value at the reader. Inside of an object or array only strings and brackets are looked at. */
function skipValue(reader: Reader): void {
  const { text } = reader;
  const first = text[reader.at];
  if (first === '"') {
    skipString(reader);
    return;
  }
  if (first !== '{' && first !== '[') {
    const start = reader.at;
    while (reader.at < text.length && !/[\s,\]}:"[{]/.test(text[reader.at]!)) reader.at += 1;
    if (reader.at === start) throw unreadable(reader);
    return;
  }
  for (let depth = 0; ; ) {
    const mark = text.charCodeAt(reader.at);
    if (Number.isNaN(mark)) throw unreadable(reader);
    if (mark === QUOTE) {
      skipString(reader);
      continue;
    }
    if (mark === OPEN_BRACE || mark === OPEN_BRACKET) depth += 1;
    else if (mark === CLOSE_BRACE || mark === CLOSE_BRACKET) depth -= 1;
    reader.at += 1;
    if (depth === 0) return;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

function skipString(reader: Reader): void {
  const { text } = reader;
  for (let end = text.indexOf('"', reader.at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 1) continue;
    reader.at = end + 1;
    return;
  }
  throw unreadable(reader);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= 32) at += 1;
  return at;
}

/** Without the text: it may hold a row's values. */
function unreadable({ at }: Reader): SyntaxError {
  return new SyntaxError(`not JSON at character ${at + 1}`);
}
