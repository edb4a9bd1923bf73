/** Decides which declared people are made: those whose address nobody has. A file changes nobody, and removes nobody. */
import { statement } from '../../db/statement.ts';
import { hashPassword } from '../../runtime/password.ts';
import type { Declared } from '../declare/declaration.ts';
import { Hidden } from '../declare/written.ts';
import type { Decided } from './step.ts';

const ADD = statement('admin/add-user');

export function decideUsers(emails: readonly string[], declared: Declared['users'], decided: Decided): void {
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
        await tx.query(ADD, [email, null, await hashPassword(password), scopes, 'file']);
      },
    });
  }
}
