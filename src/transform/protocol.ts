/** What the sandbox and its child process say to each other. Only texts, numbers and flags cross. */
import type { FunctionSettings } from '../model/declared.ts';
import type { FunctionInput } from '../model/message.ts';
import type { SandboxLimits, Shaped, ShapeError } from './shaped.ts';

/** Keys of functions that were defined before. */
export interface SetKeys {
  filter?: number;
  transform?: number;
  routing?: number;
}

export type ToBox =
  | { kind: 'limits'; limits: SandboxLimits }
  | { kind: 'define'; key: number; fn: FunctionSettings }
  | { kind: 'shape'; id: number; set: SetKeys; searchSink: boolean; inputs: readonly FunctionInput[] }
  | { kind: 'check'; id: number; key: number };

export type FromBox =
  | { kind: 'ready' }
  /** The request is being worked on; `function`: by this one. */
  | { kind: 'alive'; id: number; function?: string }
  /**
   * `reads`: how many of action, record, changes, metadata this set reads; the others need not be sent. `retire`: the
   * process cannot be used any longer.
   */
  | { kind: 'shaped'; id: number; shaped: Shaped[]; reads: number; retire: boolean }
  | { kind: 'checked'; id: number; error: ShapeError | undefined; retire: boolean };
