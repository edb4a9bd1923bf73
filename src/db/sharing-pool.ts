/**
 * pg's pool, where a server has no connection to spare: whoever wants one waits for one of those that are there, or for the
 * server to have one again, as long as the pool is patient. pg's own hands the refusal to whoever asked, though another
 * connection may come free in a moment. A pool that was made smaller gives back what is over.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isFull } from '../model/sqlstate.ts';

export interface Sharing {
  patienceMs: number;
  /** The server refused one more; the pool has `total`. */
  onFull?: ((error: unknown, total: number) => void) | undefined;
}

type Taken = Parameters<pg.Pool['connect']>[0];

/** What pg says of a new connection on which nothing came in time. */
const SILENT = /^(Query read timeout|timeout expired)/;
/** Between two tries, of the whole pool. */
const PROBE_MS = 1_000;

export class SharingPool extends pg.Pool {
  readonly #sharing: Sharing;
  #wanted: number;
  /** Those that are there: not those that are being made, which the server may refuse, nor those that are given back. */
  readonly #there = new Set<pg.PoolClient>();
  #probe: NodeJS.Timeout | undefined;
  #news = Promise.withResolvers<void>();

  constructor(config: pg.PoolConfig & { max: number }, sharing: Sharing) {
    super(config);
    this.#sharing = sharing;
    this.#wanted = config.max;
    this.on('connect', (client) => {
      this.#there.add(client);
      // Made although another one was refused meanwhile.
      this.options.max = Math.min(this.#wanted, Math.max(this.options.max, this.#there.size));
      this.#tell();
    });
    this.on('remove', (client) => this.#there.delete(client));
  }

  /** From now on it has at most so many. */
  resize(max: number): void {
    this.#wanted = max;
    if (this.#probe === undefined) this.options.max = max;
    this.#giveBack().catch(() => undefined);
  }

  /** Those that nobody uses; the others go when they are given back. */
  async #giveBack(): Promise<void> {
    while (this.#there.size > this.options.max && this.idleCount > 0 && !this.ending) {
      this.#givingBack(await super.connect()).release();
    }
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(taken: Taken): void;
  override connect(taken?: Taken): Promise<pg.PoolClient> | undefined {
    const client = this.#patiently();
    if (taken === undefined) return client;
    client.then(
      (got) => taken(undefined, got, got.release),
      (error: Error) => taken(error, undefined, () => undefined),
    );
    return undefined;
  }

  async #patiently(): Promise<pg.PoolClient> {
    const until = performance.now() + this.#sharing.patienceMs;
    for (;;) {
      try {
        return this.#givingBack(await super.connect());
      } catch (error) {
        if (!this.#isShort(error) || this.ending || performance.now() >= until) throw error;
        this.#refused(error);
        // Else it stands in line for one of those that are there.
        if (this.#there.size === 0) await this.#untilNews(until);
      }
    }
  }

  /** A pooler whose own pool is used up lets a client in, and then does not answer. */
  #isShort(error: unknown): boolean {
    return isFull(error) || (this.#there.size > 0 && error instanceof Error && SILENT.test(error.message));
  }

  /** As long as the server has no more, those who stand in line do not try one after the other. */
  #refused(error: unknown): void {
    this.options.max = Math.max(1, this.#there.size);
    this.#sharing.onFull?.(error, this.#there.size);
    this.#probe ??= setTimeout(() => void this.#tryAgain(), PROBE_MS);
  }

  /** One tries for all, and again while others stand in line: a connection that is made serves no more than one of them. */
  async #tryAgain(): Promise<void> {
    this.#probe = undefined;
    this.options.max = this.#wanted;
    try {
      do {
        // Given back, it goes to the first in line.
        (await super.connect()).release();
      } while (this.waitingCount > 0 && this.totalCount < this.options.max && !this.ending);
    } catch (error) {
      if (this.#isShort(error)) this.#refused(error);
      else this.#tell();
    }
  }

  /** Whoever waits may try, or hear for himself what is wrong. */
  #tell(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers();
  }

  async #untilNews(until: number): Promise<void> {
    const late = new AbortController();
    const time = sleep(Math.max(0, until - performance.now()), undefined, { signal: late.signal });
    await Promise.race([this.#news.promise, time]).finally(() => late.abort());
  }

  #givingBack(client: pg.PoolClient): pg.PoolClient {
    const release = client.release;
    client.release = (error) => {
      const isOver = error ?? this.#there.size > this.options.max;
      if (isOver) this.#there.delete(client);
      release(isOver);
    };
    return client;
  }
}
