/** Entry of the process that compares: it is told once what to do, says how far it is, and ends with its channel. */
import { MillraceError } from '../../model/errors.ts';
import { isUnavailable } from '../../model/sqlstate.ts';
import { createLog } from '../../runtime/log.ts';
import { withoutDebugger } from '../../runtime/no-debugger.ts';
import { verify } from '../verify.ts';
import { FINDINGS, type VerifyOrder, type VerifyWord } from './verify-job.ts';

const TELL_MS = 500;
/** For its connections to be closed. */
const LAST_MS = 2_000;

withoutDebugger();
const stop = new AbortController();
process.once('disconnect', () => {
  stop.abort();
  setTimeout(() => process.exit(1), LAST_MS).unref();
});
process.once('message', (order: VerifyOrder) => void run(order));

async function run({ settings, request, kept }: VerifyOrder): Promise<void> {
  let told = Number.NEGATIVE_INFINITY;
  const watch = {
    signal: stop.signal,
    kept,
    onKept: (done: NonNullable<typeof kept>) => void say({ say: 'kept', kept: done }),
    onProgress(progress: Extract<VerifyWord, { say: 'progress' }>['progress']) {
      if (performance.now() - told < TELL_MS) return;
      told = performance.now();
      void say({ say: 'progress', progress });
    },
  };
  try {
    const verified = await verify(settings, request, watch);
    await say({ say: 'done', verified: { ...verified, drifts: verified.drifts.slice(0, FINDINGS) } });
  } catch (error) {
    // Whoever ended it knows.
    if (!stop.signal.aborted) await say(failureOf(error, settings));
  }
  process.exit(0);
}

function failureOf(error: unknown, { logLevel: level }: VerifyOrder['settings']): VerifyWord {
  const known = error instanceof MillraceError;
  const message = known ? error.message : 'an error that nobody expected: it is in the log of the worker';
  if (!known) createLog({ level, role: 'verify' }).error({ err: error }, 'a verification failed');
  const again = !known || isUnavailable(error.cause);
  return { say: 'failed', message, remedy: known ? error.remedy : undefined, again };
}

/** Resolves when it is handed over, or nobody hears it any more. */
async function say(word: VerifyWord): Promise<void> {
  if (!process.connected) return;
  await new Promise<void>((resolve) => process.send!(word, undefined, undefined, () => resolve()));
}
