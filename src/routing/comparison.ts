/**
 * How values of a type are compared, from their texts, as Postgres compares them: numbers by value with every digit, floats
 * as the floats they are, timestamps by instant, text by its bytes. A type whose text says neither order nor equality
 * (`1 day` and `24:00:00` are one interval) is not compared at all, rather than compared wrongly.
 */

import { baseOf, type TypeCatalogue, type TypeInfo, typeInfo } from '../codec/types.ts';
import { compareDecimals, type Decimal, parseDecimal } from '../model/decimal.ts';
import { clockMicros, parseInstant } from '../model/instant.ts';
import { withoutTrailing } from '../model/trailing.ts';

export type Comparable = Decimal | bigint | number | boolean | string;

export interface Comparison {
  /** What a value must be, in words: `a number`. */
  wants: string;
  /** A value's text as something that `compare` takes; undefined when it does not fit. */
  read(text: string): Comparable | undefined;
  /** Only equality means something. */
  unordered?: true;
}

const NUMBER: Comparison = { wants: 'a number', read: parseDecimal };
const DOUBLE: Comparison = { wants: 'a number that a double precision holds', read: (text) => float(text, Number) };
const REAL: Comparison = {
  wants: 'a number that a real holds',
  read: (text) => float(text, (digits) => Math.fround(Number(digits))),
};
const INSTANT: Comparison = {
  wants: 'a date or a timestamp, such as 2026-01-31 or 2026-01-31T10:00:00Z',
  read: (text) => parseInstant(text)?.micros,
};
const LOCAL: Comparison = {
  wants: 'a date or a timestamp without a time zone, as the column has none',
  read: (text) => {
    const found = parseInstant(text);
    return found?.offsetSeconds ? undefined : found?.micros;
  },
};
const CLOCK: Comparison = { wants: 'a time of day, such as 10:00 or 10:00:00.5', read: clockMicros };
const BOOLEAN: Comparison = { wants: 'true or false', read: boolean };
const BYTES: Comparison = { wants: 'a text', read: (text) => text };
const PADDED: Comparison = { wants: 'a text', read: (text) => withoutTrailing(text, ' ') };
const BINARY: Comparison = {
  wants: 'bytes as \\x and hexadecimal digits',
  read: (text) => (/^\\x([\da-f]{2})*$/i.test(text) ? text.toLowerCase() : undefined),
};
const UUID: Comparison = { wants: 'a UUID', read: uuid };
const LABEL: Comparison = { ...BYTES, unordered: true };
const FOLDED: Comparison = { wants: 'a text', read: (text) => text.toLowerCase(), unordered: true };

/** By oid, which Postgres' own types keep for ever. */
const BUILT_IN: Record<number, Comparison> = {
  16: BOOLEAN,
  17: BINARY,
  18: BYTES,
  19: BYTES,
  20: NUMBER,
  21: NUMBER,
  23: NUMBER,
  25: BYTES,
  26: NUMBER,
  700: REAL,
  701: DOUBLE,
  1042: PADDED,
  1043: BYTES,
  1082: LOCAL,
  1083: CLOCK,
  1114: LOCAL,
  1184: INSTANT,
  1700: NUMBER,
  2950: UUID,
};

/** Of the value inside json, by the declared `field_type`. */
export const FIELDS = { string: BYTES, number: NUMBER, boolean: BOOLEAN, datetime: INSTANT };

/** How values of a column's type are compared; undefined when their texts do not tell. */
export function comparisonOf(type: TypeInfo | undefined): Comparison | undefined {
  if (type?.kind === 'enum') return LABEL;
  if (type?.extension === 'citext') return FOLDED;
  return type && BUILT_IN[type.oid];
}

/** What a domain is made of, otherwise the type itself. */
export const baseType = (types: TypeCatalogue, oid: number): TypeInfo | undefined =>
  typeInfo(types, baseOf(types, oid));

/** Below zero: `a` is the smaller one. Both were read by one Comparison. */
export function compare(a: Comparable, b: Comparable): number {
  if (typeof a === 'object' && typeof b === 'object') return compareDecimals(a, b);
  if (a === b) return 0;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  // NaN equals itself and is the largest of all.
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Undefined: no number, or one that leaves the type's range (Postgres refuses it too). */
function float(text: string, round: (digits: string) => number): number | undefined {
  const decimal = parseDecimal(text);
  if (decimal === undefined) return undefined;
  if (decimal.rank === 3) return Number.NaN;
  if (Math.abs(decimal.rank) === 2) return decimal.rank * Number.POSITIVE_INFINITY;
  const value = round(text);
  return Number.isFinite(value) && (value === 0) === (decimal.rank === 0) ? value : undefined;
}

/** As Postgres reads one: also `yes`, `on`, `1` and shorter forms. */
function boolean(text: string): boolean | undefined {
  const word = text.trim().toLowerCase();
  if (word === '') return undefined;
  if (word === '1' || 'true'.startsWith(word) || 'yes'.startsWith(word) || word === 'on') return true;
  if (word === '0' || 'false'.startsWith(word) || 'no'.startsWith(word) || word === 'off' || word === 'of')
    return false;
  return undefined;
}

function uuid(text: string): string | undefined {
  const digits = text
    .replace(/^\{(.*)\}$/, '$1')
    .replaceAll('-', '')
    .toLowerCase();
  return /^[\da-f]{32}$/.test(digits) ? digits : undefined;
}
