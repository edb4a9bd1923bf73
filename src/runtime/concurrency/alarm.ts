/** One sleeper, who is woken by news or at the earliest time that somebody named. */
export interface Alarm {
  /** Until it rings, or the time that was set last and earliest. */
  sleep(ms: number): Promise<void>;
  /** Rings in `ms` at the latest, for whoever sleeps then or now. */
  set(ms: number): void;
  ring(): void;
}

export function createAlarm(now: () => number): Alarm {
  let timer: NodeJS.Timeout | undefined;
  let at = Number.POSITIVE_INFINITY;
  let awake: (() => void) | undefined;
  const ring = (): void => {
    clearTimeout(timer);
    awake?.();
    awake = undefined;
  };
  const start = (): void => {
    clearTimeout(timer);
    timer = setTimeout(ring, Math.max(0, at - now()));
  };
  return {
    ring,
    set(ms) {
      at = Math.min(at, now() + ms);
      if (awake !== undefined) start();
    },
    async sleep(ms) {
      // What was set for a time that is over has had its try.
      at = Math.min(at > now() ? at : Number.POSITIVE_INFINITY, now() + ms);
      const rung = new Promise<void>((resolve) => {
        awake = resolve;
      });
      start();
      await rung;
      at = Number.POSITIVE_INFINITY;
    },
  };
}
