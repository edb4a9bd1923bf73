/** What a job tells while it works: lines that stay, in their order, and how far it is now. Where it is lost, nobody is told. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Look, WatchDeps, WatchedBackfill } from '../watched.ts';
import { backfillLines } from './backfill-lines.ts';
import { type Held, Lost, type Shown } from './held.ts';

export interface Journal {
  say(text: string, operation?: string): void;
  /** Everything is written. */
  written(): Promise<void>;
}

export function journalOf(held: Held): Journal {
  let last: Promise<void> = Promise.resolve();
  let failure: unknown;
  // Another attempt goes the same way.
  const said = new Set(held.steps.map(({ text, operation }) => `${operation} ${text}`));
  return {
    say(text, operation) {
      if (said.has(`${operation} ${text}`)) return;
      last = last
        .then(() => held.say(text, operation))
        .catch((error: unknown) => {
          failure ??= error instanceof Lost ? undefined : error;
        });
    },
    async written() {
      await last;
      if (failure !== undefined) throw failure;
    },
  };
}

export const clock: Pick<WatchDeps, 'now' | 'sleep'> = {
  now: () => performance.now(),
  sleep: async (ms, signal) => await wait(ms, undefined, { signal }).catch(() => undefined),
};

/** Backfills under way, with those of all tables as one. */
export function shownLook(look: Look): Shown {
  const tables = look.rows.filter(({ kind }) => kind !== 'all');
  const sum = (of: (row: WatchedBackfill) => number | null): number =>
    tables.reduce((total, row) => total + (of(row) ?? 0), 0);
  const done = sum((row) => row.rows_done);
  const total =
    tables.length > 0 && tables.every(({ rows_total }) => rows_total !== null) ? sum((row) => row.rows_total) : null;
  const perSecond = sum((row) => (row.state === 'running' ? row.rows_per_second : null));
  return {
    phase: 'filling',
    progress: {
      ...{ table: null, done, sent: sum((row) => row.rows_sent), total },
      percent: total ? Math.min(99, Math.floor((100 * done) / total)) : null,
      per_second: perSecond === 0 ? null : perSecond,
      seconds_left: perSecond === 0 || total === null || total < done ? null : Math.round((total - done) / perSecond),
    },
    lines: backfillLines(look),
  };
}
