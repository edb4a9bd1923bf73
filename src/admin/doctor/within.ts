/** A look that takes no longer than its share: what has not answered by then is not waited for. */

/** Its share of time is over. */
export class NoAnswer extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
    this.name = 'NoAnswer';
  }
}

/** @throws NoAnswer; the signal's reason; what `work` throws. `work` itself is to end by its signal. */
export async function within<Result>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const own = new AbortController();
  const ended = Promise.withResolvers<never>();
  const end = (reason: unknown): void => {
    own.abort(reason);
    ended.reject(reason);
  };
  const onAbort = (): void => end(signal.reason);
  signal.throwIfAborted();
  signal.addEventListener('abort', onAbort, { once: true });
  const timer = setTimeout(() => end(new NoAnswer(ms)), ms);
  try {
    return await Promise.race([work(own.signal), ended.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
