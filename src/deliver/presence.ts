/**
 * Whether a process that owns lanes, or does an operation, is still there. Each holds a lock in its listening session, under a key of its own that
 * its lanes name. Postgres lets go of the lock when that session ends, and so does a pooler that clears the session up;
 * a lock that is free for a while therefore means that the process has died, and its lanes need not wait for their leases.
 *
 * It may have lost that session alone, or Postgres was restarted: it says so in its lanes at once, or comes back with
 * another key. Should it be overtaken all the same, its token is worth nothing any more, as after a lease that ran out.
 */
import { randomBytes } from 'node:crypto';
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const HOLD = statement('deliver/hold-session');
const LOST = statement('deliver/lost-sessions');
const FREE = statement('deliver/free-lanes');
const FREE_OPERATIONS = statement('deliver/free-operations');

/** Tells of the session that listens, for as long as it lasts. */
export interface Presence {
  /** Of the lock that is held right now; null: none. */
  readonly key: string | null;
  /** Another session: takes the lock there. Throws what Postgres says. */
  begun(session: Queryable): Promise<void>;
  /** The session has ended, or never took the lock. */
  over(): void;
  /** Calls `handler` whenever the key has changed. */
  onChange(handler: () => void): void;
}

export function openPresence(): Presence {
  let key: string | null = null;
  const handlers: (() => void)[] = [];
  const change = (to: string | null): void => {
    if (key === to) return;
    key = to;
    for (const handler of handlers) handler();
  };
  return {
    get key() {
      return key;
    },
    async begun(session) {
      const drawn = randomBytes(8).readBigInt64BE().toString();
      const { rows } = await session.query<{ held: boolean }>(HOLD, [drawn]);
      change(rows[0]?.held ? drawn : null);
    },
    over: () => change(null),
    onChange: (handler) => void handlers.push(handler),
  };
}

export interface Deaths {
  /** Frees the lanes of processes that were gone for `graceMs`, and their operations; returns how many lanes. */
  look(): Promise<number>;
}

/** `session` asks; `own` is the key of this process. Nothing is known before the first look. */
export function openDeaths(session: Queryable, own: Presence, options: { graceMs: number; now: () => number }): Deaths {
  const missing = new Map<string, number>();
  return {
    async look() {
      const { rows } = await session.query<{ session: string }>(LOST, [own.key === null ? [] : [own.key]]);
      const now = options.now();
      const lost = new Set(rows.map((row) => row.session));
      for (const key of [...missing.keys()]) if (!lost.has(key)) missing.delete(key);
      for (const key of lost) if (!missing.has(key)) missing.set(key, now);
      const dead = [...lost].filter((key) => now - missing.get(key)! >= options.graceMs);
      if (dead.length === 0) return 0;
      await session.query(FREE_OPERATIONS, [dead]);
      return (await session.query(FREE, [dead])).rowCount;
    },
  };
}
