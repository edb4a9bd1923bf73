/** How much of everything functions and their process may use. */
export interface SandboxLimits {
  /** Wall time of a function for one message. */
  messageMs: number;
  /** Heap of an isolate. */
  isolateMb: number;
  /** Resident memory of the sandbox process, beyond which it ends itself: some code outruns an isolate's limit. */
  processMb: number;
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
  /** Chunks in the sandbox process at a time. */
  inFlight: number;
  /** Messages accepted before callers have to wait. */
  queuedMessages: number;
  /** Without a sign of life for this long the sandbox process is killed. */
  silenceMs: number;
  /** Time for the sandbox process to start. */
  startMs: number;
}

export const LIMITS: SandboxLimits = {
  messageMs: 250,
  isolateMb: 64,
  processMb: 384,
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

/** Bytes of whatever the process says at once: of `linesLength` characters and one answer more it is far from it. */
export const FRAME_BYTES = 67_108_864;

/** Bytes of a function's code. */
export const CODE_BYTES = 102_400;
