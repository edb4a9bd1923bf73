/**
 * A transaction in the user's database that ends when we are told to stop or its time is up, also when the network
 * swallows everything and no answer ever comes: then its connection is cut. Whether such a transaction committed is
 * not known; whoever writes must find out from what is there (see progress.ts).
 */
import type { Database, Transaction } from '../db/pool.ts';

export interface Deadline {
  signal: AbortSignal;
  timeoutMs: number;
}

/** Throws the signal's reason when told to stop, and an Error that says how long it waited when time is up. */
export async function onDestination<Result>(
  destination: Database,
  deadline: Deadline,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  const { signal, timeoutMs } = deadline;
  signal.throwIfAborted();
  let late = false;
  let end: (() => void) | undefined;
  const cut = (): void => end?.();
  // By hand: the timer of AbortSignal.timeout would outlive a quick batch by its whole length.
  const timer = setTimeout(() => {
    late = true;
    cut();
  }, timeoutMs);
  signal.addEventListener('abort', cut, { once: true });
  try {
    return await destination.transaction(async (tx) => {
      // With a query under way this does not wait for the server.
      end = () => void tx.client.end().catch(() => undefined);
      if (late || signal.aborted) throw new Error('too late to begin');
      return await work(tx);
    });
  } catch (error) {
    signal.throwIfAborted();
    if (late) throw new Error(`no answer within ${timeoutMs} ms`);
    throw error;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', cut);
  }
}
