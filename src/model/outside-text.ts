/**
 * A text that others wrote (a function's error, a destination's answer), made fit to be stored, logged and shown: Postgres
 * takes neither U+0000 nor half a surrogate pair, and a cut in the middle of a pair makes half a pair.
 */

const REPLACEMENT = '\uFFFD';

/**
 * The text in well-formed Unicode without U+0000, each fault as U+FFFD; of a text longer than `max` code points the first
 * `max - 1` and an ellipsis. Costs no more for a huge text than for one of `max`.
 */
export function outsideText(text: string, { max }: { max: number }): string {
  // Twice as many UTF-16 units hold the code points that count; the one more tells that there are others.
  const head = text
    .slice(0, 2 * max + 2)
    .toWellFormed()
    .replaceAll('\0', REPLACEMENT);
  if (head.length <= max) return head;
  let end = 0;
  let beforeLast = 0;
  for (let count = 0; count < max && end < head.length; count += 1) {
    beforeLast = end;
    end += head.codePointAt(end)! > 0xffff ? 2 : 1;
  }
  return end === head.length ? head : `${head.slice(0, beforeLast)}…`;
}
