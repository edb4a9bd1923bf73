/**
 * What a session of the source takes for open. A commit is in the WAL, and so in the stream, a moment before others see it;
 * where it waits for a synchronous standby, for long.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../db/pool.ts';
import { MillraceError } from '../model/errors.ts';

/** Transaction ids as the stream has them, of 32 bits: they run in a circle. */
export interface Snapshot {
  /** This one and all later ones, though they are not listed. */
  next: number;
  open: ReadonlySet<number>;
}

export const SNAPSHOT = `select pg_snapshot_xmax(s)::text as next, array(select x::text from pg_snapshot_xip(s) x) as open
   from pg_current_snapshot() s`;

/** Of a row of SNAPSHOT. */
export const snapshotFrom = ({ next, open }: { next: string; open: string[] }): Snapshot => ({
  next: xidOf(next),
  open: new Set(open.map(xidOf)),
});

/** Of the text form of pg_snapshot. */
export function parseSnapshot(text: string): Snapshot {
  const [, next, open] = text.split(':');
  return snapshotFrom({ next: next!, open: open ? open.split(',') : [] });
}

/** The oldest transaction that was open for this snapshot, in the text form of pg_snapshot: all before it were over. */
export const oldestOpen = (text: string): bigint => BigInt(text.split(':')[0]!);

/** The stream knows no epochs. */
const xidOf = (text: string): number => Number(BigInt(text) & 0xffff_ffffn);

/** Does the snapshot take it for open, or for one to come? */
export const isMissed = ({ next, open }: Snapshot, xid: number): boolean => open.has(xid) || ((xid - next) | 0) >= 0;

/**
 * Resolves when whoever reads the source from now on sees these transactions, and tells which others it surely sees too.
 * @throws MillraceError unavailable, at the signal.
 */
export type UntilSeen = (xids: Iterable<number>) => Promise<(xid: number) => boolean>;

const UNSEEN = 'has been committed, and nobody sees it yet';

/** What capture says of its state when it has waited for this one in vain. */
export const unseenText = (xid: number): string => `transaction ${xid} ${UNSEEN}`;

/** The transaction that it waited for, from that. */
export function awaitedIn(reason: string | null): number | null {
  const xid = new RegExp(`transaction (\\d+) ${UNSEEN}`).exec(reason ?? '')?.[1];
  return xid === undefined ? null : Number(xid);
}

const LOOK_MS = 5;
const MOST_MS = 250;
const PATIENCE_MS = 30_000;
/** What a snapshot has seen stays seen, but ids run in a circle. */
const TRUSTED_MS = 60_000;

/** Asks the source only about what it has not shown yet. `over`: nothing is waited for any more. */
export function openVisibility(source: Queryable, over: AbortSignal): UntilSeen {
  let last: { snapshot: Snapshot; at: number } | undefined;
  const unseenOf = (xids: readonly number[]): number | undefined =>
    last !== undefined && performance.now() - last.at < TRUSTED_MS
      ? xids.find((xid) => isMissed(last!.snapshot, xid))
      : xids[0];
  return async (given) => {
    const xids = [...given];
    const isSeen = (xid: number): boolean => unseenOf([xid]) === undefined;
    const until = performance.now() + PATIENCE_MS;
    for (let waitMs = LOOK_MS; unseenOf(xids) !== undefined; waitMs = Math.min(MOST_MS, waitMs * 2)) {
      const at = performance.now();
      const { rows } = await source.query<{ next: string; open: string[] }>(SNAPSHOT);
      last = { snapshot: snapshotFrom(rows[0]!), at };
      const unseen = unseenOf(xids);
      if (unseen === undefined) return isSeen;
      if (at > until) {
        throw new MillraceError('unavailable', unseenText(unseen), {
          remedy:
            'The server waits for a synchronous standby: fix it, or synchronous_standby_names. Then capture continues.',
        });
      }
      await sleep(waitMs, undefined, { signal: over });
    }
    return isSeen;
  };
}
