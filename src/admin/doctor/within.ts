/** A look that takes no longer than its share: what has not answered by then is not waited for. */

/** @throws Error that says how long it waited; what `work` throws. `work` itself is to end by its signal. */
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
  const timer = setTimeout(() => end(new Error(`no answer within ${ms} ms`)), ms);
  try {
    return await Promise.race([work(own.signal), ended.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
