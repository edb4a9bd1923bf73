/**
 * How the first person comes in: by a token that is good once, for an hour, and for nothing as soon as there is a user. Its hash is in
 * the message database, so that any web process takes it.
 */
import { randomBytes } from 'node:crypto';
import { hashToken } from '../catalog/token-hash.ts';
import type { Queryable, Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { By } from '../model/by.ts';
import { MillraceError } from '../model/errors.ts';
import { hashPassword } from '../runtime/password.ts';
import { addSession, type Client, type LoggedIn } from './log-in.ts';
import { addUser, createUser, listUsers } from './users.ts';

const PUT = statement('admin/put-setup');
const FIND = statement('admin/find-setup');
const END = statement('admin/end-setup');

const INSTALLATION = statement('admin/installation');

const SETUP: By = { kind: 'cli', name: 'setup' };

/** For a terminal; null where there is a user already. */
export async function makeSetupToken(db: Queryable): Promise<string | null> {
  const token = randomBytes(24).toString('base64url');
  return (await db.query(PUT, [hashToken(token)])).rows.length > 0 ? token : null;
}

/** The first user, an admin, who is logged in then. @throws MillraceError unauthorized, too_many_requests. */
export async function setUp(
  db: Transacting,
  wanted: { token: string; email: string; name: string | null; password: string },
  client: Client,
): Promise<LoggedIn> {
  // Whoever has no good token is not worth a password's work.
  await db.transaction((tx) => refuseBadToken(tx, wanted.token));
  const password = await hashPassword(wanted.password);
  return await db.transaction(async (tx) => {
    await refuseBadToken(tx, wanted.token);
    const { email, name } = wanted;
    const { id } = await addUser(tx, { email, name, scopes: ['admin'], password }, SETUP);
    await tx.query(END);
    return await addSession(tx, { id, password }, client);
  });
}

/** What tells this installation from others. */
export async function readLetters(db: Queryable): Promise<string> {
  return (await db.query<{ letters: string }>(INSTALLATION)).rows[0]!.letters;
}

/** ADMIN_PASSWORD makes the user `admin`, where there is none of that name. True: it was made. */
export async function ensureAdmin(db: Transacting, password: string): Promise<boolean> {
  if ((await listUsers(db)).some(({ email }) => email === 'admin')) return false;
  const admin = { email: 'admin', name: null, scopes: ['admin'], password };
  await createUser(db, admin, { kind: 'file', name: 'start' });
  return true;
}

async function refuseBadToken(tx: Queryable, token: string): Promise<void> {
  const { rows } = await tx.query<{ is_good: boolean | null }>(FIND, [hashToken(token)]);
  if (rows[0]?.is_good === true) return;
  throw new MillraceError(
    'unauthorized',
    'This token is not good any more: it was used, an hour has passed, or there is a user',
    {
      remedy: 'Log in, or start Millrace again, which prints a new one while there is no user.',
    },
  );
}
