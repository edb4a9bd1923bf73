/** Does a thing only so often: at once after a rest, else when the time has come, once for all askers. */
export interface Throttle {
  /** Asks for it. */
  soon(): void;
  /** Does it now. */
  now(): void;
  /** Forgets what was asked for and not done yet. */
  stop(): void;
}

/** `act` must not throw. */
export function createThrottle(act: () => void, everyMs: number): Throttle {
  let doneAt = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  const now = (): void => {
    clearTimeout(timer);
    timer = undefined;
    doneAt = performance.now();
    act();
  };
  return {
    now,
    soon() {
      if (timer) return;
      const waitMs = doneAt + everyMs - performance.now();
      if (waitMs <= 0) now();
      else timer = setTimeout(now, waitMs);
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
