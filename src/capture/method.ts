/** What a way to capture is given, and what it gives to whoever works beside it. */
import type { Database } from '../db/pool.ts';
import type { DatabaseAddress, DatabaseSettings } from '../model/declared.ts';
import type { SinkEntry } from '../routing/match.ts';
import type { Gathered } from '../routing/pending.ts';
import type { RelationDeps } from '../routing/relation.ts';
import type { Reach } from '../runtime/checked-lookup.ts';
import type { Log } from '../runtime/log.ts';
import type { Stages } from '../runtime/stages.ts';
import type { Windows } from './windows.ts';

export interface CapturedDatabase {
  no: number;
  settings: DatabaseSettings;
  address: DatabaseAddress;
  reach?: Reach;
  sinks: readonly SinkEntry[];
  changeTables: ReadonlySet<string>;
  catalogGeneration: number;
}

export interface CaptureDeps {
  messages: Database;
  /** Its lines name the database. */
  log: Log;
  /** The database as the catalog has it now; undefined when no sink reads from it any more. */
  current(): Promise<CapturedDatabase | undefined>;
  /** Messages of these sinks are there to be read. */
  onPersisted(sinks: ReadonlyMap<number, Gathered>): void;
  /** Works beside each stream, until its signal: reads rows that join it. What it throws ends the stream. */
  beside?(streaming: Streaming, signal: AbortSignal): Promise<void>;
  /** Between the regular checks; 30,000 if absent. */
  checkMs?: number;
  /** How soon it is looked whether a gap was accepted; 2,000 if absent. */
  recheckMs?: number;
  /** Deadline of a statement to the source; creating a slot waits for open transactions as long. 15,000 if absent. */
  statementMs?: number;
  /** How long a source that has no wal_sender_timeout may be silent before it is asked; 60,000 if absent. */
  silentMs?: number;
  /** Absent: nobody counts. */
  stages?: Stages<CaptureStage>;
}

/** Of a batch: changes made into rows, the rows written, their commit answered. */
export type CaptureStage = 'decode' | 'write' | 'commit';

/** A stream that is under way, for whoever works beside it. */
export interface Streaming {
  /** The database as the stream has it: another one after each change of the catalog. */
  readonly database: CapturedDatabase;
  /** How rows become messages of this sink now, to be compared. Undefined: there is no such sink. */
  matchingOf(sinkNo: number): string | undefined;
  /** Has the catalog of now in use, though the source may be quiet. */
  renew(): Promise<void>;
  windows: Windows;
  /** To find out how rows of a table become messages. */
  relations: RelationDeps;
}
