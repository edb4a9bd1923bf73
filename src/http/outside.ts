/** What reaches out to servers of the user's: few at once, each for some seconds, and who would wait long is refused. */
import { NoAnswer, within } from '../admin/doctor/within.ts';
import type { OutsideDeps, Reaching } from '../admin/outside.ts';
import type { ApiDeps } from '../api/route.ts';
import { MillraceError } from '../model/errors.ts';
import { createSemaphore } from '../runtime/concurrency/semaphore.ts';

const AT_ONCE = 3;
/** Under way and waiting. */
const MOST = 8;
const PATIENCE_MS = 12_000;

export function reachingOut(on: OutsideDeps): ApiDeps['outside'] {
  const inTurn = createSemaphore(AT_ONCE);
  let asked = 0;
  return async <Result>(work: Reaching<Result>): Promise<Result> => {
    if (asked >= MOST)
      throw new MillraceError('too_many_requests', `${MOST} requests that connect to other servers are under way`, {
        remedy: 'Try again after some seconds.',
      });
    asked += 1;
    try {
      return await inTurn(() => within(PATIENCE_MS, NEVER, (signal) => work(on, signal)));
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      throw new MillraceError('source_unavailable', `The server did not answer within ${PATIENCE_MS / 1_000} s`, {
        remedy: 'Look at its load and its locks, then try again.',
      });
    } finally {
      asked -= 1;
    }
  };
}

const NEVER = new AbortController().signal;
