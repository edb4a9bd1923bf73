/**
 * Limits the bytes that many hold in memory together: what all lanes of a worker have read, and have made of it, so that slow
 * destinations or a slow database cost time and not memory. First come, first served: who waits is passed by nobody, so none starves. One that needs more than
 * there is at all goes when it is alone. Whoever has a share waits for no other, so nobody waits for ever.
 *
 * A destination that answers after seconds keeps what was read for it so long. So that the others need not wait for it, one
 * holder has a quarter at most (half of it all, where nobody waits and it does not either), and while half of the budget is in use, one
 * that may keep it for long gets little at a time.
 */
export interface Share {
  readonly bytes: number;
  /** What it turned out to be. More than was asked for is taken as it is: it is in memory already. */
  resize(bytes: number): void;
  /** Safe to call twice. */
  release(): void;
}

export interface ByteBudget {
  /** Waits for so many bytes; may give less (see `Share.bytes`) to one that is slow. Undefined: the signal came first. */
  take(bytes: number, signal: AbortSignal, by?: Holder): Promise<Share | undefined>;
  /** The same without waiting, for what can be left out. Undefined: it would have to wait, or somebody else does. */
  tryTake(bytes: number, by?: Holder): Share | undefined;
  readonly used: number;
}

export interface Holder {
  /** All that has the same owner shares a quarter, or half without waiting. */
  owner: number;
  /** It may keep its share for long. */
  slow: boolean;
  /** Less is of no use to it. */
  leastBytes?: number;
}

/** The least that is worth a read. */
export const LEAST_BYTES = 256 * 1024;

interface Waiter {
  bytes: number;
  by: Holder | undefined;
  grant(bytes: number): void;
}

export function createByteBudget(totalBytes: number): ByteBudget {
  const queue: Waiter[] = [];
  const held = createHeld(totalBytes);
  const next = (): void => {
    for (let place = 0; place < queue.length; ) {
      const waiter = queue[place]!;
      const bytes = held.wanted(waiter.bytes, waiter.by);
      if (held.hasEnough(bytes, waiter.by)) place += 1;
      else if (!held.fits(bytes)) return;
      else queue.splice(place, 1)[0]!.grant(bytes);
    }
  };
  const share = (bytes: number, by: Holder | undefined): Share => {
    let mine = bytes;
    let released = false;
    held.shares += 1;
    held.count(mine, by);
    return {
      get bytes() {
        return mine;
      },
      resize(to) {
        if (released) return;
        held.count(to - mine, by);
        mine = to;
        next();
      },
      release() {
        if (released) return;
        released = true;
        held.shares -= 1;
        held.count(-mine, by);
        next();
      },
    };
  };
  return {
    get used() {
      return held.used;
    },
    tryTake(bytes, by) {
      const wanted = held.wanted(bytes, by);
      return queue.length > 0 || held.hasEnough(wanted, by, totalBytes / 2) || !held.fits(wanted)
        ? undefined
        : share(wanted, by);
    },
    async take(bytes, signal, by) {
      if (signal.aborted) return undefined;
      return await new Promise((resolve) => {
        const leave = (): void => {
          queue.splice(queue.indexOf(waiter), 1);
          resolve(undefined);
          // A large one that leaves was perhaps in the way of smaller ones.
          next();
        };
        const waiter: Waiter = {
          bytes,
          by,
          grant(given) {
            signal.removeEventListener('abort', leave);
            resolve(share(given, by));
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        queue.push(waiter);
        next();
      });
    },
  };
}

/** What is given away, and what of the rest anybody may have. */
interface Held {
  used: number;
  shares: number;
  count(bytes: number, by: Holder | undefined): void;
  fits(bytes: number): boolean;
  /** It waits for its own owner, and is in nobody's way. `most`: for all of an owner; absent: a quarter. */
  hasEnough(bytes: number, by: Holder | undefined, most?: number): boolean;
  /** How much of what it asks for it may have at once. */
  wanted(bytes: number, by: Holder | undefined): number;
}

function createHeld(totalBytes: number): Held {
  const heldBy = new Map<number, number>();
  return {
    used: 0,
    shares: 0,
    count(bytes, by) {
      this.used += bytes;
      if (!by) return;
      const held = (heldBy.get(by.owner) ?? 0) + bytes;
      if (held > 0) heldBy.set(by.owner, held);
      else heldBy.delete(by.owner);
    },
    fits(bytes) {
      return this.shares === 0 || this.used + bytes <= totalBytes;
    },
    hasEnough(bytes, by, most = totalBytes / 4) {
      const held = (by && heldBy.get(by.owner)) ?? 0;
      return held > 0 && held + bytes > most;
    },
    wanted(bytes, by) {
      if (!by) return bytes;
      const least = by.leastBytes ?? LEAST_BYTES;
      const most = Math.max(Math.min(bytes, totalBytes / 4), Math.min(bytes, least));
      return by.slow && this.used + most > totalBytes / 2 ? Math.min(most, least) : most;
    },
  };
}
