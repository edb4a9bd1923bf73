/** What a lane needs, what it is asked to do, and how it ends. */

import type { ByteBudget } from '../runtime/concurrency/byte-budget.ts';
import type { Signal } from '../runtime/concurrency/signal.ts';
import type { Log } from '../runtime/log.ts';
import type { Stages } from '../runtime/stages.ts';
import type { Sandbox } from '../transform/sandbox.ts';
import type { Ahead } from './ahead.ts';
import type { LaneDatabase } from './behind.ts';
import type { Heartbeat, Hold } from './heartbeat.ts';
import type { LaneId } from './settle.ts';
import type { SettledCounts } from './settled-counts.ts';
import type { LaneSink } from './target.ts';
import type { Turn } from './turn.ts';

/** What a lane talks to. */
export interface LaneDeps {
  db: LaneDatabase;
  /** The same database for a lane that is far behind; absent: `db`. */
  behind?: LaneDatabase;
  sandbox: Sandbox;
  /** Of all lanes of the process; absent: each has its own. */
  heartbeat?: Heartbeat;
  log: Log;
  now: () => number;
  random: () => number;
  /** Absent: nobody counts. */
  stages?: Stages<LaneStage>;
}

/** Of a batch: read from the message table, shaped by functions, sent, settled. */
export type LaneStage = 'read' | 'shape' | 'send' | 'settle';

/** How much of everything a lane may have. */
export interface LaneLimits {
  /** Milliseconds: how long to deliver at most, and how long to stay awake without messages. */
  runMs: number;
  lingerMs: number;
  /** What all lanes together may have in memory; absent: as much as they like. */
  budget?: ByteBudget;
  /** One lane at a time goes message by message after deaths of workers; absent: any may. */
  turn?: Turn;
  /** Other lanes wait for a place: one that is quiet ends at once. Absent: none does. */
  crowded?(): boolean;
}

/** Whom a lane tells. */
export interface LaneEvents {
  onSettled(sink: LaneSink, counts: SettledCounts): void;
  /** The circuit of this sink has closed: its other lanes may go on. */
  onRecovered(sinkNo: number): void;
  /** The lane could not be given back: nobody else can have it before its lease ends. */
  onUnreleased(id: LaneId): void;
}

export interface LaneRun {
  target: LaneSink;
  id: LaneId;
  /** Raised when there may be something to deliver. */
  news: Signal;
  /** Aborted: it ends when the batch under way is settled. Absent: it does not. */
  leaving?: AbortSignal;
  limits: LaneLimits;
  events: LaneEvents;
}

/** A lane that was taken. */
export interface HeldLane extends LaneRun {
  hold: Hold;
  /** Milliseconds that go on evenly, whatever becomes of the time of day. */
  clock(): number;
  ahead: Ahead;
}

/**
 * When to run again: a time, at once, or when there is news. `taken`: false when somebody else had the lane. One that was
 * lost on the way is asked for again: its lease may have ended without anybody taking it.
 */
export interface LaneEnd {
  taken: boolean;
  again: Date | 'now' | undefined;
}
