/**
 * Does a JSON text hold a number that a double would not print as it is written (`1.10`, `12345678901234567890`, `1e3`)?
 * It may say yes without need (a long number that does fit, or such text inside a string): that only costs time. It
 * never says no wrongly: a decimal of at most 15 digits, without exponent or final zero and from 1e-6 on, is the
 * shortest text of its double.
 */
const SUSPECT =
  /(?:^|[\s:,[])(?:-0|-?(?:\d{16,}|(?=[\d.]{17})\d+\.\d+|\d+\.\d*0|0\.0{6}\d*|\d+(?:\.\d+)?[eE][-+]?\d+))(?=[\s,\]}]|$)/;

export function mayLoseDigits(json: string): boolean {
  return SUSPECT.test(json);
}
