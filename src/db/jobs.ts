/**
 * graphile-worker's door. Jobs are keyed, so that one is there at most once, never queued by name (a killed worker's lock
 * would hold a queue for hours), and short: whoever has more to do adds itself again. A job that fails is logged and
 * forgotten: what must happen again is found by a sweep over the data, not by the job's own retries.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Logger,
  type Runner,
  runMigrations,
  run as runWorker,
  type TaskList,
  type WithPgClient,
} from 'graphile-worker';
import { isUnavailable } from '../model/sqlstate.ts';
import { backoffMs, RECONNECT } from '../runtime/backoff.ts';
import type { Log } from '../runtime/log.ts';
import type { Service } from '../runtime/service.ts';
import type { Database } from './pool.ts';

const JOBS_SCHEMA = 'millrace_jobs';

export type Task = (payload: unknown, signal: AbortSignal) => Promise<void>;

export interface Jobs extends Service {
  /**
   * Adds a job, or moves the one of this key. Waits for a runner that is on its way up: whoever looks for work at the start
   * looks only once. Resolves to false when there is none for 10 s, and after the end.
   */
  add(task: string, payload: unknown, spec: { key: string; runAt?: Date }): Promise<boolean>;
}

export interface JobsOptions {
  tasks: Record<string, Task>;
  concurrency: number;
}

/** Brings the job tables up to date. */
export async function migrateJobs(db: Database, log: Log): Promise<void> {
  await runMigrations({ pgPool: db.pool, schema: JOBS_SCHEMA, logger: loggerOn(log) });
}

const RUNNER_MS = 10_000;

export function openJobs(deps: { db: Database; log: Log }, options: JobsOptions): Jobs {
  let runner: Runner | undefined;
  let closed = false;
  const waiting = new Set<() => void>();
  const wakeAll = (): void => {
    for (const wake of waiting) wake();
  };
  const untilRunner = async (): Promise<void> =>
    await new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        waiting.delete(end);
        resolve();
      };
      const timer = setTimeout(end, RUNNER_MS);
      waiting.add(end);
    });
  return {
    name: 'jobs',
    async add(task, payload, spec) {
      if (!runner && !closed) await untilRunner();
      if (!runner) return false;
      await runner.addJob(task, payload, {
        jobKey: spec.key,
        maxAttempts: 1,
        ...(spec.runAt ? { runAt: spec.runAt } : {}),
      });
      return true;
    },
    async run(signal) {
      if (signal.aborted) return;
      const taskList: TaskList = Object.fromEntries(
        Object.entries(options.tasks).map(([name, task]) => [name, (payload: unknown) => task(payload, signal)]),
      );
      const running = await runWorker({
        pgPool: deps.db.pool,
        schema: JOBS_SCHEMA,
        concurrency: options.concurrency,
        noHandleSignals: true,
        pollInterval: 2_000,
        logger: loggerOn(deps.log),
        taskList,
        preset: { plugins: [patience(deps.log, () => closed || signal.aborted)] },
      });
      runner = running;
      wakeAll();
      const stop = () => void running.stop().catch(() => undefined);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      try {
        await running.promise;
      } finally {
        runner = undefined;
        signal.removeEventListener('abort', stop);
      }
    },
    async close() {
      closed = true;
      wakeAll();
      await runner?.stop().catch(() => undefined);
    },
  };
}

/**
 * The library writes down that a job is over without waiting for it: an error there would be caught by nobody, and end the
 * process. It repeats that for a few errors alone. Here: for as long as the database is away, and after our end never again.
 */
function patience(log: Log, over: () => boolean): GraphileConfig.Plugin {
  return {
    name: 'patience',
    worker: {
      hooks: {
        startWorker: (_context, { withPgClient }) =>
          void Object.assign(withPgClient, { withRetries: repeating(withPgClient, { log, over }) }),
      },
    },
  };
}

function repeating(withPgClient: WithPgClient, deps: { log: Log; over: () => boolean }): WithPgClient {
  return async (work) => {
    for (let failures = 1; ; failures += 1) {
      try {
        return await withPgClient(work);
      } catch (error) {
        if (deps.over()) return await new Promise(() => undefined);
        if (!isUnavailable(error)) throw error;
        deps.log.debug({ err: error, failures }, 'the end of a job could not be written down: once more');
        await sleep(backoffMs(failures, RECONNECT, Math.random()), undefined, { ref: false });
      }
    }
  };
}

function loggerOn(log: Log): Logger {
  return new Logger(() => (level, message, meta) => {
    // Of a task that failed it quotes the error, which the log takes apart.
    if (level === 'error')
      log.error({ err: meta?.error, jobs: message.replace(/ with error '.*$/s, '') }, 'the job runner met an error');
    else if (level === 'warning') log.debug({}, message);
    else log.trace({}, message);
  });
}
