/**
 * How long a transaction may take: what Postgres itself ends, and a transaction in a database of the user's that ends when we are told to stop or its time is up, also when the network
 * swallows everything and no answer ever comes: then its connection is cut. Whether such a transaction committed is
 * not known; whoever writes must find out from what is there (sinks/change-table/progress.ts).
 */
import { type Database, inTransaction, type Queryable } from './pool.ts';

/** Of what follows in a transaction, milliseconds; absent: as the session has it. */
export interface Limits {
  /** Of a statement. */
  statementMs?: number;
  /** That a lock is waited for. */
  lockMs?: number;
}

/** Statements that set the limits until the transaction ends; empty for none. */
export function limitSql({ statementMs, lockMs }: Limits): string {
  const limits = Object.entries({ statement_timeout: statementMs, lock_timeout: lockMs });
  return limits
    .flatMap(([name, ms]) => (ms === undefined ? [] : [`set local ${name} = ${Math.max(1, Math.trunc(ms))}`]))
    .join('; ');
}

export interface Deadline {
  signal: AbortSignal;
  timeoutMs: number;
}

/** Throws the signal's reason when told to stop, and an Error that says how long it waited when time is up. */
export async function onDestination<Result>(
  destination: Database,
  deadline: Deadline,
  work: (tx: Queryable) => Promise<Result>,
): Promise<Result> {
  const { signal, timeoutMs } = deadline;
  signal.throwIfAborted();
  const ended = Promise.withResolvers<never>();
  let over = false;
  let cut: (() => void) | undefined;
  const end = (reason: unknown): void => {
    over = true;
    ended.reject(reason);
    cut?.();
  };
  const onAbort = (): void => end(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  // By hand: the timer of AbortSignal.timeout would outlive a quick batch by its whole length.
  const timer = setTimeout(() => end(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  const working = destination.session(async (client) => {
    // With a query under way this does not wait for the server.
    cut = () => void client.end().catch(() => undefined);
    try {
      if (over) throw new Error('too late to begin');
      return await inTransaction(client, work);
    } finally {
      cut = undefined;
    }
  });
  try {
    return await Promise.race([working, ended.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}
