/** Which JSON texts hold numbers whose digits a double does not keep. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const DOT = 0x2e;
/** Digits that every double keeps. */
const KEPT_DIGITS = 15;
/** From 1e-6 on no number is printed with an exponent. */
const KEPT_DECIMALS = 6;

/**
 * Does a JSON text hold a number that a double would not print as it is written (`1.10`, `12345678901234567890`, `1e3`)? Strings, which
 * are most of a row, are skipped by the search for their end. Of what is no JSON it says yes.
 */
export function mayLoseDigits(json: string): boolean {
  const { length } = json;
  let at = 0;
  while (at < length) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      const end = endOfString(json, at + 1);
      if (end < 0) return true;
      at = end + 1;
    } else if (code === MINUS || isDigit(code)) {
      let end = endOfDigits(json, at + 1);
      let isKept = code !== MINUS && end - at <= KEPT_DIGITS;
      if (json.charCodeAt(end) === DOT) {
        const dot = end;
        end = endOfDigits(json, dot + 1);
        isKept &&= end - at <= 1 + KEPT_DIGITS && json.charCodeAt(end - 1) !== ZERO;
        isKept &&= code !== ZERO || end - dot <= 1 + KEPT_DECIMALS;
      }
      if (isInNumber(json.charCodeAt(end))) {
        isKept = false;
        while (isInNumber(json.charCodeAt(end))) end += 1;
      }
      if (!isKept) {
        const number = json.slice(at, end);
        if (`${Number(number)}` !== number) return true;
      }
      at = end;
    } else {
      at += 1;
    }
  }
  return false;
}

function endOfDigits(json: string, from: number): number {
  let end = from;
  while (isDigit(json.charCodeAt(end))) end += 1;
  return end;
}

/** Where the string ends that begins at `from`; -1: nowhere. */
function endOfString(json: string, from: number): number {
  for (let end = json.indexOf('"', from); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end;
    while (before > from && json.charCodeAt(before - 1) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return -1;
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

/** A digit, `.`, `e`, `E`, `+` or `-`. */
const isInNumber = (code: number): boolean =>
  isDigit(code) || code === DOT || code === 0x65 || code === 0x45 || code === 0x2b || code === MINUS;
