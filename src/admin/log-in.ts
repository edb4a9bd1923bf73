/**
 * Somebody logs in: five failures a minute of an account, or of an address, and the next one is sent away unheard. An account
 * that is not there answers like one that is, in the same time.
 */
import { createHash, randomBytes } from 'node:crypto';
import { recordChange } from '../catalog/audit.ts';
import { csrfOf } from '../catalog/sessions.ts';
import { hashToken } from '../catalog/token-hash.ts';
import type { Queryable, Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { By } from '../model/by.ts';
import { MillraceError } from '../model/errors.ts';
import { isPassword } from '../runtime/password.ts';
import { showUser, subjectOf, type User } from './users.ts';

const NOTE = statement('admin/note-login');
const COUNT = statement('admin/count-logins');
const FORGET = statement('admin/forget-login');
const FIND = statement('admin/find-login');
const ADD_SESSION = statement('admin/add-session');

const FAILURES = 5;
const MINUTE_SECONDS = '60';

/** Where a request came from. */
export interface Client {
  address: string;
  userAgent: string | null;
}

export interface LoggedIn {
  /** What the cookie holds. Never to be logged. */
  value: string;
  /** What a page sends along with each change. */
  csrf: string;
  user: User;
  sessionId: string;
  expiresAt: Date;
}

/** @throws MillraceError unauthorized, too_many_requests. */
export async function logIn(
  db: Transacting,
  { email, password }: { email: string; password: string },
  client: Client,
): Promise<LoggedIn> {
  const found = await checkPassword(db, { email, password }, client);
  if (found === undefined) throw wrong();
  return await db.transaction((tx) => addSession(tx, found, client));
}

/** Whose it is, with its hash; undefined: it is wrong. @throws MillraceError too_many_requests. */
export async function checkPassword(
  db: Queryable,
  { email, password }: { email: string; password: string },
  client: Client,
): Promise<{ id: string; password: string } | undefined> {
  const account = email.trim().toLowerCase();
  const attempt = await noteAttempt(db, account, client);
  const found = (await db.query<{ id: string; password: string | null }>(FIND, [account])).rows[0];
  const stored = found?.password ?? null;
  if (!(await isPassword(password, stored)) || found === undefined || stored === null) return undefined;
  await db.query(FORGET, [attempt]);
  return { id: found.id, password: stored };
}

/** `password`: the hash that is stored. In a transaction. @throws MillraceError unauthorized: it was changed meanwhile. */
export async function addSession(
  tx: Queryable,
  { id, password }: { id: string; password: string },
  { address, userAgent }: Client,
): Promise<LoggedIn> {
  const value = randomBytes(32).toString('base64url');
  const from = [address, userAgent?.slice(0, 300) ?? null];
  const { rows } = await tx.query<{ id: string; expires_at: Date }>(ADD_SESSION, [
    ...[id, password, hashToken(value)],
    ...from,
  ]);
  if (!rows[0]) throw wrong();
  const user = await showUser(tx, id);
  const by: By = { kind: 'user', name: user.email };
  await recordChange(tx, { action: 'log_in', subject: subjectOf(user), after: { address } }, by);
  return { value, csrf: csrfOf(value), user, sessionId: rows[0].id, expiresAt: rows[0].expires_at };
}

/** Its id. It counts as a failure until it is forgotten. @throws MillraceError too_many_requests. */
async function noteAttempt(db: Queryable, email: string, { address }: Client): Promise<number> {
  const account = createHash('sha256').update(email).digest();
  const { rows } = await db.query<{ id: number }>(NOTE, [account, address]);
  const { id } = rows[0]!;
  const [counted] = (await db.query<{ of_account: number; of_address: number }>(COUNT, [account, address, id])).rows;
  if (counted!.of_account < FAILURES && counted!.of_address < FAILURES) return id;
  await db.query(FORGET, [id]);
  throw new MillraceError('too_many_requests', 'Too many logins of this account or address have failed', {
    remedy: 'Wait a minute.',
    facts: { retry_after: MINUTE_SECONDS },
  });
}

const wrong = (): MillraceError => new MillraceError('unauthorized', 'The address or the password is wrong');
