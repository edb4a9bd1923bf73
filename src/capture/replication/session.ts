/**
 * One replication session: messages off the wire, in order, become rows of the message table. Rows are assembled while
 * the previous batch is being persisted (outbox.ts); when too many wait, the socket is paused, and memory stays bounded.
 * What is confirmed to the source is only what is durable here.
 *
 * Dies the process on any line: nothing is confirmed that was not persisted, and what was persisted is skipped when it
 * comes again, by the position that was written with it. When the catalog changes, what is not persisted yet is handled
 * once more, from the place where the last batch ended.
 */

import type { Transcode } from '../../codec/encoding.ts';
import type { RowMessage } from '../../codec/row-message.ts';
import type { Position, Writer } from '../../messages/append.ts';
import { markOf, type OpenTransaction, openTransaction, pendingBytes, rewind } from '../../routing/pending.ts';
import type { LoadedRelation } from '../../routing/relation.ts';
import { widenRow } from '../../routing/widen.ts';
import { addChange, copyOf } from '../../routing/write-change.ts';
import { createThrottle } from '../../runtime/concurrency/throttle.ts';
import { annotationsAfter } from '../annotations.ts';
import { WATERMARK, type Windows } from '../windows.ts';
import { Behind } from './behind.ts';
import { CommitCount } from './commit-count.ts';
import type { ReplicationStream } from './connection.ts';
import { decode } from './decode.ts';
import { FreshTypes } from './fresh-types.ts';
import { KnownRelations } from './known-relations.ts';
import { MessageQueue } from './message-queue.ts';
import { Outbox, type OutboxDeps, type Place } from './outbox.ts';
import { PassedOn, type PassedOnDeps } from './passed-on.ts';
import { RelationsAhead, type RelationsAheadDeps } from './relations-ahead.ts';

export interface SessionDeps extends OutboxDeps, PassedOnDeps, Pick<RelationsAheadDeps, 'loadRelations'> {
  /** A table was truncated: its sinks must be told. */
  onTruncate(relation: LoadedRelation): Promise<void>;
  /** With the routes that the catalog in use gives it. */
  routedAgain(relation: LoadedRelation): LoadedRelation;
  onError(error: unknown): void;
  /** Of whoever reads pages of rows that join the stream. */
  windows: Windows;
}

export interface SessionOptions {
  fence: Omit<Writer, 'catalogGeneration'>;
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
  readonly #outbox: Outbox;
  readonly #relations = new KnownRelations();
  readonly #ahead: RelationsAhead;
  readonly #passedOn: PassedOn;
  readonly #types: FreshTypes;
  #stream: ReplicationStream | undefined;
  #transaction: OpenTransaction | undefined;
  #idx = -1;
  readonly commits = new CommitCount();
  readonly behind = new Behind(() => ({ isIdle: this.#isIdle, confirmed: this.#outbox.confirmed, nowMs: Date.now() }));
  /** A change waits for the types of its table, and is not added yet. */
  #isChangeHeld = false;
  /** So many of the messages that wait were handled before, when the catalog was another one. */
  #again = 0;
  readonly #queue = new MessageQueue({
    handle: (bytes) => this.#measured(bytes),
    rested: () => this.#control(),
    fail: (error) => this.#fail(error),
  });
  /** The socket is. */
  paused = false;
  #ping = false;
  readonly #confirmation = createThrottle(() => {
    const { confirmed } = this.#outbox;
    if (confirmed > 0n) this.#stream?.confirm(confirmed, this.#ping);
    this.#ping = false;
  }, CONFIRM_MS);

  constructor(deps: SessionDeps, options: SessionOptions) {
    this.#deps = deps;
    this.#options = options;
    const filling = {
      place: (): Place => ({
        transaction: this.#transaction,
        idx: this.#isChangeHeld ? this.#idx - 1 : this.#idx,
        relations: this.#relations.place,
      }),
      isHeld: () => this.#queue.held,
      rested: () => this.#control(),
      persisted: ({ relations }: Place) => {
        this.#relations.passed(relations);
        this.#confirmation.soon();
      },
      fail: (error: unknown) => this.#fail(error),
      between: (work: () => readonly Buffer[]) => this.#queue.between(work),
      goBack: (place: Place, messages: number) => this.#goBack(place, messages),
    };
    this.#outbox = new Outbox(deps, filling, options);
    const parts = { queue: this.#queue, relations: this.#relations, outbox: this.#outbox };
    this.#ahead = new RelationsAhead(deps, { ...parts, transcode: options.transcode });
    this.#types = new FreshTypes(deps, parts);
    this.#passedOn = new PassedOn(deps, { ...parts, maxRowBytes: options.maxRowBytes });
  }

  /** Where confirmations go. Before it is attached nothing is confirmed. */
  attach(stream: ReplicationStream): void {
    this.#stream = stream;
    if (this.paused) stream.pause();
  }

  onMessage(bytes: Buffer): void {
    this.#queue.take(bytes);
    this.#control();
  }

  onKeepAlive(walEnd: bigint, replyRequested: boolean): void {
    this.#outbox.see(walEnd, !this.#isIdle);
    if (replyRequested) this.confirm();
  }

  /** All that came is persisted. */
  get #isIdle(): boolean {
    return !this.#transaction && !this.#queue.held && this.#outbox.isIdle;
  }

  /** Sends what is confirmed; `ping` asks the source for a sign of life. */
  confirm(ping = false): void {
    this.#ping = ping;
    this.#confirmation.now();
  }

  /** Tables that have sent something, or are about to. */
  get relations(): Iterable<LoadedRelation> {
    return [...this.#relations.all, ...this.#ahead.relations];
  }

  /** Records progress that brought no message (filtered changes, an idle source), and confirms it. */
  async checkpoint(): Promise<void> {
    await this.#outbox.checkpoint();
  }

  /** Has the catalog of now in use, though the source may be quiet. */
  async renew(): Promise<void> {
    await this.#outbox.renew();
  }

  /** Persists what is complete; for the end of the stream. */
  async drain(): Promise<void> {
    await this.#outbox.drain();
    this.#confirmation.stop();
  }

  #measured(bytes: Buffer): void {
    const begun = this.#deps.stages && performance.now();
    this.#handle(bytes);
    if (begun !== undefined) this.#outbox.decoded(performance.now() - begun);
  }

  #handle(bytes: Buffer): void {
    this.#outbox.keep(bytes);
    this.#types.handles();
    // What the windows of pages need to know was told when it came first.
    const isFirst = this.#again === 0;
    if (!isFirst) this.#again -= 1;
    const message = decode(bytes, this.#options.transcode);
    switch (message.tag) {
      case 'begin':
        this.#transaction = openTransaction(message);
        this.behind.came(this.#transaction.committedAt);
        if (isFirst) this.#deps.windows.passed(message.xid);
        this.#idx = -1;
        this.commits.begin();
        return;
      case 'commit':
        this.#passedOn.atCommit(this.#transaction, () => this.#commit(message, isFirst));
        return;
      case 'insert':
      case 'update':
      case 'delete':
        this.#change(message, isFirst);
        return;
      case 'relation':
        this.#ahead.hear(message, bytes, this.#transaction?.xid);
        return;
      case 'truncate':
        this.#truncate(message.oids, isFirst);
        return;
      case 'message':
        if (!this.#transaction || !message.transactional) return;
        if (message.prefix === WATERMARK) this.#page(this.#transaction, message.content.toString());
        else if (!this.#outbox.notes(message)) {
          const annotations = annotationsAfter(this.#transaction.annotations, message);
          this.#transaction = { ...this.#transaction, annotations };
        }
        return;
    }
  }

  /** A page of rows takes its place, as if the watermark's transaction had made them. */
  #page(transaction: OpenTransaction, token: string): void {
    const place = { transaction, commitIdx: this.#idx + 1, maxRowBytes: this.#options.maxRowBytes };
    const placed = this.#deps.windows.reached(token, this.#outbox.pending, place);
    if (placed === undefined) return;
    this.#outbox.pending.pages.push(placed);
    this.#idx += placed.count;
    this.#added(transaction);
  }

  #commit({ commitLsn, endLsn }: { commitLsn: bigint; endLsn: bigint }, isFirst: boolean): void {
    this.#idx = this.#passedOn.committed(this.#transaction, this.#idx);
    this.#transaction = undefined;
    if (isFirst) this.commits.commit();
    this.#outbox.progress.advance(commitLsn, this.#idx);
    this.#outbox.progress.see(endLsn);
  }

  #change(carried: RowMessage, isFirst: boolean): void {
    const transaction = this.#transaction;
    const relation = this.#relations.get(carried.oid);
    if (!transaction || !relation) throw new Error('a change came without its transaction or its table');
    const message = relation.codec.asCarried(widenRow(carried, relation.computed));
    this.#idx += 1;
    const { codec, oid } = relation;
    const isRepeated = this.#outbox.progress.wasPersisted(transaction.commitLsn, this.#idx);
    if (isFirst && this.#deps.windows.watches(oid)) {
      if (isRepeated) this.#deps.windows.repeated(oid, transaction.xid);
      else this.#deps.windows.changed(oid, message.tag, [codec.key(message), codec.oldKey(message) ?? []]);
    }
    this.#passedOn.note(transaction, relation, message);
    if (isRepeated) return;
    this.commits.change();
    if (!this.#types.areKnown(relation)) return void this.#addRenewed(copyOf(message), relation, transaction);
    // Only types of the user's own can change: then a row does not fit any more, is taken back, and encoded anew.
    const mark = relation.types.size > 0 ? markOf(this.#outbox.pending) : undefined;
    const { misfits } = codec;
    this.#add(message, relation, transaction);
    if (mark === undefined || codec.misfits === misfits) return void this.#added(transaction);
    rewind(this.#outbox.pending, mark);
    this.#addRenewed(copyOf(message), relation, transaction);
  }

  /** With types as they are now. */
  #addRenewed(message: RowMessage, relation: LoadedRelation, transaction: OpenTransaction): void {
    this.#isChangeHeld = true;
    this.#types.renew(relation, transaction.xid, (fresh) => {
      this.#isChangeHeld = false;
      this.#add(message, fresh, transaction);
      this.#added(transaction);
    });
  }

  #add(message: RowMessage, relation: LoadedRelation, transaction: OpenTransaction): void {
    const { maxRowBytes } = this.#options;
    addChange(this.#outbox.pending, { message, relation, transaction, commitIdx: this.#idx, maxRowBytes });
  }

  #added(transaction: OpenTransaction): void {
    this.#outbox.progress.advance(transaction.commitLsn, this.#idx);
    this.#outbox.schedule();
  }

  #goBack({ transaction, idx, relations }: Place, messages: number): void {
    this.#transaction = transaction;
    this.#idx = idx;
    this.#relations.goBack(relations, (relation) => this.#deps.routedAgain(relation));
    this.#ahead.clear();
    this.#types.goBack();
    this.#again += messages;
  }

  #truncate(oids: readonly number[], isFirst: boolean): void {
    if (isFirst) for (const oid of oids) this.#deps.windows.truncated(oid);
    if (!this.#transaction || this.#outbox.progress.wasPersisted(this.#transaction.commitLsn, this.#idx)) return;
    const relations = oids.flatMap((oid) => this.#relations.get(oid) ?? []);
    this.#queue.hold(async () => {
      for (const relation of relations) await this.#deps.onTruncate(relation);
    });
  }

  /** Pauses or resumes the socket by what waits in memory. */
  #control(): void {
    const waiting = pendingBytes(this.#outbox.pending) + this.#queue.waiting;
    if (!this.paused && (waiting > HIGH_BYTES || this.#outbox.isFull)) {
      this.paused = true;
      this.#stream?.pause();
    } else if (this.paused && waiting < LOW_BYTES && !this.#outbox.isFull) {
      this.paused = false;
      this.#stream?.resume();
    }
  }

  #fail(error: unknown): void {
    this.#outbox.close();
    this.#deps.windows.end(error);
    this.#deps.onError(error);
  }
}
