/** Lets only so many tries run at once, in the order of their coming. */
import type { Leased } from './lease.ts';

/** Leases something for one client. */
export type Attempt = () => Promise<Leased>;

/** Runs a try when there is a place for it. One whose client has left meanwhile is not started. */
export type Gate = (attempt: Attempt, left: () => boolean) => Promise<Leased>;

export const NOTHING: Leased = { lease: undefined, more: false, dueInMs: null };

export function createGate(size: number): Gate {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (attempt, left) => {
    if (running >= size) await new Promise<void>((resolve) => queue.push(resolve));
    else running += 1;
    try {
      return left() ? NOTHING : await attempt();
    } finally {
      // The place goes to the next one, or is free.
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
