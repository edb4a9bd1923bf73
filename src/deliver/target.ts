/** What a lane delivers to. */
import type { Sink } from '../model/sink.ts';
import type { FunctionSet } from '../transform/shape.ts';

/** A sink ready to be delivered to. */
export interface LaneSink {
  no: number;
  name: string;
  sink: Sink;
  functions: FunctionSet;
  /** Each message carries its row's whole document, under its id as version: a later one replaces an earlier one. */
  replaces: boolean;
  deleteOnLeave: boolean;
  /** It makes messages that others receive. */
  shapes: boolean;
  maxRetryCount: number | null;
  /** While a batch of a lane is on its way, what follows it is read. */
  readsAhead: boolean;
  /** It was found ready since it was opened. */
  tested: boolean;
  /** Messages that brought its functions' process down since one went well. */
  crashes: Set<number>;
  /** When a message was last kept for whoever looks at them (sample.ts); by the clock of `LaneDeps`. */
  sampledAt: number;
  /** Times that it failed as a whole since a batch went well. */
  failures: number;
}

/** Sinks by number, opened when first asked for, reopened when their settings changed. */
export interface Targets {
  /** Undefined: not there, or not active. */
  get(sinkNo: number): Promise<LaneSink | undefined>;
  /** Would `get` answer the same, as the catalog is now? */
  isCurrent(target: LaneSink): Promise<boolean>;
  /** The catalog may have changed: look again. */
  refresh(): void;
  /** Whoever opened them closes them, when the last lane has ended. */
  close(): Promise<void>;
}
