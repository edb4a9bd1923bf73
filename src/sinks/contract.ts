/**
 * What a kind of sink gives, and what it is given. A kind is a folder: `kind.ts` says what must be known of it everywhere and
 * loads the rest when it is asked for, so that a role loads only what it runs: no schemas where nothing is declared, no
 * client of a destination that nobody has. Nothing outside its folder and the list in kinds.ts knows its name.
 */
import type { z } from 'zod';
import type { Answered, Finding } from '../checks/finding.ts';
import type { Jobs, Task } from '../db/jobs.ts';
import type { Database, PoolOptions } from '../db/pool.ts';
import type { Destination, SinkSettings } from '../model/declared.ts';
import type { Finding as DeclarationFinding } from '../model/finding.ts';
import type { IndexReader } from '../model/index-reader.ts';
import type { Refusal } from '../model/section.ts';
import type { Circuit, Sink, SinkTraits } from '../model/sink.ts';
import type { Reach } from '../runtime/checked-lookup.ts';
import type { Log } from '../runtime/log.ts';
import type { Service } from '../runtime/service.ts';

export interface SinkKind<Own extends Destination = Destination> {
  /** As the catalog and the views name it. For good: it is stored. */
  type: string;
  /** Its names in `destination.type`, never those of another kind. The first stands for all of them where it matters. */
  names: readonly [string, ...string[]];
  /** For people: `a search index`. */
  title: string;
  traits: SinkTraits;
  /** Delivery lanes; of a receivable one those that its functions need. */
  lanes: number;
  /** The list of the file that its entries stand in, and what one is called; absent: a sink of `sinks`. */
  list?: { key: string; entry: string };
  /** Its keys of the file. */
  section(): Promise<SinkSection>;
  /**
   * Connects to nothing that the sink can connect to later. @throws MillraceError when the settings or the credential cannot
   * be used; DestinationDown when it cannot be opened for now. Both are shown on the sink, and opening is tried again.
   */
  open(entry: SinkEntry<Own>, given: SinkGiven): Promise<Sink>;
  /**
   * How its destination is, without changing anything there: catalogs and a search, no more. Absent: it can only be delivered
   * to. @throws what `open` throws.
   */
  look?(entry: SinkEntry<Own>, given: SinkGiven, signal: AbortSignal): Promise<(Finding | Answered)[]>;
  /**
   * Test Connection, where that is more than a look: something is sent that says it is a test. Absent: it is the look.
   * @throws what `open` throws.
   */
  tryOut?(entry: SinkEntry<Own>, given: SinkGiven, signal: AbortSignal): Promise<(Finding | Answered)[]>;
  /** It is made only where Test Connection finds nothing wrong, unless that is not asked for. */
  gated?: true;
  /** Of a readable kind. */
  openReader?(entry: SinkEntry<Own>): Promise<IndexReader>;
  /** Of a readable kind. */
  index?: SinkIndex<Own>;
  /** What it does on a clock, whatever is delivered. */
  jobs?(given: JobsGiven<Own>): Promise<SinkJobs>;
  /** Of a kind that writes into a declared database: where. */
  writesInto?(destination: Own): DestinationTable;
  /** What goes on as before though it is declared otherwise now, and how to end that, for people; undefined: nothing does. */
  leavesBehind?(before: Own, after: Own): string | undefined;
  /** Whom its credential is told to: sealed with it, so that it opens for nobody else. Absent: there is none. */
  server?(destination: Own): string;
}

/** A table of the user's, in a declared database. */
export interface DestinationTable {
  /** The database's name. */
  database: string;
  schema: string;
  name: string;
}

/** An index of a search engine. One spelling of `endpoint` for one cluster, as far as a name tells. */
export interface IndexPlace {
  endpoint: string;
  name: string;
}

/** Where the documents are that no routing function places. */
export interface SinkIndex<Own extends Destination = Destination> {
  place(destination: Own): IndexPlace;
  /** The same destination with another index. */
  at(destination: Own, name: string): Own;
  /** A shell command that makes an alias lead to another index. */
  aliasCommand(destination: Own, move: AliasMove): string;
}

export interface AliasMove {
  alias: string;
  before: string;
  after: string;
  /** The variable that holds it. */
  credential: string;
  /** The index of before has the alias' name, and goes. */
  deletes?: boolean;
}

/** A sink as it is opened. */
export interface SinkEntry<Own extends Destination = Destination> {
  id: string;
  no: number;
  name: string;
  settings: SinkSettings & { destination: Own };
  /** Of the database that it reads from. */
  sourceId: string;
  /** Its credential. @throws MillraceError bad_configuration when it was not sealed for this sink. */
  secret(): string | null;
  /** Where its connections may go. */
  reach: Reach;
}

/** What a sink is opened with. */
export interface SinkGiven {
  log: Log;
  /** The message database. */
  messages: Database;
  openDatabase: OpenDatabase;
}

/**
 * A pool of one connection on a declared database; whoever opened it closes it. @throws MillraceError bad_destination: it is
 * not declared; what Postgres or the network says when it must be asked about TLS first.
 */
export type OpenDatabase = (wanted: WantedDatabase) => Promise<OpenedDatabase>;

export interface WantedDatabase {
  /** As it is declared. */
  name: string;
  /** What for, as its sessions are called: `retention`. */
  use: string;
  /** Another one of its server. */
  database?: string;
  pool?: Pick<PoolOptions, 'least' | 'fullMs'>;
}

export interface OpenedDatabase {
  db: Database;
  /** @throws MillraceError when sessions there are not ours alone, as behind a pooler; what Postgres says. */
  refuseSharedSessions(): Promise<void>;
}

/** What the jobs of a kind are given. */
export interface JobsGiven<Own extends Destination = Destination> {
  log: Log;
  messages: Database;
  jobs: () => Jobs;
  /** Its sinks that are not disabled, as they are now. */
  load(): Promise<{ sinks: SinkEntry<Own>[]; openDatabase: OpenDatabase }>;
}

/** Runs beside the lanes: it adds its jobs, and `task` does one. */
export interface SinkJobs extends Service {
  readonly taskName: string;
  readonly task: Task;
}

/** The keys of a kind in the file, and how they are read. One description for the file and for requests. */
export interface SinkSection<Input = unknown> {
  /** As faults and descriptions of the file name it: `search index`. */
  title: string;
  /** Beside `type`. A `batch_size` among them may also stand beside `destination`. */
  keys: z.core.$ZodLooseShape;
  /** Keys that are known and refused. */
  refused?: Record<string, Refusal>;
  /** What the keys say, with faults added to `context`. `input` has `type` too, as it was written. */
  read(input: Input, context: z.core.$RefinementCtx): DestinationDeclared;
  /** The inverse of `read`: a destination as its keys are written. Absent: it is stored as it is written. */
  write?(destination: Destination): object;
  /**
   * Where it has a credential: its keys, whose texts are all secret, and the credential that they are. `masked`: the keys of one
   * that is stored, with a mask for each text, as far as that is known without opening it.
   */
  secrets?: { open(secret: string): object; close(keys: object): string; masked(destination: Destination): object };
  /** The least that is such a destination: keys without a default. */
  least?(destination: Destination): object;
}

export interface DestinationDeclared {
  settings: Destination;
  /** It leaves the settings here, because it is sealed at rest. */
  secret: string | null;
  /** Warnings, with paths from the destination on. */
  notes?: DeclarationFinding[];
}

/** A sink's destination cannot be opened for now, and this is why. */
export class DestinationDown extends Error {
  readonly circuit: Circuit;
  constructor(circuit: Circuit, cause: unknown) {
    super(circuit.error, { cause });
    this.name = 'DestinationDown';
    this.circuit = circuit;
  }
}
