/**
 * A slot's stream up to a cut: what the cut's snapshot sees is told, everything else is left to what triggers have noted. All that it
 * sees was committed before one place in the WAL, so there the stream is over.
 *
 * A commit is in the stream a moment before others see it. So that nothing is told twice, a cut is only made where its snapshot sees
 * all that was told; for that moment the stream is held.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { isMissed, parseSnapshot, type Snapshot } from '../../source/visibility.ts';
import type { ReplicationStream } from '../replication/connection.ts';
import type { Hearer } from '../replication/hearing.ts';
import { at, BEGIN, isDescription } from './transaction-bytes.ts';

/** Until what was heard last is persisted. */
const ASK_MS = 20;

interface CutPlace {
  snapshot: Snapshot;
  untilLsn: bigint;
}

export class Leaving {
  #stream: ReplicationStream | undefined;
  /** Told since it is watched, and not seen by a snapshot so far. */
  #told: Set<number> | undefined;
  #cut: CutPlace | undefined;
  #isLeftOut = false;
  #isThere = false;
  #isHeld = false;
  #isPaused = false;
  #confirmed = 0n;
  readonly #over = Promise.withResolvers<void>();
  #isOver = false;
  #isStuck = false;

  /** The stream, as its session has it: it ends when all up to the cut is persisted. */
  attach(stream: ReplicationStream): ReplicationStream {
    this.#stream = stream;
    const ended = Promise.race([stream.ended, this.#over.promise]);
    ended.catch(() => undefined);
    return {
      started: stream.started,
      ended,
      confirm: (lsn, ping) => {
        if (lsn > this.#confirmed) this.#confirmed = lsn;
        stream.confirm(lsn, ping);
      },
      pause: () => {
        this.#isPaused = true;
        stream.pause();
      },
      resume: () => {
        this.#isPaused = false;
        if (!this.#isHeld && !this.#isStuck) stream.resume();
      },
      close: async () => {
        this.#isOver = true;
        await stream.close();
      },
    };
  }

  /** Of the position: that nobody confirms once more. */
  beginAt(confirmedLsn: bigint): void {
    this.#confirmed = confirmedLsn;
  }

  /** Everything up to the cut was told, and is persisted. */
  get isDone(): boolean {
    return this.#isThere && this.#cut !== undefined && this.#confirmed >= this.#cut.untilLsn;
  }

  /** From now on it is known what was told. What was told before is no matter of a snapshot that sees whatever is open now. */
  watch(): void {
    this.#told = new Set();
  }

  unwatch(): void {
    this.#told = undefined;
  }

  /** Does this snapshot see all that was told? What it sees need not be remembered. */
  isSeenBy(text: string): boolean {
    const snapshot = parseSnapshot(text);
    for (const xid of this.#told ?? []) if (!isMissed(snapshot, xid)) this.#told?.delete(xid);
    return this.#told?.size === 0;
  }

  /** Nothing further is told while `work` is under way. */
  async held<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#isHeld = true;
    this.#stream?.pause();
    try {
      return await work();
    } finally {
      this.#isHeld = false;
      if (!this.#isPaused && !this.#isStuck) this.#stream?.resume();
    }
  }

  /** For good, while it is held: whether a cut is stored is not known, and only another stream can find out. */
  fail(error: unknown): void {
    this.#isStuck = true;
    this.#over.reject(error);
  }

  /** Held, or before the first message. */
  cutAt({ snapshot, untilLsn }: { snapshot: string; untilLsn: bigint }): void {
    this.#cut = { snapshot: parseSnapshot(snapshot), untilLsn };
    this.#told = undefined;
  }

  /** What the session hears of the stream. */
  hearing(session: Hearer): Hearer {
    return {
      get relations() {
        return session.relations;
      },
      onKeepAlive: (walEnd, replyRequested) => {
        if (this.#cut && walEnd >= this.#cut.untilLsn) void this.#arrive(session);
        session.onKeepAlive(this.#isThere ? this.#cut!.untilLsn : walEnd, replyRequested);
      },
      onMessage: (bytes) => this.#hear(session, bytes),
    };
  }

  #hear(session: Hearer, bytes: Buffer): void {
    const tag = bytes[0];
    if (tag === BEGIN) {
      const { lsn, xid } = at(bytes);
      if (this.#cut && lsn >= this.#cut.untilLsn) void this.#arrive(session);
      this.#isLeftOut = this.#isThere || (this.#cut !== undefined && isMissed(this.#cut.snapshot, xid));
      if (!this.#isLeftOut) this.#told?.add(xid);
    }
    if (!this.#isLeftOut || isDescription(tag)) session.onMessage(bytes);
  }

  /** Nothing more comes that is to be told: the session hears so until it has persisted all. */
  async #arrive(session: Hearer): Promise<void> {
    if (this.#isThere || !this.#cut) return;
    this.#isThere = true;
    while (!this.#isOver && !this.isDone) {
      session.onKeepAlive(this.#cut.untilLsn, false);
      await sleep(ASK_MS);
    }
    if (this.isDone) this.#over.resolve();
  }
}
