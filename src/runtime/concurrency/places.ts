/**
 * A few places for work, shared fairly. Everybody works in somebody's name, perhaps in several names at once (a consumer's
 * and a token's), and no name ever has more than `each` of the places, so that one of them cannot keep the others out.
 * Of those who wait, whoever has the fewest places goes first, then whoever had none for the longest time; within one name
 * it is first come, first served. Where nobody has a name, a semaphore does.
 */
export interface Places {
  /** Runs `work` when all of `names` may have a place. Passes on what it returns and what it throws. */
  take<Result>(names: readonly string[], work: () => Promise<Result>): Promise<Result>;
}

interface Waiter {
  names: readonly string[];
  start(): void;
}

interface Share {
  taken: number;
  waiting: number;
  /** When it had a place last; counts places, not time. */
  servedAt: number;
}

export function createPlaces(options: { places: number; each: number }): Places {
  const shares = new Map<string, Share>();
  const waiters: Waiter[] = [];
  let free = options.places;
  let served = 0;

  const shareOf = (name: string): Share => {
    const known = shares.get(name) ?? { taken: 0, waiting: 0, servedAt: 0 };
    shares.set(name, known);
    return known;
  };
  const count = (names: readonly string[], what: 'taken' | 'waiting', by: number): void => {
    for (const name of names) {
      const share = shareOf(name);
      share[what] += by;
      if (what === 'taken' && by > 0) share.servedAt = served;
      if (share.taken === 0 && share.waiting === 0) shares.delete(name);
    }
  };
  /** The place in the queue of who goes next; -1 when nobody may. */
  const nextOf = (): number => {
    let best = -1;
    let least = Number.POSITIVE_INFINITY;
    let longest = Number.POSITIVE_INFINITY;
    for (const [place, { names }] of waiters.entries()) {
      const taken = Math.max(...names.map((name) => shareOf(name).taken));
      const servedAt = Math.max(...names.map((name) => shareOf(name).servedAt));
      if (taken >= options.each || taken > least || (taken === least && servedAt >= longest)) continue;
      [best, least, longest] = [place, taken, servedAt];
    }
    return best;
  };
  const next = (): void => {
    while (free > 0) {
      const place = nextOf();
      if (place < 0) return;
      const { names, start } = waiters.splice(place, 1)[0]!;
      free -= 1;
      served += 1;
      count(names, 'taken', 1);
      count(names, 'waiting', -1);
      start();
    }
  };

  return {
    async take(names, work) {
      await new Promise<void>((start) => {
        count(names, 'waiting', 1);
        waiters.push({ names, start });
        next();
      });
      try {
        return await work();
      } finally {
        free += 1;
        count(names, 'taken', -1);
        next();
      }
    },
  };
}
