/** A function deleted by a request, in one transaction; never one that a sink uses. */
import { statement } from '../../db/statement.ts';
import { MillraceError } from '../../model/errors.ts';
import { recordChange } from '../audit.ts';
import type { ApplyDeps } from './apply.ts';
import { findThing, refuseChange, type ThingRef } from './change-thing.ts';
import { readCurrent } from './current.ts';
import { usesOf } from './function-uses.ts';
import { entryOf } from './stored.ts';
import { type ChangeOptions, changeCatalog } from './transaction.ts';

const REMOVE = statement('catalog/remove-function');
const PUBLISH = statement('catalog/publish');

/** @throws MillraceError not_found, managed_by_file, version_conflict, in_use; unavailable when locks could not be had. */
export async function deleteFunction(
  { db, keys }: ApplyDeps,
  ref: ThingRef & { type: 'function' },
  options: ChangeOptions = {},
): Promise<{ id: string; name: string }> {
  return await changeCatalog(
    db,
    async (tx) => {
      const current = await readCurrent(tx);
      const row = findThing(current, ref);
      refuseChange(row, ref);
      const { id, name } = row;
      const users = [...new Set(usesOf(current.sinks, name).map(({ sink }) => sink))];
      if (users.length > 0) throw inUse(name, users);
      const before = entryOf(current, name, { type: 'function', keys });
      await tx.query(REMOVE, [name]);
      await tx.query(PUBLISH);
      await recordChange(tx, { action: 'delete', subject: `function ${name}`, before });
      return { id, name };
    },
    options,
  );
}

function inUse(name: string, users: readonly string[]): MillraceError {
  const remedy = `Name another function there, or none: ${users.join(', ')}.`;
  return new MillraceError('in_use', `function ${name} is used by ${users.join(', ')}`, {
    remedy,
    facts: { used_by: users },
  });
}
