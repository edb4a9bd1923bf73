/**
 * Pull consumers by name or id. Remembered until the catalog changes, so that a receive does not ask for what never
 * changes; the notification may be lost, hence also for a few seconds at most. A name wins over an equal id.
 */

import type { NotificationHandler } from '../db/listen.ts';
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { CATALOG_CHANNEL } from '../messages/notify.ts';

export interface Consumer {
  no: number;
  id: string;
  name: string;
  /** Answers in Sequin's nested shape. */
  nested: boolean;
  maxWaiting: number;
  visibilityTimeoutMs: number;
}

export interface Consumers {
  /** What is remembered of it, perhaps nothing. */
  known(nameOrId: string): Consumer | undefined;
  /**
   * Asks Postgres for what is not remembered. Undefined when there is no pull consumer of this name or id. `fresh`: as it is now,
   * whatever is remembered.
   */
  find(nameOrId: string, options?: { fresh?: boolean }): Promise<Consumer | undefined>;
  close(): void;
}

/** Whoever tells of changes: `db/listen.ts`. */
export interface Notifications {
  on(channel: string, handler: NotificationHandler): () => void;
}

const CONSUMER = statement('receive/consumer');
const MAX_AGE_MS = 5_000;
/** Names of settings are shorter, and Postgres' text takes no NUL. */
const MAX_NAME = 200;
/** Consumers remembered; beyond it all are forgotten. */
const MAX_KNOWN = 1_000;

interface ConsumerRow {
  no: number;
  id: string;
  name: string;
  nested: boolean;
  max_waiting: number;
  visibility_timeout_ms: number;
}

export function openConsumers(
  deps: { db: Queryable; listener: Notifications; now?: () => number },
  options: { maxAgeMs?: number } = {},
): Consumers {
  const known = new Map<string, { consumer: Consumer; until: number }>();
  const now = deps.now ?? (() => performance.now());
  let generation = 0;
  const off = deps.listener.on(CATALOG_CHANNEL, () => {
    generation += 1;
    known.clear();
  });
  const remembered = (nameOrId: string): Consumer | undefined => {
    const hit = known.get(nameOrId);
    return hit !== undefined && hit.until > now() ? hit.consumer : undefined;
  };
  return {
    known: remembered,
    async find(nameOrId, { fresh = false } = {}) {
      const hit = fresh ? undefined : remembered(nameOrId);
      if (hit !== undefined) return hit;
      if (nameOrId.length > MAX_NAME || nameOrId.includes('\u0000')) return undefined;
      const asked = generation;
      const { rows } = await deps.db.query<ConsumerRow>(CONSUMER, [nameOrId]);
      const row = rows[0];
      if (row === undefined) {
        known.delete(nameOrId);
        return undefined;
      }
      const { no, id, name, nested, max_waiting: maxWaiting, visibility_timeout_ms: visibilityTimeoutMs } = row;
      const consumer = { no, id, name, nested, maxWaiting, visibilityTimeoutMs };
      if (known.size >= MAX_KNOWN) known.clear();
      // A catalog that changed while we asked may have answered with what was before.
      if (asked === generation) known.set(nameOrId, { consumer, until: now() + (options.maxAgeMs ?? MAX_AGE_MS) });
      return consumer;
    },
    close: off,
  };
}
