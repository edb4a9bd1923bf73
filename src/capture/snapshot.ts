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

/** The stream knows no epochs. */
const xidOf = (text: string): number => Number(BigInt(text) & 0xffff_ffffn);

/** Does the snapshot take it for open, or for one to come? */
export const isMissed = ({ next, open }: Snapshot, xid: number): boolean => open.has(xid) || ((xid - next) | 0) >= 0;

const LOOK_MS = 5;
const MOST_MS = 250;
const PATIENCE_MS = 30_000;

/** Until whoever reads from now on sees these transactions. @throws MillraceError unavailable when it takes long; at the signal. */
export async function untilSeen(source: Queryable, xids: ReadonlySet<number>, signal: AbortSignal): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  for (let waitMs = LOOK_MS; ; waitMs = Math.min(MOST_MS, waitMs * 2)) {
    const { rows } = await source.query<{ next: string; open: string[] }>(SNAPSHOT);
    const snapshot = snapshotFrom(rows[0]!);
    const unseen = [...xids].find((xid) => isMissed(snapshot, xid));
    if (unseen === undefined) return;
    if (performance.now() > until) {
      throw new MillraceError('unavailable', `transaction ${unseen} has been committed, and nobody sees it yet`, {
        remedy:
          'The server waits for a synchronous standby: mend it, or synchronous_standby_names. Capture goes on then.',
      });
    }
    await sleep(waitMs, undefined, { signal });
  }
}
