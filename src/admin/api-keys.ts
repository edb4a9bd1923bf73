/** API tokens that are made, listed and revoked without a file. The token itself is seen once, by whoever had it made. */
import { randomBytes } from 'node:crypto';
import { recordChange } from '../catalog/audit.ts';
import { hashToken } from '../catalog/token-hash.ts';
import type { Queryable, Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { apiToken, prefixOf } from '../model/api-token.ts';
import { actorOf, type By } from '../model/by.ts';
import { MillraceError } from '../model/errors.ts';

const LIST = statement('admin/list-api-keys');
const ADD = statement('admin/add-api-key');
const REVOKE = statement('admin/revoke-api-key');

export interface ApiKey {
  id: string;
  name: string;
  /** What the token begins with; null: it is a file's, in a form of its own. */
  prefix: string | null;
  scopes: string[];
  /** Good only where nobody but this machine reaches the port. */
  weak: boolean;
  managed_by: 'file' | 'api';
  declared_from: string | null;
  /** As an actor of the audit log; null: a file. */
  created_by: string | null;
  created_at: Date;
  expires_at: Date | null;
  /** To the minute. */
  last_used_at: Date | null;
  /** One of a file: it stays so until its text there changes. */
  revoked_at: Date | null;
}

/** By name. */
export async function listApiKeys(db: Queryable): Promise<ApiKey[]> {
  return (await db.query<ApiKey>(LIST, [null])).rows;
}

/** @throws MillraceError not_found. */
export async function showApiKey(db: Queryable, id: string): Promise<ApiKey> {
  const { rows } = await db.query<ApiKey>(LIST, [id]);
  if (rows[0]) return rows[0];
  throw new MillraceError('not_found', `there is no API token ${id}`);
}

export interface WantedApiKey {
  name: string;
  scopes: readonly string[];
  /** Null: never. */
  expiresAt: Date | null;
}

/** It, and the token. @throws MillraceError name_taken, invalid. */
export async function createApiKey(
  db: Transacting,
  { name, scopes, expiresAt }: WantedApiKey,
  by: By,
): Promise<ApiKey & { token: string }> {
  refuseOver(expiresAt);
  const token = apiToken(randomBytes(32));
  return await db.transaction(async (tx) => {
    const values = [name, hashToken(token), [...new Set(scopes)], prefixOf(token), expiresAt, actorOf(by)];
    const { rows } = await tx.query<{ id: string }>(ADD, values);
    if (!rows[0]) throw await notAdded(tx, name);
    const key = await showApiKey(tx, rows[0].id);
    const { prefix, expires_at } = key;
    await recordChange(tx, { action: 'create', subject: `token ${name}`, after: { prefix, scopes, expires_at } }, by);
    return { ...key, token };
  });
}

/** At once, and everywhere within a second. @throws MillraceError not_found. */
export async function revokeApiKey(db: Transacting, id: string, by: By): Promise<void> {
  await db.transaction(async (tx) => {
    const { prefix, scopes, managed_by, revoked_at } = await showApiKey(tx, id);
    const { rows } = await tx.query<{ name: string }>(REVOKE, [id]);
    if (!rows[0] || revoked_at !== null) return;
    const change = { action: 'revoke', subject: `token ${rows[0].name}`, before: { prefix, scopes, managed_by } };
    await recordChange(tx, change, by);
  });
}

function refuseOver(expiresAt: Date | null): void {
  if (expiresAt === null || expiresAt.getTime() > Date.now()) return;
  const faults = [{ field: 'expires_at', message: 'is over already', remedy: 'Name a time to come, or leave it out.' }];
  throw new MillraceError('invalid', 'Not valid: expires_at', { faults });
}

async function notAdded(db: Queryable, name: string): Promise<MillraceError> {
  const taken = (await listApiKeys(db)).find((key) => key.name === name);
  if (taken === undefined)
    return new MillraceError('invalid', 'There are 1,000 API tokens already', { remedy: 'Revoke some first.' });
  return new MillraceError('name_taken', `there is an API token ${name} already`, {
    remedy: 'Choose another name, or revoke that one first.',
    facts: { id: taken.id },
  });
}
