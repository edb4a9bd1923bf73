/** What a lane needs, what it is asked to do, and how it ends. */

import type { ByteBudget } from '../runtime/concurrency/byte-budget.ts';
import type { Signal } from '../runtime/concurrency/signal.ts';
import type { Log } from '../runtime/log.ts';
import type { Sandbox } from '../transform/sandbox.ts';
import type { LaneDatabase } from './behind.ts';
import type { Keeper, Kept } from './heartbeat.ts';
import type { LaneId } from './settle.ts';
import type { LaneSink } from './target.ts';
import type { Turn } from './turn.ts';

export interface LaneDeps {
  db: LaneDatabase;
  sandbox: Sandbox;
  log: Log;
  now: () => number;
  random: () => number;
  /** The circuit of this sink has closed: its other lanes may go on. */
  onRecovered(sinkNo: number): void;
  onSettled(sink: LaneSink, counts: { done: number; failed: number }): void;
  /** The same database for a lane that is far behind; absent: `db`. */
  behind?: LaneDatabase;
  /** What all lanes together may have in memory; absent: as much as they like. */
  budget?: ByteBudget;
  /** Other lanes wait for a place: one that is quiet ends at once. Absent: none does. */
  crowded?(): boolean;
  /** Keeps all lanes of the process; absent: each has its own. */
  keeper?: Keeper;
  /** One lane at a time goes message by message after deaths of workers; absent: any may. */
  turn?: Turn;
  /** The lane could not be given back: nobody else can have it before its lease ends. */
  onUnreleased?(id: LaneId): void;
}

export interface LaneRun {
  target: LaneSink;
  id: LaneId;
  wake: Signal;
  /** Aborted: it ends when the batch under way is settled. Absent: it does not. */
  leaving?: AbortSignal;
  /** Milliseconds: how long to deliver at most, and how long to stay awake without messages. */
  runMs: number;
  lingerMs: number;
}

/** A lane that was taken. */
export interface HeldLane extends LaneRun {
  kept: Kept;
}

/**
 * When to run again: a time, at once, or when there is news. `taken`: false when somebody else had the lane. One that was
 * lost on the way is asked for again: its lease may have ended without anybody taking it.
 */
export interface LaneEnd {
  taken: boolean;
  again: Date | 'now' | undefined;
}
