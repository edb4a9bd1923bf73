/** A piece of work for the box, and what it turns into when the box dies over it. */
import type { FunctionSettings } from '../model/declared.ts';
import type { FunctionInput } from '../model/message.ts';
import type { FunctionSet, Shaped, ShapeError } from './shaped.ts';

export type Work =
  | { kind: 'shape'; set: FunctionSet; inputs: readonly FunctionInput[]; searchSink: boolean }
  | { kind: 'check'; fn: FunctionSettings };

/** `shaped` has one entry for each input; of a check only `error` counts. */
export interface Result {
  shaped: Shaped[];
  error: ShapeError | undefined;
}

export interface Job {
  id: number;
  lane: string;
  work: Work;
  /** Times the box died while it held this job alone, or this job's chunk. */
  kills: number;
  /** The function that was last seen at work on it. */
  at: string | undefined;
  done(result: Result): void;
  fail(error: Error): void;
}

export function functionsOf(work: Work): FunctionSettings[] {
  if (work.kind === 'check') return [work.fn];
  return [work.set.filter, work.set.transform, work.set.routing].filter((fn) => fn !== undefined);
}

export function killedResult(job: Job): Result {
  const names = functionsOf(job.work).map((fn) => fn.name);
  const error: ShapeError = {
    kind: 'killed',
    message: 'The function brought its process down, or kept it from answering, twice',
    function: job.at ?? names.join(', '),
  };
  return { shaped: [{ kept: true, error }], error };
}

export function untriedResult(job: Job): Result {
  const names = functionsOf(job.work).map((fn) => fn.name);
  const message = 'Not tried: the messages before it brought the process of the function down';
  const error: ShapeError = { kind: 'untried', message, function: names.join(', ') };
  const inputs = job.work.kind === 'shape' ? job.work.inputs : [];
  return { shaped: inputs.map(() => ({ kept: true, error })), error };
}

/** One job for each message of a chunk; when all are done, so is the chunk. */
export function split(job: Job, nextId: () => number): Job[] {
  const { work } = job;
  if (work.kind === 'check' || work.inputs.length === 1) return [{ ...job, id: nextId() }];
  const results: Promise<Result>[] = [];
  const jobs = work.inputs.map((input) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    results.push(promise);
    return { ...job, id: nextId(), work: { ...work, inputs: [input] }, done: resolve, fail: reject };
  });
  Promise.all(results).then(
    (all) => job.done({ shaped: all.flatMap((result) => result.shaped), error: undefined }),
    (error: Error) => job.fail(error),
  );
  return jobs;
}
