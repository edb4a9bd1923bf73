/**
 * Points in time as people and Postgres write them, in microseconds: no digit is lost, and years run from 4714 BC to
 * 5874897, further than a JavaScript Date goes.
 */

/** Later, and earlier, than every other instant. */
const INFINITY_MICROS = 1n << 80n;
const DAY_MICROS = 86_400_000_000n;

const INSTANT =
  /^(\d{4,7})-(\d\d)-(\d\d)(?:[ Tt](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?)?\s*([Zz]|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)?( BC)?$/;

export interface Instant {
  /** Since 1970-01-01 00:00 UTC; a time without a zone is UTC. */
  micros: bigint;
  /** Of the zone that was written: undefined for none. */
  offsetSeconds: number | undefined;
}

/**
 * `2026-01-31`, `2026-01-31 10:00`, `2026-01-31T10:00:00.123456+05:30`, `0044-03-15 BC`, `infinity`; undefined for
 * anything else, and for a day or an hour that does not exist. Digits beyond the microsecond are rounded.
 */
export function parseInstant(text: string): Instant | undefined {
  const infinite = /^(-?)infinity$/i.exec(text);
  if (infinite) return { micros: infinite[1] ? -INFINITY_MICROS : INFINITY_MICROS, offsetSeconds: undefined };
  const match = INSTANT.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction, zone, bc] = match;
  const days = daysFrom(bc ? 1 - Number(year) : Number(year), Number(month), Number(day));
  const time = clockMicros(`${hour ?? '00'}:${minute ?? '00'}:${second ?? '00'}.${fraction ?? '0'}`);
  if (Number(year) === 0 || days === undefined || time === undefined) return undefined;
  const offsetSeconds = zone === undefined ? undefined : zoneSeconds(zone);
  const micros = BigInt(days) * DAY_MICROS + time - BigInt(offsetSeconds ?? 0) * 1_000_000n;
  return { micros, offsetSeconds };
}

/** Microseconds since midnight of `10:00`, `10:00:00.5` or `24:00:00`; undefined for anything else. */
export function clockMicros(text: string): bigint | undefined {
  const match = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?$/.exec(text);
  if (!match) return undefined;
  const [, hour, minute, second = '0', fraction = '0'] = match;
  if (Number(minute) > 59 || Number(second) > 60) return undefined;
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second);
  const micros = Math.round(Number(`${fraction.padEnd(6, '0').slice(0, 6)}.${fraction.slice(6)}`));
  const total = BigInt(seconds) * 1_000_000n + BigInt(micros);
  return total > DAY_MICROS ? undefined : total;
}

/** Days since 1970-01-01 in the Gregorian calendar without end; year 0 is 1 BC. Undefined: no such day. */
function daysFrom(year: number, month: number, day: number): number | undefined {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const lengths = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  if (day < 1 || day > (lengths[month - 1] ?? 0)) return undefined;
  // Years are counted from March, so that the leap day is a year's last one.
  const counted = month > 2 ? year : year - 1;
  const inYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leaps = Math.floor(counted / 4) - Math.floor(counted / 100) + Math.floor(counted / 400);
  return counted * 365 + leaps + inYear - 719_468;
}

function zoneSeconds(zone: string): number {
  const digits = zone.slice(1).replaceAll(':', '').padEnd(6, '0');
  const seconds = Number(digits.slice(0, 2)) * 3600 + Number(digits.slice(2, 4)) * 60 + Number(digits.slice(4));
  return zone.startsWith('-') ? -seconds : seconds;
}
