/** Begins to capture a database again after a gap, and sends nothing of what was missed. */
import type { Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import { showDatabase } from './list-databases.ts';

const ACCEPT = statement('admin/accept-gap');

/**
 * The new epoch. `force`: also where nothing is known to be missing, as after an upgrade of the source.
 * @throws MillraceError not_found, wrong_state.
 */
export async function acceptGap(db: Transacting, ref: string, { force }: { force: boolean }): Promise<number> {
  const { name, state } = await showDatabase(db, ref);
  if (state === null) throw new MillraceError('wrong_state', `no sink reads from database ${name}`);
  if (state !== 'needs_resync' && !force) {
    throw new MillraceError('wrong_state', `database ${name} has no gap to accept: it is ${state}`, {
      remedy: 'To begin a new epoch all the same, send `force`.',
      facts: { state },
    });
  }
  return (await db.query<{ epoch: number }>(ACCEPT, [name])).rows[0]!.epoch;
}
