/** Removes what was read of the noted changes, now and then. */

import { createThrottle } from '../../runtime/concurrency/throttle.ts';
import type { Log } from '../../runtime/log.ts';
import type { Truncated } from '../../source/triggers/truncate-read.ts';

/** Milliseconds between two times. */
const EVERY_MS = 5_000;

export interface Emptying {
  /** All that this snapshot sees is read. */
  read(snapshot: string): void;
  /** For good: what comes later is nobody's business any more, nor how the one under way ends. */
  stop(): void;
}

/** `empty` is called again for partitions that it found locked, and after it failed, whether or not more is read meanwhile. */
export function openEmptying(
  empty: (snapshot: string) => Promise<Pick<Truncated, 'locked'>>,
  log: Pick<Log, 'warn'>,
  everyMs = EVERY_MS,
): Emptying {
  let read = '';
  let isOver = false;
  const emptying = createThrottle(() => {
    empty(read).then(
      ({ locked }) => {
        if (locked.length > 0 && !isOver) emptying.soon();
      },
      (error: unknown) => {
        if (isOver) return;
        log.warn({ err: error }, 'changes that were read could not be removed');
        emptying.soon();
      },
    );
  }, everyMs);
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
