/**
 * Tells sleepers that messages are there, after the transaction that persisted them, never in it: whoever commits one with a
 * notification waits for all others. A lost notification only delays: who sleeps looks for himself now and then.
 */
import type { Database } from '../db/pool.ts';

export const MESSAGES_CHANNEL = 'millrace_messages';
export const CATALOG_CHANNEL = 'millrace_catalog';

/** Postgres takes less than 8,000 bytes with a notification. */
const MOST_BYTES = 7_999;

/** The statement that says so of these sinks; undefined: of none. */
export function notifySql(sinks: Iterable<number>): string | undefined {
  const payload = [...sinks].join(',');
  if (payload === '') return undefined;
  return `notify ${MESSAGES_CHANNEL}, '${payload.length > MOST_BYTES ? '' : payload}'`;
}

export interface Notifier {
  /** Messages of these sinks can be read. */
  tell(sinks: Iterable<number>): void;
}

/** One notification at a time: what is to be said meanwhile goes out with the next one. */
export function openNotifier(deps: { db: Database; onError: (error: unknown) => void }): Notifier {
  const waiting = new Set<number>();
  let busy = false;
  const next = (): void => {
    if (busy || waiting.size === 0) return;
    const sql = notifySql(waiting)!;
    waiting.clear();
    busy = true;
    deps.db
      .query(sql)
      .catch(deps.onError)
      .finally(() => {
        busy = false;
        next();
      });
  };
  return {
    tell(sinks) {
      for (const sink of sinks) waiting.add(sink);
      next();
    },
  };
}

/** The sinks of a notification; undefined when it names none, and any may have news. */
export function sinksOf(payload: string): number[] | undefined {
  return payload === '' ? undefined : payload.split(',').map(Number);
}
