/**
 * What is kept for a while only: a job each 10 minutes deletes what is beyond its bounds, some thousand rows in a transaction.
 * A table with a bound gets a statement in sql/trim/ and a line here; the statement deletes at most $1 rows. Safe to run twice
 * at once; dies the process, the next run goes on.
 */
import type { Jobs, Task } from '../db/jobs.ts';
import type { Queryable } from '../db/pool.ts';
import { type Statement, statement } from '../db/statement.ts';
import type { Log } from '../runtime/log.ts';
import type { Service } from '../runtime/service.ts';

const TRIMMED: readonly Statement[] = [
  statement('trim/sink-counters'),
  statement('trim/database-counters'),
  statement('trim/processes'),
  statement('trim/audit-log'),
  statement('trim/login-failures'),
  statement('trim/sessions'),
  statement('trim/attempts'),
  statement('trim/attempts-of-sink'),
  statement('trim/recent-messages'),
  statement('trim/operations'),
  statement('trim/backfills'),
  statement('trim/readers'),
];

const CHUNK = 5_000;
const EVERY_MS = 600_000;
/** The first time; jobs may not be up before. */
const FIRST_MS = 20_000;

/** Deletes until nothing is beyond its bounds. One table that cannot be trimmed does not keep the others. How many rows went. */
export async function trim(
  { db, log }: { db: Queryable; log: Pick<Log, 'warn'> },
  { signal, chunk = CHUNK }: { signal: AbortSignal; chunk?: number },
): Promise<number> {
  let deleted = 0;
  for (const remove of TRIMMED) {
    try {
      for (let count = chunk; count >= chunk && !signal.aborted; ) {
        count = (await db.query(remove, [chunk])).rowCount;
        deleted += count;
      }
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error, table: remove.name }, 'a table could not be trimmed');
    }
  }
  return deleted;
}

export interface Trimming extends Service {
  readonly taskName: string;
  readonly task: Task;
}

interface TrimmingDeps {
  db: Queryable;
  jobs: () => Jobs;
  log: Log;
  /** What else goes that nobody needs any more. */
  also(): Promise<unknown>;
}

interface TrimmingOptions {
  /** After the start; 20,000. */
  firstMs?: number;
  /** From then on; 600,000. */
  everyMs?: number;
}

export function openTrimming(
  deps: TrimmingDeps,
  { firstMs = FIRST_MS, everyMs = EVERY_MS }: TrimmingOptions = {},
): Trimming {
  const taskName = 'trim';
  return {
    name: 'trimming',
    taskName,
    task: async (_payload, signal) => {
      await trim(deps, { signal });
      await deps.also().catch((err: unknown) => deps.log.warn({ err }, 'storage of removed sinks stays'));
    },
    async run(signal) {
      const ask = (): void => {
        // One at a time over all workers, or nearly.
        deps
          .jobs()
          .add(taskName, {}, { key: taskName })
          .catch((error: unknown) => deps.log.warn({ err: error }, 'the trimming job was not added'));
      };
      const timers = [setTimeout(ask, firstMs), setInterval(ask, everyMs)];
      if (!signal.aborted)
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      for (const timer of timers) clearTimeout(timer);
    },
    close: () => Promise.resolve(),
  };
}
