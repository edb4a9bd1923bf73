/** A piece of work for the sandbox process, and what it turns into when the process dies over it. */
import type { FunctionSettings } from '../model/declared.ts';
import type { Answer } from './protocol/answer.ts';
import type { Item } from './protocol/item.ts';
import type { ShapeError } from './protocol/shape-error.ts';

/** Characters that answers may still take. */
export interface Room {
  left: number;
}

/** `sinkNo`: whose messages, 0 for none. */
export type Work =
  | { kind: 'run'; fn: FunctionSettings; sinkNo: number; items: readonly Item[]; room: Room }
  | { kind: 'check'; fn: FunctionSettings; sinkNo: 0 };

/** `answers` has one entry for each item, up to the first that found no room; of a check only `error` counts. */
export interface Result {
  answers: readonly Answer[];
  error: ShapeError | undefined;
}

export interface Job {
  id: number;
  /** Whose turn it takes: the function. */
  owner: string;
  work: Work;
  /** Times the process died while it held this job alone, or this job's chunk. */
  crashes: number;
  /** Lines that have come already. */
  parts: string[];
  done(result: Result): void;
  fail(error: Error): void;
}

export function killedResult(job: Job): Result {
  const message = 'The function brought its process down, or kept it from answering, twice';
  return failedResult(job, { kind: 'killed', message });
}

export function untriedResult(job: Job): Result {
  const message = 'Not tried: the messages before it brought the process of the function down';
  return failedResult(job, { kind: 'untried', message });
}

function failedResult({ work }: Job, complaint: Omit<ShapeError, 'function'>): Result {
  const items = work.kind === 'run' ? work.items : [];
  return { answers: items.map(() => ({ complaint })), error: { ...complaint, function: work.fn.name } };
}

/** One job for each message of a chunk, in the same room; when all are done, so is the chunk. */
export function split(job: Job, nextId: () => number): Job[] {
  const { work } = job;
  if (work.kind === 'check' || work.items.length === 1) return [{ ...job, id: nextId(), parts: [] }];
  const results: Promise<Result>[] = [];
  const jobs = work.items.map((item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    results.push(promise);
    return { ...job, id: nextId(), parts: [], work: { ...work, items: [item] }, done: resolve, fail: reject };
  });
  Promise.all(results).then(
    (all) => {
      const full = all.findIndex(({ answers }) => answers.length === 0);
      const answered = full < 0 ? all : all.slice(0, full);
      job.done({ answers: answered.flatMap(({ answers }) => answers), error: undefined });
    },
    (error: Error) => job.fail(error),
  );
  return jobs;
}
