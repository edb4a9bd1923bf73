/** Tries to make the other way ready beside a stream, again and again, and knows what it waits for. */
import { setTimeout as sleep } from 'node:timers/promises';
import { byHand, type Finding, repairText } from '../../checks/finding.ts';
import type { Awaited } from '../../checks/switching.ts';
import { MillraceError, messageOf } from '../../model/errors.ts';
import type { Log } from '../../runtime/log.ts';
import { ReaderThereError } from '../triggers/stream.ts';

const AGAIN_MS = 2_000;
export const BEGINNING: Awaited = { summary: 'it is being made ready', ...byHand('Nothing: it goes on by itself.') };

export interface Attempts {
  /** What it waits for. */
  awaited: Awaited;
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

/** What is in the way, as a check has found it. */
export const inTheWay = (finding: Finding): MillraceError =>
  new MillraceError('bad_source', finding.summary, { remedy: repairText(finding) });

/** Until `attempt` resolves, or until it is stopped. What it throws is waited for: it says so itself meanwhile, with `wait`. */
export function openAttempts(
  attempt: (signal: AbortSignal, wait: (awaited: Awaited) => void) => Promise<void>,
  log: Log,
): Attempts {
  const over = new AbortController();
  const attempts: Attempts = {
    awaited: BEGINNING,
    async stop() {
      over.abort();
      await running;
    },
  };
  const wait = (awaited: Awaited): void => {
    if (awaited.summary !== attempts.awaited.summary)
      log.info({}, `the switch of the way of capture waits: ${awaited.summary}`);
    attempts.awaited = awaited;
  };
  const running = (async () => {
    while (!over.signal.aborted) {
      try {
        return await attempt(over.signal, wait);
      } catch (error) {
        if (over.signal.aborted) return;
        const isTold = error instanceof MillraceError || error instanceof ReaderThereError;
        const remedy = isTold ? error.remedy : undefined;
        wait({ summary: messageOf(error), ...byHand(remedy ?? 'It is tried again within seconds.') });
      }
      await sleep(AGAIN_MS, undefined, { signal: over.signal }).catch(() => undefined);
    }
  })();
  return attempts;
}
