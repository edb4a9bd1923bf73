/** Somebody sets a password: one's own with the one before, which counts as a login. */
import type { Transacting } from '../db/pool.ts';
import type { By } from '../model/by.ts';
import { MillraceError } from '../model/errors.ts';
import { type Client, checkPassword } from './log-in.ts';
import { setPassword, showUser, type User } from './users.ts';

export interface WantedPassword {
  id: string;
  password: string;
  /** The one before; null: it is somebody else's, and not asked for. */
  current: string | null;
  keepSession: string | null;
}

/** @throws MillraceError not_found; invalid: the one before is wrong; too_many_requests. */
export async function changePassword(
  db: Transacting,
  { current, ...wanted }: WantedPassword,
  { by, client }: { by: By; client: Client },
): Promise<User> {
  if (current !== null) {
    const { email } = await showUser(db, wanted.id);
    if (!(await checkPassword(db, { email, password: current }, client))) {
      throw new MillraceError('invalid', 'Not valid: current_password', {
        faults: [{ field: 'current_password', message: 'is not the password' }],
      });
    }
  }
  return await setPassword(db, wanted, by);
}
