/**
 * Sessions of people who logged in: what the cookie holds is looked up by its hash, and remembered for a second (`lookup.ts`). From it
 * comes the token that a page has to send with whatever it changes: who can only make a browser send the cookie does not know it.
 */
import { createHmac } from 'node:crypto';
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { type Lookup, type LookupDependencies, openLookup } from './lookup.ts';

const FIND = statement('catalog/find-sessions');

export interface KnownSession {
  id: string;
  user_id: string;
  email: string;
  name: string | null;
  /** `model/scope.ts`. */
  scopes: readonly string[];
}

export interface Sessions {
  /** By the hash of what the cookie holds; undefined when it has ended. @throws MillraceError too_many_requests, and what Postgres says. */
  find(hash: Buffer): Promise<KnownSession | undefined>;
  close(): void;
}

export function openSessions({
  db,
  ...deps
}: Omit<LookupDependencies<KnownSession>, 'ask'> & { db: Queryable }): Sessions {
  const lookup: Lookup<KnownSession> = openLookup({
    ...deps,
    async ask(hashes) {
      const { rows } = await db.query<KnownSession & { hash: string; left_ms: number }>(FIND, [hashes]);
      return new Map(rows.map(({ hash, left_ms: leftMs, ...found }) => [hash, { found, leftMs }]));
    },
  });
  return { find: (hash) => lookup.find(hash), close: lookup.close };
}

/** Of a session, by what its cookie holds. */
export const csrfOf = (value: string): string =>
  createHmac('sha256', value).update('millrace csrf').digest('base64url');
