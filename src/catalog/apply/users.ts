/** Decides which declared people are made: those whose address nobody has. A file changes nobody, and removes nobody. */
import type { Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { hashPassword } from '../../runtime/password.ts';
import type { Declared } from '../declare/declaration.ts';
import { Hidden } from '../declare/written.ts';
import type { Decided } from './step.ts';

const EMAILS = statement('catalog/list-emails');
const ADD = statement('admin/add-user');

/** Each takes some 40 ms and 19 MiB: nobody is to wait for the catalog meanwhile. */
export async function hashPasswords(db: Queryable, declared: Declared['users']): Promise<ReadonlyMap<string, string>> {
  if (declared === undefined) return new Map();
  const known = new Set((await db.query<{ email: string }>(EMAILS)).rows.map(({ email }) => email));
  const hashes = new Map<string, string>();
  for (const { email, password } of declared)
    if (!known.has(email) && !hashes.has(email)) hashes.set(email, await hashPassword(password));
  return hashes;
}

export function decideUsers(
  emails: readonly string[],
  declared: Declared['users'],
  { hashes, decided }: { hashes: ReadonlyMap<string, string>; decided: Decided },
): void {
  const known = new Set(emails);
  for (const { email, password, scopes } of declared ?? []) {
    if (known.has(email)) continue;
    known.add(email);
    decided.steps.push({
      type: 'user',
      name: email,
      action: 'create',
      old: null,
      new: { email, password: new Hidden(password), scopes },
      async write(tx) {
        await tx.query(ADD, [email, null, hashes.get(email) ?? (await hashPassword(password)), scopes, 'file']);
      },
    });
  }
}
