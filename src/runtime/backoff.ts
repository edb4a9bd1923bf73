/** How long to wait before another try. Pure: the random number is handed in. */
export interface Backoff {
  firstMs: number;
  maxMs: number;
  /** Each wait is multiplied by something between the two. */
  jitter: readonly [number, number];
}

/** Connections and crashed services: 0.1 s, 0.2 s, ... 5 s, for whoever waits must not wait long after an outage. */
export const RECONNECT: Backoff = { firstMs: 100, maxMs: 5_000, jitter: [0.5, 1] };
/** Messages that a destination refused for now: 1 s, 2 s, ... 10 min. */
export const REDELIVER: Backoff = { firstMs: 1_000, maxMs: 600_000, jitter: [0.85, 1.15] };

/** A destination that fails as a whole and may be back at any moment: 1 s, 2 s, ... 30 s. */
export const PASSING: Backoff = { firstMs: 1_000, maxMs: 30_000, jitter: [0.85, 1.15] };

/** Milliseconds before try `attempt + 1`, after `attempt` failures (1, 2, ...). `random` is in [0, 1). */
export function backoffMs(attempt: number, backoff: Backoff, random: number): number {
  const doublings = Math.min(Math.max(attempt, 1) - 1, 50);
  const [low, high] = backoff.jitter;
  const wait = Math.min(backoff.firstMs * 2 ** doublings, backoff.maxMs);
  return Math.round(Math.min(wait * (low + (high - low) * random), backoff.maxMs));
}
