/** Removes what was read of the noted changes, now and then. */

import { createThrottle } from '../../runtime/concurrency/throttle.ts';
import type { Log } from '../../runtime/log.ts';

/** Milliseconds between two times. */
const EVERY_MS = 5_000;

export interface Emptying {
  /** All that this snapshot sees is read. */
  read(snapshot: string): void;
  /** For good: what comes later is nobody's business any more, nor how the one under way ends. */
  stop(): void;
}

export function openEmptying(empty: (snapshot: string) => Promise<unknown>, log: Pick<Log, 'warn'>): Emptying {
  let read = '';
  let isOver = false;
  const emptying = createThrottle(() => {
    empty(read).catch((error: unknown) => {
      if (!isOver) log.warn({ err: error }, 'changes that were read could not be removed');
    });
  }, EVERY_MS);
  return {
    read(snapshot) {
      read = snapshot;
      if (!isOver) emptying.soon();
    },
    stop() {
      isOver = true;
      emptying.stop();
    },
  };
}
