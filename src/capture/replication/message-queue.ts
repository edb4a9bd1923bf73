/**
 * Messages in their order, one at a time: while something is loaded for one of them the next ones wait, on bytes of their
 * own, and go on where it stopped.
 */
export interface MessageQueueDeps {
  handle(bytes: Buffer): void;
  /** What waited was handled, as far as it could be. */
  rested(): void;
  /** Hears what goes wrong in `hold`, also when the messages that waited are handled after it. */
  fail(error: unknown): void;
}

interface Interlude {
  work: () => readonly Buffer[];
  over: PromiseWithResolvers<void>;
}

export class MessageQueue {
  readonly #deps: MessageQueueDeps;
  /** Comes before the next message. */
  #interlude: Interlude | undefined;
  /** What was loaded could not be. */
  #failure: { error: unknown } | undefined;
  #held = false;
  /** The first `#done` of them were handled. */
  #queue: Buffer[] = [];
  #done = 0;
  /** Bytes that wait. */
  waiting = 0;

  constructor(deps: MessageQueueDeps) {
    this.#deps = deps;
  }

  /** Something is loaded now. */
  get held(): boolean {
    return this.#held;
  }

  /** So many wait. */
  get count(): number {
    return this.#queue.length - this.#done;
  }

  /** Those that wait, in their order. */
  *waitingMessages(): Iterable<Buffer> {
    for (let place = this.#done; place < this.#queue.length; place += 1) yield this.#queue[place]!;
  }

  /** Handles it, or keeps a copy until then. Throws what the handler throws. */
  take(bytes: Buffer): void {
    if (!this.#held) {
      this.#deps.handle(bytes);
      return;
    }
    this.#queue.push(Buffer.from(bytes));
    this.waiting += bytes.length;
  }

  /** To be called in the handler: no other message is handled until `work` is done. */
  hold(work: () => Promise<void>): void {
    this.#held = true;
    work()
      .then(() => {
        this.#goOn();
        this.#deps.rested();
      })
      .catch((error: unknown) => {
        this.#failure = { error };
        this.#interlude?.over.reject(error);
        this.#deps.fail(error);
      });
  }

  /**
   * Does `work` between two messages, as soon as nothing is loaded; what it returns is handled next, before what waits. One
   * at a time. Rejects with what `work` throws, and with what went wrong while something was loaded.
   */
  async between(work: () => readonly Buffer[]): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    const over = Promise.withResolvers<void>();
    this.#interlude = { work, over };
    if (!this.#held) {
      this.#takeInterlude();
      this.hold(() => Promise.resolve());
    }
    await over.promise;
  }

  #takeInterlude(): void {
    const interlude = this.#interlude;
    if (!interlude) return;
    this.#interlude = undefined;
    try {
      const messages = interlude.work();
      this.#queue = [...messages, ...this.#queue.slice(this.#done)];
      this.#done = 0;
      for (const { length } of messages) this.waiting += length;
      interlude.over.resolve();
    } catch (error) {
      interlude.over.reject(error);
    }
  }

  #goOn(): void {
    this.#held = false;
    this.#takeInterlude();
    while (!this.#held && this.#done < this.#queue.length) {
      const bytes = this.#queue[this.#done++]!;
      this.waiting -= bytes.length;
      this.#deps.handle(bytes);
    }
    if (this.#done > 256 || this.#done === this.#queue.length) {
      this.#queue.splice(0, this.#done);
      this.#done = 0;
    }
  }
}
