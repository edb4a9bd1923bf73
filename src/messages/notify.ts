/**
 * Tells sleepers that messages are there: one notification at a time, after the transaction that persisted them, never in
 * it. What is persisted meanwhile goes out with the next one. A lost notification only delays: who sleeps looks for
 * himself now and then.
 */
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const NOTIFY = statement('messages/notify');

export const MESSAGES_CHANNEL = 'millrace_messages';
export const CATALOG_CHANNEL = 'millrace_catalog';

export interface Notifier {
  /** Messages of these sinks can be read. */
  tell(sinks: Iterable<number>): void;
}

export function openNotifier(deps: { db: Database; onError: (error: unknown) => void }): Notifier {
  const waiting = new Set<number>();
  let busy = false;
  const next = (): void => {
    if (busy || waiting.size === 0) return;
    const payload = [...waiting].join(',');
    waiting.clear();
    busy = true;
    deps.db
      .query(NOTIFY, [MESSAGES_CHANNEL, payload])
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
