/**
 * What all lanes of a worker may have read at the same time, in bytes, so that slow destinations or a slow database cost
 * time and not memory. First come, first served: who waits is passed by nobody, so none starves. One that needs more than
 * there is at all goes when it is alone. Whoever has a share waits for no other, so nobody waits for ever.
 */
export interface Share {
  readonly bytes: number;
  /** What it turned out to be. More than was asked for is taken as it is: it is in memory already. */
  resize(bytes: number): void;
  /** Safe to call twice. */
  release(): void;
}

export interface ReadBudget {
  /** Waits for so many bytes. Undefined: the signal came first. */
  take(bytes: number, signal: AbortSignal): Promise<Share | undefined>;
  readonly used: number;
}

interface Waiter {
  bytes: number;
  grant(): void;
}

export function createBudget(totalBytes: number): ReadBudget {
  const queue: Waiter[] = [];
  let used = 0;
  let shares = 0;
  const fits = (bytes: number): boolean => shares === 0 || used + bytes <= totalBytes;
  const next = (): void => {
    while (queue.length > 0 && fits(queue[0]!.bytes)) queue.shift()!.grant();
  };
  const share = (bytes: number): Share => {
    let mine = bytes;
    let released = false;
    used += mine;
    shares += 1;
    return {
      get bytes() {
        return mine;
      },
      resize(to) {
        if (released) return;
        used += to - mine;
        mine = to;
        next();
      },
      release() {
        if (released) return;
        released = true;
        used -= mine;
        shares -= 1;
        next();
      },
    };
  };
  return {
    get used() {
      return used;
    },
    async take(bytes, signal) {
      if (signal.aborted) return undefined;
      if (queue.length === 0 && fits(bytes)) return share(bytes);
      return await new Promise((resolve) => {
        const leave = (): void => {
          queue.splice(queue.indexOf(waiter), 1);
          resolve(undefined);
          // A large one that leaves was perhaps in the way of smaller ones.
          next();
        };
        const waiter: Waiter = {
          bytes,
          grant() {
            signal.removeEventListener('abort', leave);
            resolve(share(bytes));
          },
        };
        signal.addEventListener('abort', leave, { once: true });
        queue.push(waiter);
      });
    },
  };
}
