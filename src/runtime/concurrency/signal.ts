/** Ends one sleeper's wait before its time. One that is raised while nobody sleeps is remembered. */
export interface Signal {
  raise(): void;
  /** Resolves at once when it was raised since the last call; never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  /** Was it raised, and nobody has seen it? Forgets that. */
  take(): boolean;
}

export function createSignal(): Signal {
  let isRaised = false;
  let sleeper: (() => void) | undefined;
  return {
    raise() {
      isRaised = true;
      sleeper?.();
    },
    async wait(ms, signal) {
      if (!isRaised && !signal.aborted) {
        await new Promise<void>((resolve) => {
          const end = () => {
            clearTimeout(timer);
            signal.removeEventListener('abort', end);
            resolve();
          };
          const timer = setTimeout(end, Math.min(Math.max(ms, 0), 2_147_483_647));
          sleeper = end;
          signal.addEventListener('abort', end);
        });
        sleeper = undefined;
      }
      isRaised = false;
    },
    take() {
      const was = isRaised;
      isRaised = false;
      return was;
    },
  };
}
