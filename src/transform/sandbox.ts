/**
 * Runs the user's functions on messages, safely: every answer belongs to its message, in order, and whatever a function
 * does fails that message alone. The process behind it starts with the first use. Functions that are only paths need
 * no process and are read here.
 */
import type { FunctionSettings } from '../model/declared.ts';
import type { FunctionInput } from '../model/message.ts';
import { Dispatcher, type SandboxLog } from './dispatch.ts';
import { inParts } from './in-parts.ts';
import type { Room } from './job.ts';
import { readPath } from './path.ts';
import { shapeError } from './protocol/complaint.ts';
import { LIMITS, type SandboxLimits } from './protocol/limits.ts';
import type { ShapeError } from './protocol/shape-error.ts';
import { BAD_PATH, type FunctionSet, type Runner, readsOf, type Shaped, shapeChunk } from './shape.ts';
import { startProcess } from './start-process.ts';

export interface ShapeOptions {
  /** Of the sink: it keeps a document for each row, so a deletion has none, and one that moves is told where it was. */
  replaces: boolean;
  /** Whose messages they are: nothing of one sink's is ever in an isolate of another one's. Absent: 0, of no sink. */
  sinkNo?: number;
  /** Characters that the results may take; absent: 32 MB. */
  room?: number;
}

export interface Sandbox {
  /** Compiles a function and tries it on a synthetic message: what is wrong with it on any row, for saving. */
  check(fn: FunctionSettings): Promise<ShapeError | undefined>;
  /**
   * One answer for each input, in the same order, up to the first for whose result there is no room: the others are to be
   * asked for again. With a room of `mostLength` there is always one. Rejects only when nothing could be run: the sandbox is closed
   * (`unavailable`) or its process cannot be started (`internal`); neither is a message's fault.
   */
  shape(set: FunctionSet, inputs: readonly FunctionInput[], options: ShapeOptions): Promise<Shaped[]>;
  /**
   * How many of action, record, changes, metadata these functions read, in that order; 4 until one message was shaped. What
   * is beyond need not be there: those functions see null for it, whatever it is.
   */
  reads(set: FunctionSet, options: ShapeOptions): number;
  /** Characters that the result of one message may take. */
  readonly mostLength: number;
  /** Safe to call twice. What is still running fails with `unavailable`. */
  close(): Promise<void>;
}

export function openSandbox(options: { log: SandboxLog; limits?: Partial<SandboxLimits> }): Sandbox {
  const limits = { ...LIMITS, ...options.limits };
  const dispatcher = new Dispatcher({ log: options.log, start: startProcess }, limits);
  const mostLength = limits.answerBytes + OTHER_LINES;
  const runnerFor = (sinkNo = 0, room: Room = { left: limits.batchLength }): Runner => ({
    run: async (fn, items) => (await dispatcher.run({ kind: 'run', fn, sinkNo, items, room })).answers,
    reads: (fn) => dispatcher.reads(fn, sinkNo),
  });
  let queued = 0;
  /** By set of functions. */
  const queuedOf = new Map<FunctionSet, number>();
  const waiting: (() => void)[] = [];

  const shapeInProcess = async (
    set: FunctionSet,
    inputs: readonly FunctionInput[],
    options: { replaces: boolean; runner: Runner },
  ) => {
    // One chunk of each set may always wait: what slow functions have queued is in no other's way.
    while (queuedOf.has(set) && queued + inputs.length > limits.queuedMessages) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    const count = (messages: number): void => {
      queued += messages;
      const own = (queuedOf.get(set) ?? 0) + messages;
      if (own > 0) queuedOf.set(set, own);
      else queuedOf.delete(set);
    };
    count(inputs.length);
    try {
      return await shapeChunk(set, inputs, options);
    } finally {
      count(-inputs.length);
      for (const wake of waiting.splice(0)) wake();
    }
  };

  return {
    check: async (fn) => {
      if (fn.type === 'path') return readPath(fn.path ?? '') === undefined ? shapeError(BAD_PATH, fn.name) : undefined;
      return (await dispatcher.run({ kind: 'check', fn, sinkNo: 0 })).error;
    },
    mostLength,
    shape: async (set, inputs, { replaces, sinkNo, room = limits.batchLength }) => {
      const fns = [set.filter, set.transform, set.routing].filter((fn) => fn !== undefined);
      if (inputs.length === 0) return [];
      if (fns.every((fn) => fn.type === 'path')) {
        return shapeChunk(set, inputs, { replaces, runner: runnerFor(sinkNo) });
      }
      return await inParts(
        {
          chunks: chunksOf(inputs, limits),
          lengthOf: (chunk) => chunk.reduce((length, input) => length + lengthOf(input), 0),
          run: (chunk, own) => shapeInProcess(set, chunk, { replaces, runner: runnerFor(sinkNo, own) }),
        },
        room,
        mostLength,
      );
    },
    reads: (set, { replaces, sinkNo }) => readsOf(set, { replaces, runner: runnerFor(sinkNo) }),
    close: () => dispatcher.close(),
  };
}

/** A filter's and a routing function's answer to one message, and what one says that throws. */
const OTHER_LINES = 131_072;

const lengthOf = (input: FunctionInput): number =>
  input.record.length + (input.changes?.length ?? 0) + input.metadata.length;

/** Cuts a batch by number and by size; a message that is too large for any chunk gets one of its own. */
function chunksOf(
  inputs: readonly FunctionInput[],
  limits: { chunkMessages: number; chunkLength: number },
): FunctionInput[][] {
  const chunks: FunctionInput[][] = [];
  let chunk: FunctionInput[] = [];
  let length = 0;
  for (const input of inputs) {
    const own = lengthOf(input);
    if (chunk.length > 0 && (chunk.length >= limits.chunkMessages || length + own > limits.chunkLength)) {
      chunks.push(chunk);
      chunk = [];
      length = 0;
    }
    chunk.push(input);
    length += own;
  }
  if (chunk.length > 0) chunks.push(chunk);
  return chunks;
}
