/** People: listed, made, changed, removed. One admin at least stays where there was one. */
import { recordChange } from '../catalog/audit.ts';
import type { Queryable, Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { actorOf, type By } from '../model/by.ts';
import { MillraceError } from '../model/errors.ts';
import { hashPassword } from '../runtime/password.ts';

const LIST = statement('admin/list-users');
const ADD = statement('admin/add-user');
const CHANGE = statement('admin/change-user');
const REMOVE = statement('admin/remove-user');
const LOCK = statement('admin/lock-users');
const ADMINS = statement('admin/count-admins');
const SET_PASSWORD = statement('admin/set-password');

export interface User {
  id: string;
  /** An e-mail address, or a name; in lower case. */
  email: string;
  name: string | null;
  scopes: string[];
  has_password: boolean;
  created_by: string;
  created_at: Date;
  updated_at: Date;
  last_login_at: Date | null;
  /** How many have not ended. */
  sessions: number;
}

export const subjectOf = ({ email }: Pick<User, 'email'>): string => `user ${email}`;

/** By address. */
export async function listUsers(db: Queryable): Promise<User[]> {
  return (await db.query<User>(LIST, [null])).rows;
}

/** @throws MillraceError not_found. */
export async function showUser(db: Queryable, id: string): Promise<User> {
  const { rows } = await db.query<User>(LIST, [id]);
  if (rows[0]) return rows[0];
  throw new MillraceError('not_found', `there is no user ${id}`);
}

export interface WantedUser {
  email: string;
  name: string | null;
  scopes: readonly string[];
  /** Null: nobody can log in before one is set. */
  password: string | null;
}

/** @throws MillraceError name_taken, invalid. */
export async function createUser(db: Transacting, wanted: WantedUser, by: By): Promise<User> {
  const password = wanted.password === null ? null : await hashPassword(wanted.password);
  return await db.transaction((tx) => addUser(tx, { ...wanted, password }, by));
}

/** `password`: its hash. In a transaction. @throws as `createUser`. */
export async function addUser(tx: Queryable, wanted: WantedUser, by: By): Promise<User> {
  const { email, name, password } = wanted;
  const scopes = [...new Set(wanted.scopes)];
  const { rows } = await tx.query<{ id: string }>(ADD, [email.toLowerCase(), name, password, scopes, actorOf(by)]);
  if (!rows[0]) throw await notAdded(tx, email.toLowerCase());
  const user = await showUser(tx, rows[0].id);
  await recordChange(tx, { action: 'create', subject: subjectOf(user), after: entryOf(user) }, by);
  return user;
}

export interface UserChange {
  email?: string | undefined;
  /** Null: none. */
  name?: string | null | undefined;
  scopes?: readonly string[] | undefined;
}

/** @throws MillraceError not_found, name_taken, last_admin. */
export async function changeUser(db: Transacting, { id, change }: { id: string; change: UserChange }, by: By) {
  return await keepingAnAdmin(db, async (tx) => {
    const before = await showUser(tx, id);
    const { name = before.name, scopes } = change;
    const email = change.email?.toLowerCase();
    const { rows } = await tx.query(CHANGE, [id, email ?? null, name, scopes ? [...new Set(scopes)] : null]);
    if (!rows[0]) throw await notAdded(tx, email ?? before.email);
    const after = await showUser(tx, id);
    const [old, now] = [entryOf(before), entryOf(after)];
    if (JSON.stringify(old) !== JSON.stringify(now))
      await recordChange(tx, { action: 'update', subject: subjectOf(before), before: old, after: now }, by);
    return after;
  });
}

/** With all sessions. @throws MillraceError not_found, last_admin. */
export async function removeUser(db: Transacting, id: string, by: By): Promise<User> {
  return await keepingAnAdmin(db, async (tx) => {
    const user = await showUser(tx, id);
    await tx.query(REMOVE, [id]);
    await recordChange(tx, { action: 'delete', subject: subjectOf(user), before: entryOf(user) }, by);
    return user;
  });
}

/** Ends all sessions but `keepSession`. @throws MillraceError not_found. */
export async function setPassword(
  db: Transacting,
  wanted: { id: string; password: string; keepSession: string | null },
  by: By,
): Promise<User> {
  const password = await hashPassword(wanted.password);
  return await db.transaction(async (tx) => {
    const user = await showUser(tx, wanted.id);
    await tx.query(SET_PASSWORD, [wanted.id, password, wanted.keepSession]);
    await recordChange(tx, { action: 'set_password', subject: subjectOf(user) }, by);
    return await showUser(tx, wanted.id);
  });
}

const entryOf = ({ email, name, scopes }: User) => ({ email, name, scopes });

/** Whoever changes people follows the one before: two may not each take away the other. */
async function keepingAnAdmin<Result>(db: Transacting, work: (tx: Queryable) => Promise<Result>): Promise<Result> {
  return await db.transaction(async (tx) => {
    await tx.query(LOCK);
    const before = await countAdmins(tx);
    const result = await work(tx);
    if (before === 0 || (await countAdmins(tx)) > 0) return result;
    throw new MillraceError('last_admin', 'Nobody would be an admin any more', {
      remedy: 'Give somebody else the scope `admin` first.',
    });
  });
}

const countAdmins = async (tx: Queryable): Promise<number> =>
  (await tx.query<{ admins: number }>(ADMINS)).rows[0]!.admins;

async function notAdded(db: Queryable, email: string): Promise<MillraceError> {
  const taken = (await listUsers(db)).find((user) => user.email === email);
  if (taken === undefined)
    return new MillraceError('invalid', 'There are 1,000 users already', { remedy: 'Remove some first.' });
  return new MillraceError('name_taken', `there is a user ${email} already`, {
    remedy: 'Choose another address, or change that user.',
    facts: { id: taken.id },
  });
}
