/** What a way to capture is given, and what it gives to whoever works beside it. */
import type { Database } from '../db/pool.ts';
import type { Position } from '../messages/append.ts';
import type { DatabaseAddress, DatabaseSettings } from '../model/declared.ts';
import type { QuotedTable } from '../model/quote.ts';
import type { MissedCode } from '../notices/add.ts';
import type { SinkEntry } from '../routing/match.ts';
import type { Gathered } from '../routing/pending.ts';
import type { RelationDeps } from '../routing/relation.ts';
import type { Reach } from '../runtime/checked-lookup.ts';
import type { Log } from '../runtime/log.ts';
import type { Stages } from '../runtime/stages.ts';
import type { ReplicationStream, StreamHandlers } from './replication/connection.ts';
import type { Hearer } from './replication/hearing.ts';
import type { Prepared } from './replication/prepare.ts';
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
  /** What was persisted, and for whom. */
  onPersisted(sinks: ReadonlyMap<number, Gathered>): void;
  /** Works beside each stream, until its signal: reads rows that join it. What it throws ends the stream. */
  beside?(streaming: Streaming, signal: AbortSignal): Promise<void>;
  /** Between the regular checks; 30,000 if absent. */
  checkMs?: number;
  /** How soon it is looked whether a gap was accepted; 2,000 if absent. */
  recheckMs?: number;
  /** Deadline of a statement to the source; creating a slot waits for open transactions as long. 15,000 if absent. */
  statementMs?: number;
  /** How long the source may take to begin a stream; 60,000 if absent. */
  startMs?: number;
  /** How long a source that has no wal_sender_timeout may be silent before it is asked; 60,000 if absent. */
  silentMs?: number;
  /** How long a stream that has ended may take to let go of everything before that is told; 30,000 if absent. */
  lateMs?: number;
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
  /** SQL that commits a page's watermark at the source, so that it comes by in the stream. */
  watermarkSql(token: string): string;
  /** Triggers note its changes, whatever is declared by now. */
  byTriggers: boolean;
}

/** How changes are captured: from the WAL, or as triggers have noted them. */
export interface Way {
  /** What it reads, as the identity of the position has it. */
  slotName: string;
  /** Before a stream: is the source what it was, and is everything there? Makes what it may. Throws a SlotInUseError or ReaderThereError, a GapError, or `bad_source`. */
  prepare(): Promise<Prepared>;
  /** The same while the stream runs. */
  check(database: CapturedDatabase): Promise<Prepared>;
  /** What the source has to tell, from where the position is; paused and resumed by whoever feeds a session with it. */
  open(handlers: WayHandlers, raw: boolean): ReplicationStream;
  /** What a session hears of the stream, once nobody else moves the position. Absent: all. */
  between?(session: Hearer, from: { generation: number; position: Position }): Promise<Hearer>;
  /** What is persisted with what came so far, for messages of this prefix. Absent: there are none. */
  progress?: { prefix: string; sqlOf(content: string): string };
  /** The stream is over by itself: the position becomes that of another way. Absent: it never is. */
  moveOver?(generation: number): Promise<void>;
  /** Does whoever sends the stream have nothing to do, so that he would answer at once? False also where it is not known. */
  isIdle(): Promise<boolean>;
  watermarkSql(token: string): string;
  /** A commit may be in the stream before others see it. */
  isEarly: boolean;
  /** A message database that was restored from its backup is told again what came since. */
  isRetold?: boolean;
}

export interface WayHandlers extends StreamHandlers {
  /** Something about this table, by its oid, that its sinks must be told. */
  onMissed(oid: number, code: MissedCode, tell: (table: QuotedTable) => string): Promise<void>;
}
