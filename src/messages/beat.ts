/**
 * Signs of life, every 5 s, by the message database's clock. Health does not believe the state of a source that nobody has
 * confirmed for 15 s, nor that work is done where no worker is. A sign that cannot be written is nobody's failure: the
 * next one is soon.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const CAPTURE = statement('messages/capture-beat');
const WORKER = statement('messages/worker-beat');

export const BEAT_MS = 5_000;
/** For the last one: who is told to stop waits no longer for a database that does not answer. */
const FAREWELL_MS = 500;

/** Of the capture of one database. */
export interface CaptureBeats {
  /**
   * It streams, in this generation; undefined: it tries to. Says so at once, and then every 5 s, with how many milliseconds it is behind
   * its source; null: nobody knows.
   */
  go(generation?: number, behindMs?: () => number | null): void;
  /** Another capture of ours has the database, and its state: nothing is said. */
  hold(): void;
  /** The last one says that it streams no more. */
  end(): Promise<void>;
}

export function openCaptureBeats(db: Queryable, databaseNo: number): CaptureBeats {
  let held = false;
  let current: number | undefined;
  let streamed: number | undefined;
  let behind = (): number | null => null;
  const beat = oneAtATime(() => db.query(CAPTURE, [databaseNo, current ?? null, behind()]));
  const timer = setInterval(() => held || beat(), BEAT_MS);
  return {
    go(generation, behindMs = () => null) {
      held = false;
      behind = behindMs;
      current = generation;
      streamed = generation ?? streamed;
      void beat();
    },
    hold() {
      held = true;
    },
    async end() {
      clearInterval(timer);
      const farewell = async (): Promise<void> => {
        await beat.under();
        if (streamed === undefined) return;
        current = -streamed;
        behind = () => null;
        beat();
        await beat.under();
      };
      await Promise.race([farewell(), sleep(FAREWELL_MS, undefined, { ref: false })]);
    },
  };
}

/** What a worker calls every 5 s, on a session that its lanes do not use. */
export const workerBeat = (session: Queryable): (() => void) => oneAtATime(() => session.query(WORKER));

function oneAtATime(work: () => Promise<unknown>): { (): void; under(): Promise<unknown> } {
  let under: Promise<unknown> | undefined;
  const run = (): void => {
    under ??= work()
      .catch(() => undefined)
      .finally(() => {
        under = undefined;
      });
  };
  return Object.assign(run, { under: async () => await under });
}
