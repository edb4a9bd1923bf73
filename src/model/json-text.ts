/**
 * Which JSON texts are the same value, read as text, so that no number passes through a double: `1.0`, `1` and `10e-1` are one
 * value, and 9007199254740993 is not 9007199254740992. Of duplicate keys the last one counts, as everywhere in JSON.
 */
import {
  eachItem,
  eachMember,
  membersOf,
  type Reader,
  skipSpace,
  skipString,
  skipValue,
  unreadable,
} from './json-scan.ts';
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
