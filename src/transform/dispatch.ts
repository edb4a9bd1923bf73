/**
 * Hands jobs to the sandbox process and brings back what became of them, whatever the process does. When it dies, or is
 * silent for too long and is killed, everything it held is suspect: it is run again alone, message by message, and a message
 * that ends the process twice is given up as `killed`. A process that is replaced for another reason blames nobody. After
 * three that were given up one after the other, the other suspects of that function are not tried: each costs seconds, in
 * which nobody else's functions run.
 */
import type { FunctionSettings } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import { FairQueue } from '../runtime/concurrency/fair-queue.ts';
import { FunctionKeys } from './function-keys.ts';
import { type Job, killedResult, type Result, split, untriedResult, type Work } from './job.ts';
import { readAnswers } from './protocol/answer.ts';
import { piecesOf } from './protocol/item.ts';
import type { SandboxLimits } from './protocol/limits.ts';
import type { FromProcess } from './protocol/messages.ts';
import type { SandboxProcess, StartProcess } from './start-process.ts';

/** The least of a log that is needed here. */
export interface SandboxLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Jobs of one function in the process: one at work, one that is ready when it is done. */
const PER_LANE = 2;
/** Messages of one function that may end the process, one after the other. */
export const CRASHES = 3;
/** Starts that may fail one after the other before the jobs do. */
const STARTS = 3;
/** Functions a process learns before it is replaced: edited ones would pile up. */
const DEFINITIONS = 256;

interface Running {
  process: SandboxProcess;
  ready: boolean;
  defined: Set<number>;
  /** It is being replaced through no fault of the jobs in it. */
  retired: boolean;
  gone: Promise<void>;
}

export class Dispatcher {
  readonly #log: SandboxLog;
  readonly #start: StartProcess;
  readonly #limits: SandboxLimits;
  readonly #keys = new FunctionKeys();
  readonly #queue = new FairQueue<Job>();
  /** Run alone, before anything else. */
  readonly #suspects: Job[] = [];
  readonly #held = new Map<number, Job>();
  /** By key of the function: what it reads of a message. */
  readonly #reads = new Map<number, number>();
  /** By owner: messages given up as killed since one went well. */
  readonly #crashes = new Map<string, number>();
  readonly #timers = new Map<number, NodeJS.Timeout>();
  #running: Running | undefined;
  #failedStarts = 0;
  #lastId = 0;
  #closed = false;

  constructor(parts: { log: SandboxLog; start: StartProcess }, limits: SandboxLimits) {
    this.#log = parts.log;
    this.#start = parts.start;
    this.#limits = limits;
  }

  /** Rejects when the dispatcher is closed or the process cannot be started. */
  run(work: Work): Promise<Result> {
    if (this.#closed) return Promise.reject(closedError());
    const owner = `${work.kind} ${this.#keys.keyOf(work.fn, work.sinkNo)}`;
    return new Promise((done, fail) => {
      this.#queue.add({ id: this.#nextId(), owner, work, crashes: 0, parts: [], done, fail });
      this.#pump();
    });
  }

  /** How many of action, record, changes, metadata a function reads; 4 while that is not known. */
  reads(fn: FunctionSettings, sinkNo: number): number {
    return this.#reads.get(this.#keys.keyOf(fn, sinkNo)) ?? 4;
  }

  /** Fails what is not finished; resolves when the process is gone. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#failWaiting(closedError());
    const gone = this.#running?.gone;
    this.#running?.process.kill();
    await gone;
  }

  #nextId = (): number => {
    this.#lastId += 1;
    return this.#lastId;
  };

  #pump(): void {
    if (this.#closed || (this.#suspects.length === 0 && this.#queue.isEmpty)) return;
    this.#running ??= this.#open();
    const running = this.#running;
    if (!running.ready || running.retired) return;
    // A suspect is alone in the process.
    if (this.#held.values().some(({ crashes }) => crashes > 0)) return;
    if (this.#suspects.length > 0) {
      if (this.#held.size === 0) this.#put(this.#suspects.shift()!, running);
      return;
    }
    while (this.#held.size < this.#limits.inFlight) {
      // Most places are for functions that have none yet: a few slow ones would else have all of them.
      const job = this.#queue.take(this.#held.size < this.#limits.inFlight / 3 ? PER_LANE : 1);
      if (job === undefined) return;
      this.#put(job, running);
    }
  }

  #open(): Running {
    const gone = Promise.withResolvers<void>();
    const process = this.#start(
      {
        message: (message, text) => this.#receive(running, message, text),
        exited: (why) => {
          gone.resolve();
          this.#exited(running, why);
        },
      },
      this.#limits,
    );
    const running: Running = { process, ready: false, defined: new Set(), retired: false, gone: gone.promise };
    return running;
  }

  #put(job: Job, running: Running): void {
    const { work, id } = job;
    this.#held.set(id, job);
    const key = this.#keys.keyOf(work.fn, work.sinkNo);
    if (!running.defined.has(key)) running.process.send({ kind: 'define', key, fn: work.fn });
    running.defined.add(key);
    const { kind } = work;
    if (kind === 'run') {
      const { pieces, lengths } = piecesOf(work.items);
      running.process.send({ kind, id, key, lengths, room: work.room.left }, pieces);
    } else {
      running.process.send({ kind, id, key });
    }
    this.#watch(job, running);
  }

  /** The watchdog: from now on the process has `silenceMs` to say something about this job. */
  #watch(job: Job, running: Running): void {
    clearTimeout(this.#timers.get(job.id));
    const silent = () => {
      this.#log.warn({ functions: namesOf([job]) }, 'A function does not answer; its process is killed');
      running.process.kill();
    };
    this.#timers.set(job.id, setTimeout(silent, this.#limits.silenceMs));
  }

  #takeOut(job: Job): void {
    this.#held.delete(job.id);
    clearTimeout(this.#timers.get(job.id));
    this.#timers.delete(job.id);
  }

  #receive(running: Running, message: FromProcess, text: string): void {
    // What was still under way when it ended: what it held is another one's by now.
    if (this.#running !== running) return;
    if (message.kind === 'ready') {
      running.ready = true;
      this.#failedStarts = 0;
      running.process.send({ kind: 'limits', limits: this.#limits });
      const { pid, wrap } = running.process;
      const fields = { pid, wrap: wrap.join(' '), same_account: message.sameAccount };
      this.#log.info(fields, 'The process that runs functions is ready');
      this.#pump();
      return;
    }
    const job = this.#held.get(message.id);
    if (job === undefined) return;
    if (message.kind === 'alive') {
      this.#watch(job, running);
      return;
    }
    if (message.kind === 'part') {
      job.parts.push(text);
      this.#watch(job, running);
      return;
    }
    const result = this.#resultOf(job, message, text);
    if (result === undefined) {
      running.process.kill();
      return;
    }
    this.#takeOut(job);
    if (job.crashes === 0) this.#queue.release(job);
    job.done(result);
    if (message.retire || (running.defined.size > DEFINITIONS && this.#held.size === 0)) {
      running.retired = true;
      running.process.kill();
    }
    this.#pump();
  }

  /** Undefined: not what was asked for. `text`: the last lines. */
  #resultOf(
    { work, owner, parts }: Job,
    message: Extract<FromProcess, { id: number }>,
    text: string,
  ): Result | undefined {
    if (message.kind === 'checked') return work.kind === 'check' ? { answers: [], error: message.error } : undefined;
    if (message.kind !== 'answers' || work.kind !== 'run') return undefined;
    const all = [...parts, text];
    const answers = readAnswers(all);
    if (answers === undefined || answers.length > work.items.length) return undefined;
    if (message.full !== answers.length < work.items.length) return undefined;
    for (const lines of all) work.room.left -= lines.length;
    this.#reads.set(this.#keys.keyOf(work.fn, work.sinkNo), message.reads);
    if (answers.some((answer) => !('complaint' in answer))) this.#crashes.delete(owner);
    return { answers, error: undefined };
  }

  #exited(running: Running, why: string): void {
    if (this.#running === running) this.#running = undefined;
    const lost = [...this.#held.values()];
    for (const job of lost) this.#takeOut(job);
    if (this.#closed) {
      for (const job of lost) job.fail(closedError());
    } else if (running.retired) {
      for (const job of lost.reverse()) {
        if (job.crashes > 0) this.#suspects.unshift(job);
        else this.#queue.putBack({ ...job, parts: [] });
      }
    } else if (running.ready) {
      this.#log.warn({ why, functions: namesOf(lost) }, 'The process that runs functions ended');
      for (const job of lost) this.#suspect(job);
    } else {
      this.#startFailed(why);
    }
    this.#pump();
  }

  #suspect(job: Job): void {
    if (job.crashes === 0) this.#queue.release(job);
    job.crashes += 1;
    const alone = job.work.kind === 'check' || job.work.items.length === 1;
    if (alone && job.crashes >= 2) this.#giveUp(job);
    // One that was alone is tried again at once, so that what is given up is given up in the order of the messages.
    else if (alone) this.#suspects.unshift(...split(job, this.#nextId));
    else this.#suspects.push(...split(job, this.#nextId));
  }

  #giveUp(job: Job): void {
    job.done(killedResult(job));
    const crashes = (this.#crashes.get(job.owner) ?? 0) + 1;
    this.#crashes.set(job.owner, crashes);
    if (job.work.kind === 'check' || crashes < CRASHES) return;
    this.#crashes.delete(job.owner);
    const others = this.#suspects.splice(0);
    this.#suspects.push(...others.filter((other) => other.owner !== job.owner));
    for (const other of others) if (other.owner === job.owner) other.done(untriedResult(other));
  }

  #startFailed(why: string): void {
    this.#failedStarts += 1;
    if (this.#failedStarts < STARTS) return;
    this.#failedStarts = 0;
    this.#log.error({ why }, 'The process that runs functions cannot be started');
    const remedy = 'See the log for the reason; Node 24 or later and the package isolated-vm are needed';
    this.#failWaiting(new MillraceError('internal', 'The process that runs functions cannot be started', { remedy }));
  }

  #failWaiting(error: Error): void {
    for (const job of [...this.#suspects.splice(0), ...this.#queue.clear()]) job.fail(error);
  }
}

function namesOf(jobs: readonly Job[]): string[] {
  return [...new Set(jobs.map((job) => job.work.fn.name))];
}

function closedError(): MillraceError {
  return new MillraceError('unavailable', 'The sandbox for functions is closed');
}
