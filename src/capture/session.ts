/**
 * One replication session: messages off the wire, in order, become rows of the message table. Rows are assembled while
 * the previous batch is being persisted; when too many wait, the socket is paused, and memory stays bounded. What is
 * confirmed to the source is only what is durable here (acker.ts).
 *
 * Dies the process on any line: nothing is confirmed that was not persisted, and what was persisted is skipped when it
 * comes again, by the position that was written with it.
 */
import type { Position, Writer } from '../messages/append.ts';
import type { Persist } from '../messages/persist.ts';
import type { CopiedRow } from '../messages/repair.ts';
import { failpoint } from '../runtime/failpoint.ts';
import { type Acker, openAcker } from './acker.ts';
import { annotationsAfter } from './annotations.ts';
import { addChange, copyOf } from './assemble.ts';
import { JsonBytes } from './codec-bytes.ts';
import type { Transcode } from './codec-encoding.ts';
import { decode, type RelationMessage, type RowMessage } from './decode.ts';
import { paced } from './paced.ts';
import {
  emptyPending,
  finishRows,
  isEmpty,
  markOf,
  type OpenTransaction,
  openTransaction,
  type Pending,
  pendingBytes,
  rewind,
} from './pending.ts';
import { Reached } from './reached.ts';
import { type LoadedRelation, renewAll } from './relation.ts';
import type { ReplicationStream } from './stream.ts';
import { type ReadAgainDeps, readAgain } from './toast.ts';
import { Turns } from './turns.ts';
import { WATERMARK, type Windows } from './windows.ts';

export interface SessionDeps extends ReadAgainDeps {
  persist: Persist;
  /** Texts of these rows were no UTF-8. */
  onDamaged(rows: readonly CopiedRow[]): Promise<void>;
  /** As it is when this transaction is there. */
  loadRelation(message: RelationMessage, xid: number | undefined): Promise<LoadedRelation>;
  /** A table was truncated: its sinks must be told. */
  onTruncate(relation: LoadedRelation): Promise<void>;
  /** Messages of these sinks are there to be read. */
  onPersisted(sinks: ReadonlySet<number>): void;
  onError(error: unknown): void;
  /** Of whoever reads pages of rows that join the stream. */
  windows: Windows;
}

export interface SessionOptions {
  writer: Writer;
  position: Position;
  maxRowBytes: number;
  /** The stream brings texts as the source stores them. */
  transcode?: Transcode | undefined;
}

/** Waiting bytes above which the socket is paused, and below which it goes on. As much again may be on its way. */
const HIGH_BYTES = 2 * 1024 * 1024;
const LOW_BYTES = 512 * 1024;
/** Milliseconds between two confirmations: each costs both sides, and nobody waits for one. */
const CONFIRM_MS = 100;

export class CaptureSession {
  readonly #deps: SessionDeps;
  readonly #options: SessionOptions;
  readonly #acker: Acker;
  readonly #relations = new Map<number, LoadedRelation>();
  #stream: ReplicationStream | undefined;
  #pending: Pending;
  /** The buffer that is neither filled nor being persisted. */
  #spare = new JsonBytes();
  #transaction: OpenTransaction | undefined;
  #idx = -1;
  readonly #reached: Reached;
  readonly #turns = new Turns({
    handle: (bytes) => this.#handle(bytes),
    rested: () => this.#control(),
    fail: (error) => this.#fail(error),
  });
  /** The socket is. */
  paused = false;
  #flushing: Promise<void> | undefined;
  #scheduled = false;
  #ping = false;
  readonly #confirmation = paced(() => {
    if (this.#acker.confirmed > 0n) this.#stream?.confirm(this.#acker.confirmed, this.#ping);
    this.#ping = false;
  }, CONFIRM_MS);
  #failed = false;
  lastReceived = 0;
  constructor(deps: SessionDeps, options: SessionOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#acker = openAcker(options.position.confirmedLsn);
    this.#pending = emptyPending(options.position.nextId, new JsonBytes());
    this.#reached = new Reached(options.position);
  }

  /** Where confirmations go. Before it is attached nothing is confirmed. */
  attach(stream: ReplicationStream): void {
    this.#stream = stream;
    if (this.paused) stream.pause();
  }

  onMessage(bytes: Buffer): void {
    this.lastReceived = performance.now();
    this.#turns.take(bytes);
    this.#control();
  }

  onKeepAlive(walEnd: bigint, replyRequested: boolean): void {
    this.lastReceived = performance.now();
    if (this.#acker.wants(walEnd, this.#inFlight())) this.#reached.see(walEnd);
    if (replyRequested) this.confirm();
  }

  /** Sends what is confirmed; `ping` asks the source for a sign of life. */
  confirm(ping = false): void {
    this.#ping = ping;
    this.#confirmation.now();
  }

  /** Looks whether types of the user's own have changed in a way that shows in no row: a renamed attribute. */
  renewTypes(): Promise<void> {
    return renewAll(this.#relations, this.#deps.renewTypes);
  }

  /** Records progress that brought no message (filtered changes, an idle source), and confirms it. */
  async checkpoint(): Promise<void> {
    if (!this.#failed && this.#reached.end > this.#acker.confirmed) await this.#flush(true);
  }

  /** Persists what is complete; for the end of the stream. */
  async drain(): Promise<void> {
    await this.#flushing;
    this.#confirmation.stop();
  }

  #inFlight(): boolean {
    return Boolean(this.#transaction || this.#turns.held || this.#flushing) || !isEmpty(this.#pending);
  }

  #handle(bytes: Buffer): void {
    const message = decode(bytes, this.#options.transcode);
    switch (message.tag) {
      case 'begin':
        this.#transaction = openTransaction(message);
        this.#deps.windows.passed(message.xid);
        this.#idx = -1;
        return;
      case 'commit':
        this.#transaction = undefined;
        this.#reached.advance(message.commitLsn, this.#idx);
        this.#reached.see(message.endLsn);
        return;
      case 'insert':
      case 'update':
      case 'delete':
        this.#change(message);
        return;
      case 'relation':
        this.#turns.hold(async () => {
          this.#relations.set(message.oid, await this.#deps.loadRelation(message, this.#transaction?.xid));
        });
        return;
      case 'truncate':
        this.#truncate(message.oids);
        return;
      case 'message':
        if (!this.#transaction || !message.transactional) return;
        if (message.prefix === WATERMARK) this.#page(this.#transaction, message.content.toString());
        else this.#transaction.annotations = annotationsAfter(this.#transaction.annotations, message);
        return;
    }
  }

  /** A page of rows takes its place, as if the watermark's transaction had made them. */
  #page(transaction: OpenTransaction, token: string): void {
    const place = { transaction, commitIdx: this.#idx + 1, maxRowBytes: this.#options.maxRowBytes };
    const placed = this.#deps.windows.reached(token, this.#pending, place);
    if (placed === undefined) return;
    this.#pending.pages.push(placed);
    this.#idx += placed.count;
    this.#added(transaction);
  }

  #change(carried: RowMessage): void {
    const transaction = this.#transaction;
    const relation = this.#relations.get(carried.oid);
    if (!transaction || !relation) throw new Error('a change came without its transaction or its table');
    const message = relation.codec.asCarried(carried);
    this.#idx += 1;
    const { codec, oid } = relation;
    const isRepeated = this.#reached.wasPersisted(transaction.commitLsn, this.#idx);
    if (this.#deps.windows.watches(oid)) {
      if (isRepeated) this.#deps.windows.repeated(oid, transaction.xid);
      else this.#deps.windows.changed(oid, message.tag, [codec.key(message), codec.oldKey(message) ?? []]);
    }
    if (isRepeated) return;
    // Only types of the user's own can change: then a row does not fit any more, is taken back, and encoded anew.
    const mark = relation.types.size > 0 ? markOf(this.#pending) : undefined;
    const { misfits } = codec;
    this.#add(message, relation, transaction);
    if (mark === undefined || codec.misfits === misfits) {
      this.#added(transaction);
      return;
    }
    rewind(this.#pending, mark);
    const kept = copyOf(message);
    this.#turns.hold(async () => {
      await this.#deps.untilSeen([transaction.xid]);
      const fresh = await this.#deps.renewTypes(relation);
      this.#relations.set(message.oid, fresh);
      this.#add(kept, fresh, transaction);
      this.#added(transaction);
    });
  }

  #add(message: RowMessage, relation: LoadedRelation, transaction: OpenTransaction): void {
    const { maxRowBytes } = this.#options;
    addChange(this.#pending, { message, relation, transaction, commitIdx: this.#idx, maxRowBytes });
  }

  #added(transaction: OpenTransaction): void {
    this.#reached.advance(transaction.commitLsn, this.#idx);
    if (!isEmpty(this.#pending)) this.#schedule();
  }

  #truncate(oids: readonly number[]): void {
    for (const oid of oids) this.#deps.windows.truncated(oid);
    if (!this.#transaction || this.#reached.wasPersisted(this.#transaction.commitLsn, this.#idx)) return;
    const relations = oids.flatMap((oid) => this.#relations.get(oid) ?? []);
    this.#turns.hold(async () => {
      for (const relation of relations) await this.#deps.onTruncate(relation);
    });
  }

  /** Pauses or resumes the socket by what waits in memory. */
  #control(): void {
    const waiting = pendingBytes(this.#pending) + this.#turns.waiting;
    if (!this.paused && waiting > HIGH_BYTES) {
      this.paused = true;
      this.#stream?.pause();
    } else if (this.paused && waiting < LOW_BYTES) {
      this.paused = false;
      this.#stream?.resume();
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#flushing) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      void this.#flush(false);
    });
  }

  async #flush(alsoEmpty: boolean): Promise<void> {
    if (this.#flushing || this.#failed) return;
    if (isEmpty(this.#pending) && !alsoEmpty) return;
    this.#flushing = this.#persist()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#flushing = undefined;
        this.#control();
        if (!isEmpty(this.#pending)) this.#schedule();
      });
    await this.#flushing;
  }

  async #persist(): Promise<void> {
    const batch = this.#pending;
    this.#pending = emptyPending(batch.nextId, this.#spare);
    this.#control();
    const position = this.#reached.position(batch.nextId);
    const { parked, pages } = batch;
    const input = { rows: finishRows(batch), parked, position, also: pages.map((page) => page.sql) };
    const more = batch.deferred.length > 0 ? { more: () => readAgain(this.#deps, batch) } : {};
    const damaged = await this.#deps.persist(this.#options.writer, { ...input, ...more });
    for (const page of pages) page.persisted();
    if (this.#transaction?.commitLsn === position.commitLsn) failpoint('capture/mid-transaction');
    failpoint('capture/before-confirm');
    this.#spare = batch.out;
    this.#acker.persisted(position.confirmedLsn);
    this.#confirmation.soon();
    if (batch.sinks.size > 0) this.#deps.onPersisted(batch.sinks);
    if (damaged.length > 0) await this.#deps.onDamaged(damaged);
  }

  #fail(error: unknown): void {
    this.#failed = true;
    this.#deps.windows.end(error);
    this.#deps.onError(error);
  }
}
