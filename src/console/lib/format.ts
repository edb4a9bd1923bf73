/** Figures and times as people read them. Nothing is rounded that somebody may copy. */

const THIN = '\u202f';

/** 14 204: thousands apart. What is no JavaScript number has digits that one would lose (`api/json-text.ts`): all are shown. */
export const count = (value: number): string =>
  String(typeof value === 'number' ? Math.round(value) : value).replace(/\B(?=(\d{3})+(?!\d))/g, THIN);

/** 12.3k, for badges only. */
export function short(value: number): string {
  if (value < 1_000) return String(Math.round(value));
  const units = ['k', 'M', 'G'];
  let scaled = value;
  let unit = '';
  for (const next of units) {
    if (scaled < 999.5) break;
    scaled /= 1_000;
    unit = next;
  }
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`;
}

export function bytes(value: number): string {
  if (value < 1_024) return `${value} B`;
  const units = ['kB', 'MB', 'GB', 'TB', 'PB', 'EB'];
  let scaled = value;
  let unit = 'B';
  for (const next of units) {
    if (scaled < 1_023.5) break;
    scaled /= 1_024;
    unit = next;
  }
  return `${scaled < 9.95 ? scaled.toFixed(1) : Math.round(scaled)} ${unit}`;
}

/** Seconds as `3 ms`, `12 s`, `4 min`, `3 h`, `2 days`: the largest unit that is not a lie by more than a tenth. */
export function span(seconds: number): string {
  if (seconds < 0.9995) return `${Math.round(seconds * 1_000)} ms`;
  if (seconds < 9.95) return `${trimmed(seconds)} s`;
  if (seconds < 99.5) return `${Math.round(seconds)} s`;
  if (seconds < 99.5 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** How long something will still take, which is an estimate. */
export const left = (seconds: number): string => (seconds < 1 ? 'less than 1 s left' : `${span(seconds)} left`);

export const ms = (value: number): string => span(value / 1_000);

/** Messages or rows a second. */
export const rate = (perSecond: number): string => `${perSecond < 9.95 ? trimmed(perSecond) : count(perSecond)}/s`;

const trimmed = (value: number): string => value.toFixed(1).replace(/\.0$/, '');

export const percent = (part: number): string => `${Math.floor(part * 100)}${THIN}%`;

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;

export type Zone = 'utc' | 'local';

const HOUR_MS = 3_600_000;

/** `+02:00`, where the clocks of the zone show the same time twice in these hours, because they are set back. */
function offsetOf(at: Date, zone: Zone): string {
  if (zone === 'utc') return '';
  const offset = at.getTimezoneOffset();
  const isTwice = [-12, 12].some((hours) => {
    const other = new Date(at.getTime() + hours * HOUR_MS).getTimezoneOffset();
    return other !== offset && new Date(at.getTime() + (other - offset) * 60_000).getTimezoneOffset() === other;
  });
  if (!isTwice) return '';
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return ` ${offset > 0 ? '-' : '+'}${two(Math.abs(offset) / 60)}:${two(Math.abs(offset) % 60)}`;
}

/** 2026-11-22 02:41:07.123, in the zone. */
export function instant(at: Date, zone: Zone, { millis = true, day = true } = {}): string {
  const shifted = zone === 'utc' ? at : new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  const text = shifted.toISOString();
  const time = millis ? text.slice(11, 23) : text.slice(11, 19);
  return (day ? `${text.slice(0, 10)} ${time}` : time) + offsetOf(at, zone);
}

export function ago(at: Date, nowMs: number): string {
  const seconds = (nowMs - at.getTime()) / 1_000;
  if (seconds < 0) return seconds > -1 ? 'now' : `in ${span(-seconds)}`;
  return seconds < 1 ? 'now' : `${span(Math.floor(seconds))} ago`;
}

/** No name or code, which stays as it is. */
export const beginsWithWord = (text: string): boolean => /^[a-z]+[ ,:]/.test(text);

/** What goes on behind a statement, by itself: `then restart the server` -> `Then restart the server.` A name at its head stays. */
export function sentence(text: string): string {
  const begun = beginsWithWord(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return /[.!?)]$/.test(begun) ? begun : `${begun}.`;
}

/** A code of ours as words: `index_missing` -> `index missing`. */
export const words = (code: string): string => code.replaceAll('_', ' ');
