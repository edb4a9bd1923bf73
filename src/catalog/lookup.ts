/**
 * Finds by hash what a request presents (a token, a session). What was found is kept for at most a second, counted from the
 * question, and dropped when Postgres says that something of the kind has changed; what was not found is never kept, so what is new
 * works at once. However many ask, there is one statement under way, for all who came before it began: what nobody knows
 * costs one connection at most.
 */
import { MillraceError } from '../model/errors.ts';

/** Postgres notifies it when a token, a person or a session was made, changed or ended, by whomever. */
const CHANNEL = 'millrace_tokens';

const KEEP_MS = 1_000;
const KEPT = 1_000;
/** Hashes in one statement, and so many may wait for the next one. */
const MAX_ASKED = 1_000;

export interface Lookup<Found> {
  /**
   * By a SHA-256. `fresh`: as it is now, whatever is remembered.
   * @throws MillraceError too_many_requests, and what Postgres says.
   */
  find(hash: Buffer, options?: { fresh?: boolean }): Promise<Found | undefined>;
  close(): void;
}

export interface Answer<Found> {
  found: Found;
  /** Of its life; null: without end. */
  leftMs: number | null;
}

export interface LookupDependencies<Found> {
  /** By hash, in hexadecimal. */
  ask(hashes: Buffer[]): Promise<ReadonlyMap<string, Answer<Found>>>;
  /** `db/listen.ts`. */
  listener?: { on(channel: string, handler: () => void): () => void } | undefined;
  now?: (() => number) | undefined;
}

export function openLookup<Found>(deps: LookupDependencies<Found>): Lookup<Found> {
  const now = deps.now ?? (() => performance.now());
  const kept = new Map<string, { found: Found; until: number }>();
  /** With the answer that everybody who asked waits for. */
  let asked = new Map<string, PromiseWithResolvers<Found | undefined>>();
  let asking = false;
  let generation = 0;
  const off = deps.listener?.on(CHANNEL, () => {
    generation += 1;
    kept.clear();
  });

  const ask = async (batch: typeof asked): Promise<void> => {
    const from = now();
    const askedIn = generation;
    const answers = await deps.ask([...batch.keys()].map((hash) => Buffer.from(hash, 'hex')));
    for (const [hash, waiting] of batch) {
      const answer = answers.get(hash);
      kept.delete(hash);
      if (kept.size >= KEPT) kept.clear();
      // What changed while we asked may have been answered as it was before.
      if (answer !== undefined && askedIn === generation) {
        kept.set(hash, { found: answer.found, until: from + Math.min(KEEP_MS, answer.leftMs ?? KEEP_MS) });
      }
      waiting.resolve(answer?.found);
    }
  };

  const askAll = async (): Promise<void> => {
    asking = true;
    while (asked.size > 0) {
      const batch = asked;
      asked = new Map();
      await ask(batch).catch((error: unknown) => {
        for (const waiting of batch.values()) waiting.reject(error);
      });
    }
    asking = false;
  };

  return {
    async find(sha256, options = {}) {
      const hash = sha256.toString('hex');
      const known = kept.get(hash);
      if (options.fresh !== true && known !== undefined && now() < known.until) return known.found;
      const waiting = asked.get(hash);
      if (waiting !== undefined) return await waiting.promise;
      if (asked.size >= MAX_ASKED) {
        throw new MillraceError('too_many_requests', 'Too many tokens are being looked up', {
          remedy: 'Try again after a moment.',
        });
      }
      const answer = Promise.withResolvers<Found | undefined>();
      asked.set(hash, answer);
      if (!asking) void askAll();
      return await answer.promise;
    },
    close: () => off?.(),
  };
}
