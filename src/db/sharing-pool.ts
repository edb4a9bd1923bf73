/**
 * pg's pool, where a server has no connection to spare: whoever wants one waits for one of those that are there, or for the
 * server to have one again, as long as the pool is patient. pg's own hands the refusal to whoever asked, though another
 * connection may come free in a moment. A pool that was made smaller gives back what is over.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { isFull } from '../model/unavailable.ts';

export interface Sharing {
  patienceMs: number;
  /** The server refused one more; the pool has `total`. */
  onFull?: ((error: unknown, total: number) => void) | undefined;
}

type Taken = Parameters<pg.Pool['connect']>[0];

/** Between two tries, of the whole pool. */
const PROBE_MS = 1_000;

export class SharingPool extends pg.Pool {
  readonly #sharing: Sharing;
  #wanted: number;
  /** Without those that are being made. */
  #there = 0;
  #probe: NodeJS.Timeout | undefined;

  constructor(config: pg.PoolConfig & { max: number }, sharing: Sharing) {
    super(config);
    this.#sharing = sharing;
    this.#wanted = config.max;
    this.on('connect', () => (this.#there += 1));
    this.on('remove', () => (this.#there -= 1));
  }

  /** From now on it has at most so many. */
  resize(max: number): void {
    this.#wanted = max;
    if (this.#probe === undefined) this.options.max = max;
    this.#giveBack().catch(() => undefined);
  }

  /** Those that nobody uses; the others go when they are given back. */
  async #giveBack(): Promise<void> {
    while (this.totalCount > this.options.max && this.idleCount > 0 && !this.ending) {
      (await super.connect()).release(true);
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
    for (let waitMs = 50; ; waitMs = Math.min(PROBE_MS, waitMs * 2)) {
      try {
        return this.#givingBack(await super.connect());
      } catch (error) {
        if (!isFull(error) || this.ending || performance.now() >= until) throw error;
        this.#refused(error);
        // Else it stands in line for one of those that are there.
        if (this.#there === 0) await sleep(Math.min(waitMs, Math.max(0, until - performance.now())));
      }
    }
  }

  /** As long as the server has no more, those who stand in line do not try one after the other. */
  #refused(error: unknown): void {
    this.options.max = Math.max(1, this.#there);
    this.#sharing.onFull?.(error, this.#there);
    this.#probe ??= setTimeout(() => void this.#tryAgain(), PROBE_MS);
  }

  async #tryAgain(): Promise<void> {
    this.#probe = undefined;
    this.options.max = this.#wanted;
    if (this.ending) return;
    try {
      // Given back, it goes to the first in line.
      (await super.connect()).release();
    } catch (error) {
      if (isFull(error)) this.#refused(error);
    }
  }

  #givingBack(client: pg.PoolClient): pg.PoolClient {
    const release = client.release;
    client.release = (error) => release(error ?? this.totalCount > this.options.max);
    return client;
  }
}
