/**
 * How many connections a pool may have where the server counts them: as many as it wants while there is room, fewer when
 * others need theirs, and never less than what its role cannot do without. Some are left to whoever comes next: a release
 * that migrates, a person with psql, the new processes of a deploy.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isUnavailable } from '../model/sqlstate.ts';
import type { SharingPool } from './sharing-pool.ts';
import { statement } from './statement.ts';

const COUNT = statement('db/count-room');

export interface Share {
  wanted: number;
  least: number;
}

/** Left to others. */
const RESERVE = 3;
const LOOK_MS = 5_000;
const AGAIN_MS = 1_000;

/** Pure. `total`: what the pool has; `room`: what could be opened on top of that, by anybody. */
export function sizeOf({ wanted, least }: Share, now: { total: number; room: number }): number {
  return Math.min(wanted, Math.max(least, now.total + now.room - RESERVE));
}

/**
 * Returns when the pool has so many connections, or at the signal. Whoever began with fewer would hold one and wait for
 * another, and nobody would go on. Each time that the pool's patience is over it gives back what it has. Throws what the
 * server says, but for that it cannot be had right now.
 */
export async function takeLeast(pool: pg.Pool, least: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const taken = await Promise.allSettled(Array.from({ length: least }, () => pool.connect()));
    const refused = taken.find((one) => one.status === 'rejected');
    for (const one of taken) if (one.status === 'fulfilled') one.value.release(refused !== undefined);
    if (refused === undefined) return;
    if (!isUnavailable(refused.reason)) throw refused.reason;
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Looks now and then, and sets the pool's size. Returns how to end that. */
export function keepShare(pool: SharingPool, share: Share): () => void {
  let looking = false;
  const look = async (): Promise<void> => {
    if (looking || pool.ending) return;
    looking = true;
    try {
      const { rows } = await pool.query<{ room: number }>({ name: COUNT.name, text: COUNT.text });
      if (rows[0]) pool.resize(sizeOf(share, { total: pool.totalCount, room: rows[0].room }));
    } catch {
      // It is as it was until the next look.
    } finally {
      looking = false;
    }
  };
  const timer = setInterval(() => void look(), LOOK_MS);
  timer.unref();
  pool.once('connect', () => void look());
  return () => clearInterval(timer);
}
