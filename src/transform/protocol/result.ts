/** The nouns of this room: what goes into the box and what comes out, and how much of everything it may use. */
import type { FunctionSettings } from '../../model/declared.ts';

/** The functions of one sink. Each may be code or a path. */
export interface FunctionSet {
  filter?: FunctionSettings;
  transform?: FunctionSettings;
  routing?: FunctionSettings;
}

/**
 * Why a function has no usable answer for one message. `killed`: the message ended the child process twice. `untried`:
 * not run, because the messages before it did; it is not at fault. The message
 * text holds what the user's own code threw, at most 500 characters, and no other value of the row. `line` and `column`
 * start at 1 and are those of the user's text.
 */
export interface ShapeError {
  kind: 'threw' | 'timeout' | 'killed' | 'untried' | 'bad_output';
  message: string;
  line?: number;
  column?: number;
  /** Name of the function. */
  function: string;
}

/** What the functions of a sink make of one message. */
export interface Shaped {
  /** False: the filter refused it. */
  kept: boolean;
  /** The transform's JSON text; absent without a transform, and for a search sink's deletes. */
  body?: string;
  /** The routing function's `index_name`. For a search sink also of an update that was not kept. */
  indexName?: string;
  /** Where the row before the update was routed, if elsewhere. */
  oldIndexName?: string;
  error?: ShapeError;
}

export interface SandboxLimits {
  /** Wall time of a function for one message. */
  messageMs: number;
  /** Heap of an isolate. */
  isolateMb: number;
  /** Resident memory of the child process, beyond which it ends itself: some code outruns an isolate's limit. */
  boxMb: number;
  /** A chunk that takes longer is cut into several calls of the isolate. */
  sliceMs: number;
  /** Bytes of one JSON answer. */
  answerBytes: number;
  /** Characters of answers after which a call of the isolate is ended, and they are handed on. */
  linesLength: number;
  /** Characters of the answers to one batch of messages: the rest of them is not answered. */
  batchLength: number;
  /** Isolates kept; beyond them the one used longest ago is closed. */
  isolates: number;
  /** Messages and characters of a chunk. */
  chunkMessages: number;
  chunkLength: number;
  /** Chunks in the child process at a time. */
  inFlight: number;
  /** Messages accepted before callers have to wait. */
  queuedMessages: number;
  /** Without a sign of life for this long the child process is killed. */
  silenceMs: number;
  /** Time for the child process to start. */
  startMs: number;
}

export const LIMITS: SandboxLimits = {
  messageMs: 250,
  isolateMb: 64,
  boxMb: 384,
  sliceMs: 50,
  answerBytes: 4_194_304,
  linesLength: 1_048_576,
  batchLength: 33_554_432,
  isolates: 16,
  chunkMessages: 250,
  chunkLength: 524_288,
  inFlight: 12,
  queuedMessages: 20_000,
  silenceMs: 2_000,
  startMs: 10_000,
};

/** Bytes of a function's code. */
export const CODE_BYTES = 102_400;
