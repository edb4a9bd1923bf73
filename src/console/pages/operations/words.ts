/** What operations are called, and what can be done to them. */
import type { Schemas } from '../../api/client.ts';
import { count, left, plural, rate, span } from '../../lib/format.ts';

/** What it found and did is asked for one by one. */
export type Operation = Schemas['OverviewOperation'];

export const isUnderWay = ({ state }: Operation): boolean =>
  state === 'waiting' || state === 'running' || state === 'paused';

const WORDS: Record<Operation['kind'], string> = {
  ...{ backfill: 'backfill', replay: 'replay', verify: 'verification', rebuild: 'rebuild' },
  ...{ resync: 'resync', retry: 'retry', discard: 'discard' },
};

/** `Verification`. */
export const kindWord = (kind: Operation['kind']): string => WORDS[kind].replace(/^./, (first) => first.toUpperCase());

/** `verification of products-index`. */
export const titleOf = ({ kind, sink, database, progress }: Operation): string =>
  `${WORDS[kind]} of ${sink ?? database}${kind === 'backfill' && progress.table !== null ? `: ${progress.table}` : ''}`;

/** `6 700/s, 12 s left`; empty where nobody can say. */
export function paceOf({ state, progress: { per_second, seconds_left } }: Operation): string {
  if (state !== 'running') return '';
  return [per_second === null ? null : rate(per_second), seconds_left === null ? null : left(seconds_left)]
    .filter((part) => part !== null)
    .join(', ');
}

/** `122 000 rows`. */
export const doneOf = ({ kind, progress: { done } }: Operation): string => amount(kind, done);

/** `122 000 of about 200 000 rows`, where that is known. */
export const doneOfAll = ({ kind, progress: { done, total } }: Operation): string =>
  total === null ? amount(kind, done) : `${count(done)} of about ${amount(kind, total)}`;

function amount(kind: Operation['kind'], value: number): string {
  if (kind === 'replay') return plural(value, 'entry', 'entries');
  return plural(value, kind === 'retry' || kind === 'discard' ? 'message' : 'row');
}

/** `12 s`; null of one that is under way, or that never began. */
export function tookOf({ started_at, ended_at }: Operation): string | null {
  if (started_at === null || ended_at === null) return null;
  return span(Math.max(0, Date.parse(ended_at) - Date.parse(started_at)) / 1_000);
}

/** From 0 to 1; null: nobody can say. */
export const partOf = ({ state, progress: { percent } }: Operation): number | null =>
  state === 'done' ? 1 : percent === null ? null : percent / 100;

export const KINDS: Operation['kind'][] = ['backfill', 'replay', 'verify', 'rebuild', 'resync', 'retry', 'discard'];
export const STATES: Operation['state'][] = ['waiting', 'running', 'paused', 'done', 'failed', 'cancelled'];
