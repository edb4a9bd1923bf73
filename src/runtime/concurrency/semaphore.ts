/** Lets only so many works run at once, in the order of their coming. */

/** Runs `work` when there is a place for it. Of one who has left meanwhile it is not started: `nothing` is the result. */
export type Semaphore<Result> = (work: () => Promise<Result>, left: () => boolean) => Promise<Result>;

/** With `size` places. */
export function createSemaphore<Result>(size: number, nothing: Result): Semaphore<Result> {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work, left) => {
    if (running >= size) await new Promise<void>((resolve) => queue.push(resolve));
    else running += 1;
    try {
      return left() ? nothing : await work();
    } finally {
      // The place goes to the next one, or is free.
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
