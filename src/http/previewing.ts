/** Dry runs of replays: few at once, for each takes a connection to a database of the user's, and may read a whole table there. */
import { previewReplay } from '../admin/replay.ts';
import type { ApiDeps } from '../api/route.ts';
import type { Transacting } from '../db/pool.ts';
import { type ErrorCode, MillraceError } from '../model/errors.ts';
import type { PrivateAllowed } from '../runtime/addresses.ts';
import { createSemaphore } from '../runtime/concurrency/semaphore.ts';
import type { KeyRing } from '../runtime/secret-key.ts';

const AT_ONCE = 2;
const PATIENCE_MS = 20_000;
const ELSEWHERE: readonly ErrorCode[] = ['bad_source', 'bad_destination', 'unavailable'];

export function previewing(
  db: Transacting,
  { keys, privateAllowed }: { keys: KeyRing; privateAllowed: PrivateAllowed },
): ApiDeps['previewReplay'] {
  const inTurn = createSemaphore(AT_ONCE);
  return (options) =>
    inTurn(async () => {
      const late = AbortSignal.timeout(PATIENCE_MS);
      try {
        return await previewReplay({ db, keys, privateAllowed }, options, late);
      } catch (error) {
        throw elsewhere(error, late);
      }
    });
}

/** What a database of the user's says, or does not say in time, is no fault of ours. */
function elsewhere(error: unknown, late: AbortSignal): unknown {
  if (late.aborted) {
    const message = `The database of the change table did not answer within ${PATIENCE_MS / 1_000} s`;
    return new MillraceError('source_unavailable', message, { remedy: 'Ask for less, or start it without a dry run.' });
  }
  if (!(error instanceof MillraceError) || !ELSEWHERE.includes(error.code)) return error;
  const { message, remedy } = error;
  return new MillraceError('source_unavailable', message, {
    cause: error,
    ...(remedy === undefined ? {} : { remedy }),
  });
}
