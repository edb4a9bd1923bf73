/**
 * What the sandbox and its process say to each other, as JSON; beside `run`, `part` and `answers` goes a text (frame.ts). Only
 * texts, numbers and flags cross.
 */
import type { FunctionSettings } from '../../model/declared.ts';
import type { SandboxLimits } from './limits.ts';
import type { ShapeError } from './shape-error.ts';

export type ToProcess =
  | { kind: 'limits'; limits: SandboxLimits }
  | { kind: 'define'; key: number; fn: FunctionSettings }
  /** Beside it the text of a chunk, whose `lengths` these are. `room`: characters that its answers may take. */
  | { kind: 'run'; id: number; key: number; lengths: readonly number[]; room: number }
  | { kind: 'check'; id: number; key: number };

export type FromProcess =
  /** `sameAccount`: it is the one that we have, and can send signals to our processes. */
  | { kind: 'ready'; sameAccount: boolean }
  /** The request is being worked on. */
  | { kind: 'alive'; id: number }
  /** Beside it the first lines of its answers, which are too long to be kept until the last one. */
  | { kind: 'part'; id: number }
  /**
   * Beside it a line for each item that has none yet (see answer.ts); `full`: up to the one for which there was no room.
   * `reads`: how many of action, record, changes, metadata the function reads; the others need not be sent. `retire`: the
   * process cannot be used any longer.
   */
  | { kind: 'answers'; id: number; full: boolean; reads: number; retire: boolean }
  | { kind: 'checked'; id: number; error: ShapeError | undefined; retire: boolean };
