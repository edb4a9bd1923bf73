/**
 * How many messages of a backfill may wait for their sink, so that live changes come soon behind them: what the sink takes
 * in a second, within bounds. How fast it is shows while the backfill waits. What surely fits is sent without asking.
 */

/** Messages that a sink has not passed, above which a backfill waits, however fast the sink is. */
export const WAITING_BOUND = 10_000;
/** However slow it is: two pages, so that it never runs dry. */
const LEAST = 4_000;
/** Of the sink's time. */
const AHEAD_MS = 1_000;
/** After so long it is asked again, also whether it is still wanted. */
const KNOWN_MS = 250;

export class Pace {
  readonly #now: () => number;
  #bound = WAITING_BOUND;
  /** Messages that may wait at most, by now. */
  #most = Number.POSITIVE_INFINITY;
  #askedAt = Number.NEGATIVE_INFINITY;
  /** What waited when the sink was last seen, and nothing was sent since. */
  #before: { waiting: number; at: number } | undefined;

  /** `now`: milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Another page fits, without asking. */
  get isKnown(): boolean {
    return this.#now() - this.#askedAt < KNOWN_MS && this.#most < this.#bound;
  }

  /** So many wait, counted up to WAITING_BOUND. How many may. */
  saw(waiting: number): number {
    const at = this.#now();
    if (this.#before && waiting < WAITING_BOUND) {
      const perMs = (this.#before.waiting - waiting) / Math.max(1, at - this.#before.at);
      this.#bound = Math.round(Math.min(WAITING_BOUND, Math.max(LEAST, perMs * AHEAD_MS)));
    }
    this.#before = waiting < this.#bound ? undefined : { waiting, at };
    this.#most = waiting;
    this.#askedAt = at;
    return this.#bound;
  }

  sent(rows: number): void {
    this.#before = undefined;
    this.#most += rows;
  }
}
