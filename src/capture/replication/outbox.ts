/**
 * What is assembled and waits to be persisted: one batch is on its way while the next one is filled, and what is confirmed
 * is only what is durable here (acker.ts).
 *
 * A batch that was matched with an older catalog is refused as a whole, and nothing of it is there. Where the newer catalog
 * matches alike it is persisted as it is; otherwise everything since the last position that is persisted is taken back and
 * handled once more, so that a sink gets every change that is persisted after the commit of its creation.
 */

import { JsonBytes } from '../../codec/json-bytes.ts';
import type { Position, Writer } from '../../messages/append.ts';
import type { Persist } from '../../messages/persist.ts';
import type { CopiedRow } from '../../messages/repair.ts';
import { isStaleCatalog, staleCatalog } from '../../model/sqlstate.ts';
import {
  emptyPending,
  finishRows,
  type Gathered,
  gather,
  isEmpty,
  type OpenTransaction,
  type Pending,
} from '../../routing/pending.ts';
import type { LoadedRelation } from '../../routing/relation.ts';
import { failpoint } from '../../runtime/failpoint.ts';
import { type Stages, startWatch } from '../../runtime/stages.ts';
import type { CaptureStage } from '../method.ts';
import { type Acker, openAcker } from './acker.ts';
import type { CatalogInUse, Newer } from './catalog-in-use.ts';
import { type CompleteDeps, complete } from './complete.ts';
import { Journal } from './journal.ts';
import { Progress } from './progress.ts';

/** Where a session is between two messages. */
export interface Place {
  transaction: OpenTransaction | undefined;
  idx: number;
  /** Of `KnownRelations`. */
  relations: number;
}

export interface OutboxDeps extends CompleteDeps {
  persist: Persist;
  /** Texts of these rows were no UTF-8. */
  onDamaged(rows: readonly CopiedRow[]): Promise<void>;
  /** Messages of these tables lack old values, which were too large. */
  onWithoutOld(relations: Iterable<LoadedRelation>): Promise<void>;
  /** What was persisted, and for whom. */
  onPersisted(sinks: ReadonlyMap<number, Gathered>): void;
  /** Those who wait for messages were not told that some are there. */
  onUntold(error: unknown): void;
  catalog: CatalogInUse;
  /** What is persisted with what came so far, for messages of this prefix. Absent: there are none. */
  progress?: { prefix: string; sqlOf(content: string): string };
  /** The stream goes on with a newer catalog. */
  onCatalog(isMatched: boolean): void;
  /** Absent: nobody counts. */
  stages?: Stages<CaptureStage>;
}

/** The session that fills it. */
export interface Filling {
  /** Before the message that is held, if one is. */
  place(): Place;
  /** Something is loaded for the last message: nothing of it waits yet. */
  isHeld(): boolean;
  /** There is room again. */
  rested(): void;
  /** More may be confirmed, and nobody goes back to a place before this one. */
  persisted(from: Place): void;
  fail(error: unknown): void;
  /** Does `work` between two messages; what it returns is handled first then. */
  between(work: () => readonly Buffer[]): Promise<void>;
  /** Goes back to this place, with routes of the catalog in use; so many messages come that came before. */
  goBack(place: Place, messages: number): void;
}

interface Written {
  damaged: readonly CopiedRow[];
  /** What was written for whom. */
  sinks: ReadonlyMap<number, Gathered>;
}

/** Kept bytes after which a batch is persisted though there may be no message in it, and those that fill it must wait. */
const LARGE_BYTES = 2 * 1024 * 1024;
const FULL_BYTES = 4 * 1024 * 1024;

export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #filling: Filling;
  readonly #fence: Omit<Writer, 'catalogGeneration'>;
  readonly #acker: Acker;
  readonly progress: Progress;
  pending: Pending;
  /** The buffer that is neither filled nor being persisted. */
  #spare = new JsonBytes();
  /** Where the pending begins, and what came since. */
  #from: { position: Position; place: Place };
  #journal = new Journal();
  #spareJournal = new Journal();
  #flushing: Promise<void> | undefined;
  #scheduled = false;
  #closed = false;
  /** Milliseconds. */
  #decoding = 0;

  constructor(
    deps: OutboxDeps,
    filling: Filling,
    { fence, position }: { fence: Omit<Writer, 'catalogGeneration'>; position: Position },
  ) {
    this.#deps = deps;
    this.#filling = filling;
    this.#fence = fence;
    this.#acker = openAcker(position.confirmedLsn);
    this.progress = new Progress(position);
    this.pending = emptyPending(position.nextId, new JsonBytes());
    this.#from = { position, place: { transaction: undefined, idx: -1, relations: 0 } };
  }

  get confirmed(): bigint {
    return this.#acker.confirmed;
  }

  /** Nothing waits, and nothing is on its way. */
  get isIdle(): boolean {
    return !this.#flushing && isEmpty(this.pending);
  }

  /** More is kept than may be. */
  get isFull(): boolean {
    return this.#journal.length > FULL_BYTES;
  }

  /** Before each message is handled. */
  keep(bytes: Buffer): void {
    this.#journal.add(bytes);
    if (this.#journal.length > LARGE_BYTES) this.schedule();
  }

  /** Is it a message of how far the source is read? Then that is persisted with what came so far. */
  notes({ prefix, content }: { prefix: string; content: Buffer }): boolean {
    const { progress } = this.#deps;
    if (prefix !== progress?.prefix) return false;
    const nobody = (): void => undefined;
    const sql = progress.sqlOf(content.toString());
    this.pending.pages.push({ count: 0, sql, persisted: nobody, again: nobody });
    this.schedule();
    return true;
  }

  /** So many milliseconds went into what waits. */
  decoded(ms: number): void {
    this.#decoding += ms;
  }

  /** Something may wait. */
  schedule(): void {
    if (this.#scheduled || this.#flushing || !this.#hasWork) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#flush(false);
    });
  }

  /** The source has sent everything up to here; recorded and confirmed when nothing is on its way. */
  see(walEnd: bigint, inFlight: boolean): void {
    if (this.#acker.wants(walEnd, inFlight)) this.progress.see(walEnd);
  }

  /** Records progress that brought no message, and confirms it. */
  async checkpoint(): Promise<void> {
    if (this.progress.end > this.#acker.confirmed) await this.#flush(true);
  }

  /** Persists the position once more, and so finds out whether the catalog has changed. */
  async renew(): Promise<void> {
    await this.#flushing;
    await this.#flush(true);
  }

  /** Until what is on its way is persisted. */
  async drain(): Promise<void> {
    await this.#flushing;
  }

  /** Nothing more is persisted. */
  close(): void {
    this.#closed = true;
  }

  get #hasWork(): boolean {
    return !isEmpty(this.pending) || this.#journal.length > LARGE_BYTES;
  }

  async #flush(alsoEmpty: boolean): Promise<void> {
    if (this.#flushing || this.#closed) return;
    if (!this.#hasWork && !alsoEmpty) return;
    this.#flushing = this.#persist()
      .catch((error: unknown) => this.#filling.fail(error))
      .finally(() => {
        this.#flushing = undefined;
        this.#filling.rested();
        this.schedule();
      });
    await this.#flushing;
  }

  async #persist(): Promise<void> {
    const batch = this.pending;
    const before = { from: this.#from, journal: this.#journal, batch };
    const position = this.progress.position(batch.nextId);
    this.pending = emptyPending(batch.nextId, this.#spare);
    if (!isEmpty(batch)) this.#deps.stages?.took('decode', this.#decoding);
    this.#decoding = 0;
    this.#journal = this.#spareJournal;
    if (this.#filling.isHeld()) before.journal.moveLast(this.#journal);
    this.#from = { position, place: this.#filling.place() };
    this.#filling.rested();
    const written = await this.#write(batch, { position, from: before.from.position });
    if ('newer' in written) {
      await this.#filling.between(() => this.#takeBack(before, written.newer));
      this.#deps.onCatalog(false);
      return;
    }
    for (const page of batch.pages) page.persisted();
    if (this.#filling.place().transaction?.commitLsn === position.commitLsn) failpoint('capture/mid-transaction');
    failpoint('capture/before-confirm');
    this.#spare = batch.out;
    before.journal.clear();
    this.#spareJournal = before.journal;
    this.#acker.persisted(position.confirmedLsn);
    this.#filling.persisted(this.#from.place);
    if (written.sinks.size > 0) this.#deps.onPersisted(written.sinks);
    if (written.damaged.length > 0) await this.#deps.onDamaged(written.damaged);
    if (batch.withoutOld.size > 0) await this.#deps.onWithoutOld(batch.withoutOld);
  }

  /** `newer`: the batch was refused, and is not what the newer catalog makes of its changes. */
  async #write(batch: Pending, places: { position: Position; from: Position }): Promise<Written | { newer: Newer }> {
    const { parked, pages, deferred, withoutOld } = batch;
    let late = new Map<number, Gathered>();
    const tell = { sinks: () => new Set([...batch.sinks.keys(), ...late.keys()]), failed: this.#deps.onUntold };
    const input = { ...places, rows: finishRows(batch), parked, also: pages.map((page) => page.sql), tell };
    const completed = () => {
      late = new Map();
      return complete(this.#deps, { deferred, withoutOld, sinks: late });
    };
    const more = deferred.length > 0 ? { more: completed } : {};
    const { catalog } = this.#deps;
    for (;;) {
      try {
        const writer = { ...this.#fence, catalogGeneration: catalog.database.catalogGeneration };
        const watch = startWatch(this.#deps.stages);
        const damaged = await this.#deps.persist(writer, { ...input, ...more, onWritten: () => watch.lap('write') });
        if (!isEmpty(batch)) watch.lap('commit');
        const sinks = new Map<number, Gathered>();
        gather(sinks, batch);
        gather(sinks, { sinks: late, parked: [] });
        return { damaged, sinks };
      } catch (error) {
        if (!isStaleCatalog(error)) throw error;
      }
      failpoint('capture/refused');
      const newer = await catalog.look();
      failpoint('capture/before-again');
      if (!newer.isMatched) return { newer };
      catalog.database = newer.database;
      this.#deps.onCatalog(true);
    }
  }

  /** Everything since the last position that is persisted; from now on the newer catalog is in use. */
  #takeBack(
    before: { from: { position: Position; place: Place }; journal: Journal; batch: Pending },
    newer: Newer,
  ): readonly Buffer[] {
    const { from, journal, batch } = before;
    if (!journal.isWhole || !this.#journal.isWhole) throw staleCatalog();
    const messages = [...journal.messages(), ...this.#journal.messages()];
    // The rows may be others now: whoever read them reads them again.
    for (const page of [...batch.pages, ...this.pending.pages]) page.again();
    this.#deps.catalog.database = newer.database;
    this.#spare = this.pending.out;
    this.pending = emptyPending(from.position.nextId, batch.out);
    this.progress.goBack(from.position);
    this.#journal = new Journal();
    this.#spareJournal = new Journal();
    this.#filling.goBack(from.place, messages.length);
    this.#from = { position: from.position, place: this.#filling.place() };
    return messages;
  }
}
