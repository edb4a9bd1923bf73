/**
 * Column filters, judged on a row's text values by the column's type, as Postgres would: numbers by value with every
 * digit, timestamps by instant (microseconds), booleans, everything else by bytes. NULL satisfies only is_null.
 */
import type { ColumnFilter, FilterOperator } from '../model/declared.ts';

export type CompareAs = 'number' | 'instant' | 'boolean' | 'bytes';

/** A filter bound to a column of one relation. */
export interface BoundFilter {
  columnIndex: number;
  /** Keys into a json or jsonb value; empty for the column itself. */
  path: readonly string[];
  compareAs: CompareAs;
  operator: FilterOperator;
  /** The values to compare with, ready to be compared. */
  operands: readonly Comparable[];
}

type Comparable = bigint | Decimal | Buffer | boolean;
interface Decimal {
  digits: bigint;
  scale: number;
}

const NUMBERS = new Set([20, 21, 23, 26, 700, 701, 1700]);
const TIMESTAMPS = new Set([1114, 1184, 1082]);
const JSON_TYPES = new Set([114, 3802]);
const BOOLEAN = 16;

/** How values of this column (or of this place inside its JSON) are compared. */
export function compareAs(filter: ColumnFilter, typeOid: number): CompareAs {
  if (filter.field_path !== null && JSON_TYPES.has(typeOid)) {
    if (filter.field_type === 'number') return 'number';
    if (filter.field_type === 'boolean') return 'boolean';
    return filter.field_type === 'datetime' ? 'instant' : 'bytes';
  }
  if (NUMBERS.has(typeOid)) return 'number';
  if (TIMESTAMPS.has(typeOid)) return 'instant';
  return typeOid === BOOLEAN ? 'boolean' : 'bytes';
}

/** Binds a filter to its column. Returns a sentence when its value cannot be compared with that column. */
export function bindFilter(filter: ColumnFilter, column: { index: number; typeOid: number }): BoundFilter | string {
  const as = compareAs(filter, column.typeOid);
  const values =
    filter.operator === 'is_null' || filter.operator === 'not_null' ? [] : [filter.comparison_value].flat();
  const operands: Comparable[] = [];
  for (const value of values) {
    const operand = value === null ? undefined : comparable(String(value), as);
    if (operand === undefined) return `the value of the filter on ${filter.column_name} is no ${as} as the column is`;
    operands.push(operand);
  }
  return {
    columnIndex: column.index,
    path: filter.field_path === null ? [] : filter.field_path.split('.'),
    compareAs: as,
    operator: filter.operator,
    operands,
  };
}

/** Does a row satisfy the filter? `text` is the column's value, null for NULL. */
export function passes(filter: BoundFilter, text: string | null): boolean {
  const found = text !== null && filter.path.length > 0 ? jsonAt(text, filter.path) : text;
  if (filter.operator === 'is_null') return found === null;
  if (filter.operator === 'not_null') return found !== null;
  const value = found === null ? undefined : comparable(found, filter.compareAs);
  if (value === undefined) return false;
  const signs = filter.operands.map((operand) => compare(value, operand));
  switch (filter.operator) {
    case '=':
    case 'in':
      return signs.includes(0);
    case '!=':
    case 'not_in':
      return !signs.includes(0);
    case '>':
      return signs[0]! > 0;
    case '<':
      return signs[0]! < 0;
    case '>=':
      return signs[0]! >= 0;
    case '<=':
      return signs[0]! <= 0;
  }
}

/** The scalar at a path inside JSON text, as text; null when there is none or it is null. */
function jsonAt(text: string, path: readonly string[]): string | null {
  let value: unknown;
  try {
    // Numbers keep their digits: the source text of a primitive is what is compared.
    value = JSON.parse(text, (_key, inner: unknown, context?: { source?: string }) =>
      typeof inner === 'number' ? { source: context?.source ?? String(inner) } : inner,
    );
  } catch {
    return null;
  }
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return null;
    value = Reflect.get(value, key);
  }
  if (value === null || value === undefined) return null;
  if (typeof value !== 'object') return String(value);
  const source: unknown = Reflect.get(value, 'source');
  return typeof source === 'string' && Object.keys(value).length === 1 ? source : JSON.stringify(value);
}

function comparable(text: string, as: CompareAs): Comparable | undefined {
  if (as === 'number') return decimal(text);
  if (as === 'instant') return micros(text);
  if (as === 'boolean') return /^(t|true|f|false)$/i.test(text) ? text[0]!.toLowerCase() === 't' : undefined;
  return Buffer.from(text);
}

/** A number with every digit. NaN and the infinities sort as in Postgres: -Infinity, numbers, Infinity, NaN. */
function decimal(text: string): Decimal | undefined {
  const special = { nan: 3n, infinity: 2n, '-infinity': -2n }[text.toLowerCase()];
  if (special !== undefined) return { digits: special, scale: Number.NaN };
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/.exec(text);
  if (!match || `${match[2]}${match[3] ?? ''}` === '') return undefined;
  const fraction = match[3] ?? '';
  const magnitude = BigInt(`${match[2]}${fraction}`);
  return { digits: match[1] === '-' ? -magnitude : magnitude, scale: fraction.length - Number(match[4] ?? 0) };
}

const INSTANT =
  /^(\d{4,6})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,6}))?)?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?( BC)?$/;

/** Microseconds since 1970. A time without a zone is UTC. */
function micros(text: string): bigint | undefined {
  if (text === 'infinity') return 1n << 80n;
  if (text === '-infinity') return -(1n << 80n);
  const match = INSTANT.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone = 'Z', bc] = match;
  const date = new Date(0);
  date.setUTCFullYear(bc ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  const offset = zone === 'Z' ? 0 : zoneMinutes(zone);
  return BigInt(date.getTime() - offset * 60_000) * 1000n + BigInt(fraction.padEnd(6, '0'));
}

function zoneMinutes(zone: string): number {
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  const minutes = Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2));
  return zone[0] === '-' ? -minutes : minutes;
}

function compare(a: Comparable, b: Comparable): number {
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'boolean' || typeof b === 'boolean') return Number(a) - Number(b);
  if (Buffer.isBuffer(a) && Buffer.isBuffer(b)) return Buffer.compare(a, b);
  return compareDecimals(a as Decimal, b as Decimal);
}

function compareDecimals(a: Decimal, b: Decimal): number {
  if (Number.isNaN(a.scale) || Number.isNaN(b.scale)) {
    const rankA = Number.isNaN(a.scale) ? a.digits : 0n;
    const rankB = Number.isNaN(b.scale) ? b.digits : 0n;
    return rankA < rankB ? -1 : rankA > rankB ? 1 : 0;
  }
  const scale = Math.max(a.scale, b.scale);
  const left = a.digits * 10n ** BigInt(scale - a.scale);
  const right = b.digits * 10n ** BigInt(scale - b.scale);
  return left < right ? -1 : left > right ? 1 : 0;
}
