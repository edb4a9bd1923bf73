/** Clicks that somebody made out of impatience, or out of habit. */

interface Click {
  /** How many clicks there were at this place in a moment; 0: by the keyboard. */
  detail: number;
  currentTarget: EventTarget;
}

let first: EventTarget | null = null;

/**
 * The second click of a double click means what was there at the first one. Where that has become something else, or where each click
 * changes something (`isOnce`), it means nothing.
 */
export function isMeant({ detail, currentTarget }: Click, isOnce: boolean): boolean {
  if (detail > 1) return !isOnce && currentTarget === first;
  first = currentTarget;
  return true;
}
