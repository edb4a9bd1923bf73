/** How long nobody asks after a failure, and when an answer that another tab was given will do. */

const FIRST_MS = 2_000;
const LAST_MS = 30_000;

export interface Asked {
  status: string;
  /** 0: there was no answer yet. */
  dataUpdatedAt: number;
  errorUpdatedAt: number;
  /** Failures altogether. */
  errorUpdateCount: number;
}

/**
 * Until it is asked again: `every`, and after failures 2, 4, 8 s and so on, within bounds, from the start again after each answer.
 * That is as long as nobody has answered already; without any answer yet, by the number of failures.
 */
export function untilNext(state: Asked, every: number): number {
  const { status, dataUpdatedAt, errorUpdatedAt, errorUpdateCount } = state;
  if (status !== 'error') return every;
  const rest = dataUpdatedAt === 0 ? FIRST_MS * 2 ** (errorUpdateCount - 1) : errorUpdatedAt - dataUpdatedAt;
  return Math.max(every, Math.min(Math.max(rest, FIRST_MS), LAST_MS));
}

/**
 * The age of an answer that will do: half of the time until the next one, where there is an answer already that nothing has happened to
 * since. Whoever has changed something, sees a page for the first time or tries again is shown how things are now.
 */
export function acceptedSeconds(
  state: { data?: unknown; status: string; isInvalidated: boolean } | undefined,
  every = 0,
): number {
  const isShown = state?.data !== undefined && state.status === 'success' && !state.isInvalidated;
  return isShown ? Math.floor(every / 2_000) : 0;
}
