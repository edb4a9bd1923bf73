/**
 * Numbers of any length compared by value, digit by digit: nothing passes through a double. NaN and the infinities stand
 * where Postgres puts them: -Infinity, numbers, Infinity, NaN, and each equals itself.
 */
export interface Decimal {
  /** -2 and 2 for the infinities, 3 for NaN; else the number's sign. */
  rank: number;
  /** 0.digits * 10^exponent; digits without zeros at either end. */
  digits: string;
  exponent: number;
}

const SPECIAL: Record<string, number> = {
  nan: 3,
  infinity: 2,
  '+infinity': 2,
  inf: 2,
  '+inf': 2,
  '-infinity': -2,
  '-inf': -2,
};
const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;

/** Undefined when the text is no number. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = NUMBER.exec(text);
  if (!match) {
    const rank = SPECIAL[text.toLowerCase()];
    return rank === undefined ? undefined : { rank, digits: '', exponent: 0 };
  }
  const [, sign, whole = '', fraction = '', power = '0'] = match;
  const all = whole + fraction;
  if (all === '') return undefined;
  const first = all.search(/[1-9]/);
  if (first < 0) return { rank: 0, digits: '', exponent: 0 };
  let end = all.length;
  while (all[end - 1] === '0') end -= 1;
  return {
    rank: sign === '-' ? -1 : 1,
    digits: all.slice(first, end),
    exponent: whole.length - first + Number(power),
  };
}

/** Below zero: `a` is the smaller one. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  if (a.rank !== b.rank || a.digits === '') return a.rank - b.rank;
  if (a.exponent !== b.exponent) return (a.exponent - b.exponent) * a.rank;
  return a.digits === b.digits ? 0 : a.digits < b.digits ? -a.rank : a.rank;
}
