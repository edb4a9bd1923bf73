/**
 * Who may do what: a request's token, looked up by its hash. What was found is kept for at most five seconds, so a
 * revoked token stops working within that time; what was not found is never kept, so a new token works at once.
 */
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { hashToken } from './token-hash.ts';

const findTokenStatement = statement('catalog/find-token');

const KEEP_MS = 5_000;
const KEPT_TOKENS = 1_000;

interface Kept {
  scopes: readonly string[];
  until: number;
}

const kept = new WeakMap<Database, Map<string, Kept>>();

/** The scopes of a token that is known and not revoked: `admin`, `read`, `consume:<sink name>`. */
export async function findToken(
  db: Database,
  token: string,
  options: { now?: () => number } = {},
): Promise<readonly string[] | undefined> {
  const now = (options.now ?? Date.now)();
  const hash = hashToken(token);
  const key = hash.toString('hex');
  const cache = kept.get(db) ?? new Map<string, Kept>();
  kept.set(db, cache);
  const found = cache.get(key);
  if (found !== undefined && now < found.until) return found.scopes;
  cache.delete(key);
  const { rows } = await db.query<{ scopes: string[] }>(findTokenStatement, [hash]);
  const row = rows[0];
  if (row === undefined) return undefined;
  if (cache.size >= KEPT_TOKENS) cache.clear();
  cache.set(key, { scopes: row.scopes, until: now + KEEP_MS });
  return row.scopes;
}
