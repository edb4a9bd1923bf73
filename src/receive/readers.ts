/**
 * Who received from a consumer over HTTP, and acknowledged, and when that was last: noted in memory, and written for all together at
 * most every 30 s, never on the way of a request. A process that dies has not written its last half minute: it is a sign of life.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const NOTE = statement('receive/note-readers');

const EVERY_MS = 30_000;
/** For the last ones: who is told to stop waits no longer for a database that does not answer. */
const FAREWELL_MS = 1_000;

export interface Reader {
  /** Of the consumer. */
  sinkNo: number;
  /** The name of its token. */
  token: string;
  address: string;
}

export interface Readers {
  note(reader: Reader, what: 'received' | 'acked'): void;
  close(): Promise<void>;
}

interface Seen extends Reader {
  /** Of the clock here. */
  received?: number;
  acked?: number;
}

export function openReaders(
  { db, onError }: { db: Queryable; onError(error: unknown): void },
  { everyMs = EVERY_MS }: { everyMs?: number } = {},
): Readers {
  const now = (): number => performance.now();
  let seen = new Map<string, Seen>();
  let written = Number.NEGATIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;

  const write = async (): Promise<void> => {
    timer = undefined;
    if (seen.size === 0) return;
    const noted = seen;
    seen = new Map();
    written = now();
    const ago = (at: number | undefined): number | null => (at === undefined ? null : written - at);
    const rows = [...noted.values()].map(({ sinkNo: sink_no, token, address, received, acked }) => ({
      ...{ sink_no, token, address, received_ago_ms: ago(received), acked_ago_ms: ago(acked) },
    }));
    try {
      await db.query(NOTE, [JSON.stringify(rows)]);
    } catch (error) {
      // With what comes next.
      for (const [key, one] of noted) seen.set(key, { ...one, ...seen.get(key) });
      onError(error);
    }
  };
  return {
    note(reader, what) {
      const key = `${reader.sinkNo} ${reader.token}`;
      seen.set(key, { ...seen.get(key), ...reader, [what]: now() });
      timer ??= setTimeout(() => void write(), Math.max(0, written + everyMs - now())).unref();
    },
    async close() {
      clearTimeout(timer);
      await Promise.race([write(), sleep(FAREWELL_MS, undefined, { ref: false })]);
    },
  };
}
