/**
 * Operations that a worker does, each by a lease of its own: a keyed job finds who takes one, then the runner works on it until
 * it has ended, was paused or cancelled, or the worker stops. News may be lost: a sweep finds every operation that nobody has.
 * Workers die: whoever sees that the session is gone which an operation names takes it up (deliver/presence.ts); without one its
 * lease counts. Whatever is thrown is an end with a reason, but for what a later attempt may find otherwise.
 */
import { once } from 'node:events';
import type { Jobs, Task } from '../../db/jobs.ts';
import type { Database } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { MillraceError, messageOf } from '../../model/errors.ts';
import { isBadRequest, isConflict, isUnavailable, isUnknown } from '../../model/sqlstate.ts';
import { failpoint } from '../../runtime/failpoint.ts';
import type { Log } from '../../runtime/log.ts';
import type { Service } from '../../runtime/service.ts';
import {
  type Ended,
  type Held,
  holdOperation,
  JOB_KINDS,
  type JobKind,
  type Lease,
  Lost,
  type TakenOperation,
} from './held.ts';

const TAKE = statement('admin/operation/take');
const OPEN = statement('admin/operation/open');

const OPERATION_TASK = 'operation';
export const OPERATIONS_CHANNEL = 'millrace_operations';

export type Work = (held: Held) => Promise<Ended>;

/** Thrown by work that another attempt may well do. */
export class TryAgain extends Error {
  readonly remedy: string | undefined;
  constructor(message: string, remedy?: string) {
    super(message);
    this.name = 'TryAgain';
    this.remedy = remedy;
  }
}

export interface Operations extends Service {
  readonly taskName: string;
  readonly task: Task;
  /** Something was asked for, paused or cancelled; of this id, or of any. */
  onNews(id: string): void;
}

export interface OperationsDeps {
  db: Database;
  jobs: () => Jobs;
  log: Log;
  /** This process. */
  owner: string;
  /** How it says that it is there. Absent: by leases alone. */
  presence?: SessionKey;
  work: Record<JobKind, Work>;
}

/** The lock of this process' session; each change of it is told. */
export interface SessionKey {
  readonly key: string | null;
  onChange(handler: () => void): void;
}

export interface OperationsOptions {
  leaseMs: number;
  beatMs: number;
  sweepMs: number;
  /** Before it is tried again, times the attempts. */
  againMs: number;
  attempts: number;
  /** At once; a verification has its own place, for its memory. */
  places: number;
}

export const OPERATIONS: OperationsOptions = {
  leaseMs: 30_000,
  beatMs: 2_000,
  sweepMs: 15_000,
  againMs: 2_000,
  attempts: 5,
  places: 8,
};

/** The database's clock is another one. */
const SLACK_MS = 200;

interface Running {
  kind: JobKind;
  lease: Lease;
  /** Ends the work. */
  abort: AbortController;
  over: Promise<void>;
}

export function openOperations(deps: OperationsDeps, options: OperationsOptions = OPERATIONS): Operations {
  const { db, log } = deps;
  const running = new Map<string, Running>();
  let closed = false;

  const add = async (id: string): Promise<void> => {
    await deps.jobs().add(OPERATION_TASK, { id }, { key: `${OPERATION_TASK}:${id}` });
  };
  const sweep = async (): Promise<void> => {
    const { rows } = await db.query<{ id: string }>(OPEN);
    for (const { id } of rows) if (!running.has(id)) await add(id);
  };
  const swept = (): void => {
    if (closed) return;
    sweep().catch((err: unknown) => log.warn({ err }, 'operations could not be looked for: the next sweep will'));
  };
  const verifies = (): boolean => [...running.values()].some(({ kind }) => kind === 'verify');

  const session = (): string | null => deps.presence?.key ?? null;
  deps.presence?.onChange(() => {
    for (const own of running.values()) void beatOf(own, log);
  });

  const take = async (id: string): Promise<void> => {
    if (closed || running.has(id) || running.size >= options.places) return;
    const named = session();
    const values = [id, deps.owner, options.leaseMs, verifies(), named, JOB_KINDS];
    const { rows } = await db.query<TakenOperation>(TAKE, values);
    if (!rows[0]) return;
    const abort = new AbortController();
    const lease = holdOperation({ db, signal: abort.signal, session }, rows[0], options);
    const work = { taken: rows[0], lease, abort };
    const over = runOne(work, { ...deps, isStopping: () => closed }, options).then((againMs) => {
      running.delete(id);
      // There is a place for another one, and this one may be due before the next sweep.
      swept();
      if (againMs > 0) setTimeout(swept, againMs + SLACK_MS).unref();
    });
    running.set(id, { kind: rows[0].kind, lease, abort, over });
    // Another one has begun meanwhile.
    if (session() !== named) void beatOf({ lease, abort }, log);
  };

  // One after the other: whether there is room for the next one is known then.
  let taking: Promise<void> = Promise.resolve();
  return {
    name: 'operations',
    taskName: OPERATION_TASK,
    async task(payload) {
      const { id } = payload as { id: string };
      taking = taking.catch(() => undefined).then(() => take(id));
      await taking;
    },
    onNews(id) {
      const own = running.get(id);
      if (own) void beatOf(own, log);
      else swept();
    },
    async run(signal) {
      closed = false;
      swept();
      const timers = [setInterval(swept, options.sweepMs)];
      if (!signal.aborted) await once(signal, 'abort');
      closed = true;
      for (const timer of timers) clearInterval(timer);
      for (const { abort } of running.values()) abort.abort();
      await Promise.all([...running.values()].map(({ over }) => over));
    },
    close: () => Promise.resolve(),
  };
}

interface One {
  taken: TakenOperation;
  lease: Lease;
  abort: AbortController;
}

type OneDeps = Pick<OperationsDeps, 'log' | 'work'> & { isStopping(): boolean };

/** Never rejects. After how many milliseconds it is to be tried again; 0: not by this worker. */
async function runOne(one: One, deps: OneDeps, options: OperationsOptions): Promise<number> {
  const { taken, lease, abort } = one;
  const { log } = deps;
  const about = { operation: taken.id, kind: taken.kind, attempt: taken.attempt };
  const beats = beating(one, log, options);
  try {
    failpoint('operation/after-take');
    if (taken.attempt > options.attempts) throw spent(taken);
    log.info(about, 'an operation begins');
    const ended = await deps.work[taken.kind](lease.held);
    // Whatever was cut off is no result.
    if (abort.signal.aborted) throw new Lost();
    failpoint('operation/before-end');
    if (await lease.end(ended)) log.info({ ...about, state: ended.state }, 'an operation has ended');
    return 0;
  } catch (error) {
    return await failed(one, error, { ...deps, options }).catch((err: unknown) => {
      log.warn({ ...about, err }, 'the end of an operation could not be written: it is taken up again');
      return 0;
    });
  } finally {
    clearInterval(beats);
  }
}

const spent = ({ attempt, kind }: TakenOperation): MillraceError =>
  new MillraceError('internal', `the worker died ${attempt - 1} times while it did this ${kind}`, {
    remedy: 'See the log of the workers, then: resume it.',
  });

async function failed(
  { taken, lease, abort }: One,
  error: unknown,
  { log, isStopping, options }: OneDeps & { options: OperationsOptions },
): Promise<number> {
  if (abort.signal.aborted || error instanceof Lost) {
    if (isStopping()) await lease.release({ afterMs: 0 });
    return 0;
  }
  // Our own functions say what is wrong, and what to do.
  const refusal = isBadRequest(error) || isUnknown(error) || isConflict(error) ? error : undefined;
  const isFinal = refusal !== undefined || (error instanceof MillraceError && !isUnavailable(error.cause));
  const known = isFinal || error instanceof MillraceError || error instanceof TryAgain || isUnavailable(error);
  const reason = known ? messageOf(error) : 'an error that nobody expected: it is in the log of the worker';
  const told = error instanceof MillraceError || error instanceof TryAgain ? error.remedy : undefined;
  const remedy = refusal?.hint ?? told ?? null;
  if (!known) log.error({ err: error, operation: taken.id, kind: taken.kind }, 'an operation failed');
  if (isFinal || taken.attempt >= options.attempts) {
    await lease.end({ state: 'failed', result: null, reason, remedy });
    return 0;
  }
  const afterMs = options.againMs * taken.attempt;
  await lease.release({ afterMs, reason, remedy });
  log.warn({ operation: taken.id, kind: taken.kind, reason, wait_ms: afterMs }, 'an operation is tried again');
  return afterMs;
}

/** Signs of life. One that cannot say so for most of its lease has to take it that another one has it. */
function beating({ lease, abort }: One, log: Log, { beatMs, leaseMs }: OperationsOptions): NodeJS.Timeout {
  let last = performance.now();
  return setInterval(() => {
    if (performance.now() - last > leaseMs - 2 * beatMs) abort.abort();
    void beatOf({ lease, abort }, log).then((isThere) => {
      if (isThere) last = performance.now();
    });
  }, beatMs);
}

/** True: it is still held. */
async function beatOf({ lease, abort }: Pick<Running, 'lease' | 'abort'>, log: Log): Promise<boolean> {
  try {
    if (await lease.beat()) return true;
    abort.abort();
  } catch (err) {
    log.debug({ err }, 'a sign of life could not be written');
  }
  return false;
}
