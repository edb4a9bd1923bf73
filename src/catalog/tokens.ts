/**
 * Who may do what: a request's token, looked up by its hash. What was found is kept for at most a second, counted from the
 * question, and dropped when Postgres says that tokens have changed; what was not found is never kept, so a new token works
 * at once. However many ask, there is one statement under way, for all who came before it began: tokens that nobody knows
 * cost one connection at most.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { isMistyped } from '../model/api-token.ts';
import { MillraceError } from '../model/errors.ts';
import { quoteLiteral } from '../model/quote.ts';
import { hashToken } from './token-hash.ts';

const FIND_TOKENS = statement('catalog/find-tokens');
const NAME_TOKEN = statement('catalog/name-token');
const WEAK_TOKENS = statement('catalog/weak-tokens');

/** Postgres notifies it when a token was made, changed or revoked, by whomever. */
const TOKENS_CHANNEL = 'millrace_tokens';

const KEEP_MS = 1_000;
const KEPT_TOKENS = 1_000;
/** Tokens in one statement, and so many may wait for the next one. */
const MAX_ASKED = 1_000;

export interface KnownToken {
  id: string;
  name: string;
  /** `model/scope.ts`. */
  scopes: readonly string[];
}

export interface Tokens {
  /**
   * A token that is known, not revoked and not expired; undefined for others.
   * `fresh`: as they are now, whatever is remembered.
   * @throws MillraceError too_many_requests, and what Postgres says.
   */
  find(token: string, options?: { fresh?: boolean }): Promise<KnownToken | undefined>;
  close(): void;
}

export interface TokensDependencies {
  db: Queryable;
  /** `db/listen.ts`. */
  listener?: { on(channel: string, handler: () => void): () => void };
  now?: () => number;
  /** Only this machine reaches the port: weak tokens are good too. */
  loopbackOnly?: boolean;
}

/** Hashes, in hexadecimal, with the answer that everybody who asked waits for. */
type Asked = Map<string, PromiseWithResolvers<KnownToken | undefined>>;

export function openTokens(deps: TokensDependencies): Tokens {
  const now = deps.now ?? (() => performance.now());
  const kept = new Map<string, { token: KnownToken; until: number }>();
  let asked: Asked = new Map();
  let asking = false;
  let generation = 0;
  const off = deps.listener?.on(TOKENS_CHANNEL, () => {
    generation += 1;
    kept.clear();
  });

  const ask = async (batch: Asked): Promise<void> => {
    const from = now();
    const askedIn = generation;
    const hashes = [...batch.keys()].map((hash) => Buffer.from(hash, 'hex'));
    const { rows } = await deps.db.query<KnownToken & { hash: string; left_ms: number | null }>(FIND_TOKENS, [
      hashes,
      deps.loopbackOnly === true,
    ]);
    const found = new Map(rows.map(({ hash, left_ms, ...token }) => [hash, { token, leftMs: left_ms ?? KEEP_MS }]));
    for (const [hash, answer] of batch) {
      const { token, leftMs } = found.get(hash) ?? { leftMs: 0 };
      kept.delete(hash);
      if (kept.size >= KEPT_TOKENS) kept.clear();
      // What changed while we asked may have been answered as it was before.
      if (token !== undefined && askedIn === generation)
        kept.set(hash, { token, until: from + Math.min(KEEP_MS, leftMs) });
      answer.resolve(token);
    }
  };

  const askAll = async (): Promise<void> => {
    asking = true;
    while (asked.size > 0) {
      const batch = asked;
      asked = new Map();
      await ask(batch).catch((error: unknown) => {
        for (const answer of batch.values()) answer.reject(error);
      });
    }
    asking = false;
  };

  return {
    async find(token, options = {}) {
      if (isMistyped(token)) return undefined;
      const hash = hashToken(token).toString('hex');
      const known = kept.get(hash);
      if (options.fresh !== true && known !== undefined && now() < known.until) return known.token;
      const waiting = asked.get(hash);
      if (waiting !== undefined) return await waiting.promise;
      if (asked.size >= MAX_ASKED) {
        throw new MillraceError('too_many_requests', 'Too many tokens are being looked up', {
          remedy: 'Try again after a moment.',
        });
      }
      const answer = Promise.withResolvers<KnownToken | undefined>();
      asked.set(hash, answer);
      if (!asking) void askAll();
      return await answer.promise;
    },
    close: () => off?.(),
  };
}

/** Which token it is, of those in the catalog; null: none of them. */
export async function nameToken(db: Queryable, token: string): Promise<{ id: string; name: string } | null> {
  return (await db.query<{ id: string; name: string }>(NAME_TOKEN, [hashToken(token)])).rows[0] ?? null;
}

/**
 * For a start on addresses that others reach: a token that can be guessed would let them in.
 * @throws MillraceError bad_configuration naming such tokens.
 */
export async function refuseWeakTokens(db: Queryable): Promise<void> {
  const { rows } = await db.query<{ name: string }>(WEAK_TOKENS);
  const faults = rows.map(({ name }) => ({
    field: `api_tokens ${name}`,
    message: 'can be guessed, and the port is open to others than this machine',
    remedy:
      'Give it a random token in the configuration file (`openssl rand -hex 24`) and apply that; or set HOST to 127.0.0.1; ' +
      `or revoke it: update millrace_private.api_tokens set revoked_at = now() where name = ${quoteLiteral(name)}`,
  }));
  if (faults.length > 0) {
    throw new MillraceError('bad_configuration', faults.map(({ field, message }) => `${field} ${message}`).join('; '), {
      faults,
    });
  }
}
