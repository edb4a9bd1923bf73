/** Who may do what: a request's token, looked up by its hash, and remembered for a second (`lookup.ts`). */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { isMistyped } from '../model/api-token.ts';
import { MillraceError } from '../model/errors.ts';
import { quoteLiteral } from '../model/quote.ts';
import { type LookupDependencies, openLookup } from './lookup.ts';
import { hashToken } from './token-hash.ts';

const FIND_TOKENS = statement('catalog/find-tokens');
const NAME_TOKEN = statement('catalog/name-token');
const WEAK_TOKENS = statement('catalog/weak-tokens');

export interface KnownToken {
  id: string;
  name: string;
  /** `model/scope.ts`. */
  scopes: readonly string[];
  /** By which it is found again. */
  hash: Buffer;
}

export interface Tokens {
  /**
   * A token that is known, not revoked and not expired, by its text or its hash; undefined for others. `fresh`: as it is now,
   * whatever is remembered.
   * @throws MillraceError too_many_requests, and what Postgres says.
   */
  find(token: string | Buffer, options?: { fresh?: boolean }): Promise<KnownToken | undefined>;
  close(): void;
}

export interface TokensDependencies extends Omit<LookupDependencies<KnownToken>, 'ask'> {
  db: Queryable;
  /** Only this machine reaches the port: weak tokens are good too. */
  loopbackOnly?: boolean;
}

export function openTokens({ db, loopbackOnly = false, ...deps }: TokensDependencies): Tokens {
  const lookup = openLookup<KnownToken>({
    ...deps,
    async ask(hashes) {
      type Row = Omit<KnownToken, 'hash'> & { hash: string; left_ms: number | null };
      const { rows } = await db.query<Row>(FIND_TOKENS, [hashes, loopbackOnly]);
      return new Map(
        rows.map(({ left_ms: leftMs, ...row }) => [
          row.hash,
          { found: { ...row, hash: Buffer.from(row.hash, 'hex') }, leftMs },
        ]),
      );
    },
  });
  return {
    async find(token, options) {
      if (typeof token !== 'string') return await lookup.find(token, options);
      return isMistyped(token) ? undefined : await lookup.find(hashToken(token), options);
    },
    close: lookup.close,
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
