/** Gives a thing that a file made to the API: the file's entry has no say in it any more, until it is taken back. */
import { recordChange } from '../catalog/audit.ts';
import type { Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';

const RELEASE = statement('catalog/release');

const RELEASABLE = ['database', 'function', 'sink', 'change_retention'] as const;

export interface Releasable {
  type: (typeof RELEASABLE)[number];
  name: string;
}

/** @throws MillraceError wrong_state: no file made it, it is released already, or there is none. */
export async function release(db: Transacting, thing: Releasable): Promise<void> {
  if (await move(db, thing, true)) return;
  throw new MillraceError('wrong_state', `there is no ${label(thing)} that a file manages`, {
    remedy: 'See `bin/millrace config export`; what was made without a file, or was released before, is no file’s.',
  });
}

/** Its entry counts again from the next apply on. @throws MillraceError wrong_state: it was not released. */
export async function adopt(db: Transacting, thing: Releasable): Promise<void> {
  if (await move(db, thing, false)) return;
  throw new MillraceError('wrong_state', `there is no ${label(thing)} that was released from a file`, {
    remedy: 'What a file names is its own as soon as that file is applied.',
  });
}

async function move(db: Transacting, thing: Releasable, isReleased: boolean): Promise<boolean> {
  return await db.transaction(async (tx) => {
    const isMoved = (await tx.query(RELEASE, [thing.type, thing.name, isReleased])).rows.length > 0;
    const action = isReleased ? 'release' : 'adopt';
    if (isMoved) await recordChange(tx, { action, subject: `${thing.type} ${thing.name}` });
    return isMoved;
  });
}

const label = ({ type, name }: Releasable): string => `${type.replaceAll('_', ' ')} ${name}`;
