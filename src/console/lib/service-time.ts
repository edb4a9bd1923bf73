/**
 * What the clock of the service says. Whatever the API names an instant of is compared with it: the clock of this machine may be
 * wrong by hours.
 */

/** By how many milliseconds it is ahead of the clock here. */
let ahead = 0;
/** Less cannot be told from the whole seconds of a header, and from the way here. */
const TOLD_MS = 2_000;

/** `date`: the header of an answer to what was asked at `asked`, by the clock here. */
export function compareClocks(date: string | null, asked: number, answered = Date.now()): void {
  const theirs = Date.parse(date ?? '');
  const earliest = theirs - answered;
  // A second of its clock has one text from its beginning to its end.
  const latest = theirs + 1_000 - asked;
  if (Number.isNaN(theirs) || (ahead >= earliest - TOLD_MS && ahead <= latest + TOLD_MS)) return;
  const middle = (earliest + latest) / 2;
  ahead = Math.abs(middle) < TOLD_MS ? 0 : middle;
}

/** What was noted by the clock here, by that of the service. */
export const serviceTime = (own: number): number => own + ahead;
export const serviceNow = (): number => serviceTime(Date.now());
