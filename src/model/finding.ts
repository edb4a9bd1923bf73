/**
 * A finding is a fault before it has a line: where in the declaration, what is wrong, what to do. The file adds line and
 * column, a request would not. No finding holds a value that the user wrote: any of them may be a secret.
 */
import type { Fault } from './errors.ts';

export type Path = readonly (string | number)[];

export interface Finding {
  path: Path;
  message: string;
  remedy: string;
  /** The fault is the key itself, not its value. */
  onKey?: boolean;
  /** A string was expected: what a variable put there may be taken as text. */
  wantsText?: boolean;
}

/** `sinks[1].destination.batch_size`; empty for the whole. */
export function fieldOf(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/**
 * One fault a line, for a terminal: `millrace.yaml:12:7 sinks[0].destination.batch_size: must be a whole number from 1 to
 * 10000; Write ...`.
 */
export function formatFaults(faults: readonly Fault[], fileName: string): string {
  return faults
    .map((fault) => {
      const place = fault.line === undefined ? fileName : `${fileName}:${fault.line}:${fault.column ?? 1}`;
      const field = fault.field === '' ? '' : ` ${fault.field}`;
      return `${place}${field}: ${fault.message}${fault.remedy === undefined ? '' : `; ${fault.remedy}`}`;
    })
    .join('\n');
}

/** So many words are compared, and none longer than that: a suggestion must not cost more than what it is about. */
export const COMPARED = 300;
const LONGEST = 64;

/** The known word that was probably meant: at most two letters away (one in a short word), or the same but for `_` and case. */
export function nearest(word: string, all: readonly string[]): string | undefined {
  if (word.length > LONGEST) return undefined;
  const known = all.slice(0, COMPARED).filter((candidate) => candidate.length <= LONGEST);
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_ ]/g, '');
  const same = known.find((candidate) => plain(candidate) === plain(word));
  if (same !== undefined) return same;
  const ranked = known
    .map((candidate) => ({ candidate, distance: distance(word, candidate) }))
    .filter((entry) => entry.distance <= (entry.candidate.length < 5 ? 1 : 2))
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

/** Letters to insert, remove, replace or swap with their neighbour. Words of very different length count as far apart. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(row[j]! + 1, next[j - 1]! + 1, replaced);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, before[j - 2]! + 1);
      next.push(best);
    }
    before = row;
    row = next;
  }
  return row[b.length]!;
}
