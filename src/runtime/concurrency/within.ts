import { setTimeout as sleep } from 'node:timers/promises';

/** What the promise resolves to; undefined: it takes longer. */
export async function within<Result>(ms: number, promise: Promise<Result>): Promise<Result | undefined> {
  const over = new AbortController();
  const timer = sleep(ms, undefined, { signal: over.signal }).catch(() => undefined);
  return await Promise.race([promise, timer]).finally(() => over.abort());
}
