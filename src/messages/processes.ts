/**
 * Which processes are there: each says so every 10 s, and takes itself out of the list at its end. Unlike the signs of life
 * of capture and workers (beat.ts) nothing is decided by it: people are shown it.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import os from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { Service } from '../runtime/service.ts';
import { VERSION } from '../runtime/version.ts';

const PUT = statement('messages/put-process');
const REMOVE = statement('messages/remove-process');
const LIST = statement('messages/processes');

const EVERY_MS = 10_000;
/** Who has missed two of them is not there. */
const PRESENT_SECONDS = 30;
const FAREWELL_MS = 1_000;

export interface SeenProcess {
  id: string;
  role: string;
  host: string;
  pid: number;
  version: string;
  /** Of SECRET_KEY; tells nothing about it. */
  key_id: string;
  started_at: Date;
  seen_at: Date;
  /** By the database's clock. */
  seen_seconds_ago: number;
}

/** Those that were seen within an hour, those that ended well excluded. */
export async function readProcesses(db: Queryable): Promise<SeenProcess[]> {
  return (await db.query<SeenProcess>(LIST)).rows;
}

export const isPresent = ({ seen_seconds_ago }: SeenProcess): boolean => seen_seconds_ago <= PRESENT_SECONDS;

export interface ProcessSign {
  role: string;
  keyId: string;
  /** How many requests wait in it for messages, by the number of the consumer; absent: none can. */
  waiting?: (() => Record<number, number>) | undefined;
}

export function openProcessSign(
  deps: { db: Queryable; onError: (error: unknown) => void },
  { role, keyId, waiting }: ProcessSign,
): Service {
  const id = randomUUID();
  let putting: Promise<unknown> | undefined;
  /** One at a time, however long the database takes. */
  const put = (): void => {
    putting ??= deps.db
      .query(PUT, [id, role, os.hostname(), process.pid, VERSION, keyId, waiting ? JSON.stringify(waiting()) : null])
      .catch(deps.onError)
      .finally(() => {
        putting = undefined;
      });
  };
  return {
    name: 'process sign',
    async run(signal) {
      put();
      const timer = setInterval(() => put(), EVERY_MS);
      if (!signal.aborted) await once(signal, 'abort');
      clearInterval(timer);
    },
    async close() {
      const gone = Promise.resolve(putting).then(() => deps.db.query(REMOVE, [id]).catch(deps.onError));
      await Promise.race([gone, sleep(FAREWELL_MS, undefined, { ref: false })]);
    },
  };
}
