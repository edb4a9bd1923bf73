/**
 * A number of a text (JSON or YAML) that a double does not hold with all of its digits. It keeps them, so that whoever reads the
 * value can refuse it instead of taking another one.
 */
import { compareDecimals, parseDecimal } from './decimal.ts';

declare global {
  interface JSON {
    rawJSON(text: string): object;
  }
}

export class LongNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  /** With its digits, as a number. */
  toJSON(): object {
    return JSON.rawJSON(asJson(this.text));
  }
}

/** Of a text as long as this each double has its own. */
const EXACT_LENGTH = 15;
/** Of YAML: 0x1f, 0o17. */
const OTHER_BASE = /^0[xo]/;

/** `value`: what was made of `text`. */
export function numberOf(value: number, text: string): number | LongNumber {
  if (text.length <= EXACT_LENGTH && !/[eE]/.test(text)) return value;
  if (OTHER_BASE.test(text)) return Number.isSafeInteger(value) ? value : new LongNumber(text);
  const [written, kept] = [parseDecimal(text), parseDecimal(String(value))];
  const isExact = written !== undefined && kept !== undefined && compareDecimals(written, kept) === 0;
  return isExact ? value : new LongNumber(text);
}

/** As a number of JSON: YAML also takes `+1`, `.5`, `5.`, zeros in front and other bases. */
function asJson(text: string): string {
  if (OTHER_BASE.test(text)) return String(BigInt(text));
  const [, sign = '', whole = '', fraction = '', power = ''] = /^([+-]?)(\d*)\.?(\d*)(.*)$/.exec(text) ?? [];
  const digits = whole.replace(/^0+(?=\d)/, '') || '0';
  return `${sign === '-' ? '-' : ''}${digits}${fraction === '' ? '' : `.${fraction}`}${power}`;
}

/** A value that may be such a number: most texts have none, and are parsed at once. */
const CANDIDATE = /[[:,\s]-?\d(?:[\d.]{15}|[\d.]*[eE])/;

/** JSON text, with numbers that a double does not hold as `LongNumber`. Throws what JSON.parse throws. */
export function parseJson(text: string): unknown {
  if (!CANDIDATE.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? numberOf(value, context.source) : value,
  );
}
