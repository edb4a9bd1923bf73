/** Something that sleeps until it is woken or time has passed. A wake that comes while nobody sleeps is remembered. */
export interface Wake {
  wake(): void;
  /** Resolves at once when there was a wake since the last call; never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Was there a wake that nobody has seen? Forgets it. */
  take(): boolean;
}

export function createWake(): Wake {
  let woken = false;
  let sleeper: (() => void) | undefined;
  return {
    wake() {
      woken = true;
      sleeper?.();
    },
    async wait(ms, signal) {
      if (!woken && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const end = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', end);
            resolve();
          };
          const timer = setTimeout(end, Math.min(ms, 2_147_483_647));
          sleeper = end;
          signal.addEventListener('abort', end);
        });
        sleeper = undefined;
      }
      woken = false;
    },
    take() {
      const was = woken;
      woken = false;
      return was;
    },
  };
}
