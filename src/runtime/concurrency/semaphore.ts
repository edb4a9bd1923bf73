/** Lets only so many works run at once, in the order of their coming. */

/** Runs `work` when there is a place for it. Passes on what it returns and what it throws. */
export type Semaphore = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** With `size` places. */
export function createSemaphore(size: number): Semaphore {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= size) await new Promise<void>((resolve) => queue.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next one, or is free.
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
