/**
 * Makes the data folder of an embedded server: UTF8, C.UTF-8, passwords only. It is made under another name and renamed
 * when complete, so that a kill in the middle leaves nothing that looks like a server.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { MillraceError } from '../../model/errors.ts';
import { type Account, giveTo, runAs } from './account.ts';
import type { Place } from './place.ts';

/** The second is Postgres' own C.UTF-8, for platforms whose C library has none; the third is for releases before 17. */
const LOCALES = [
  ['--locale=C.UTF-8'],
  ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
  ['--locale=C'],
];

/** Makes `data` in the place's folder. @throws MillraceError bad_setting with the last lines of initdb, or if somebody else has just made it. */
export async function initialise(
  account: Account,
  place: Place,
  options: { password: string; sync: boolean },
): Promise<void> {
  const fresh = path.join(place.dir, `data.new-${process.pid}`);
  const secret = path.join(place.dir, `.password-${randomUUID()}`);
  try {
    await writeFile(secret, `${options.password}\n`, { mode: 0o600 });
    await giveTo(account, secret);
    const args = ['-D', fresh, '-U', 'postgres', `--pwfile=${secret}`, '--auth=scram-sha-256', '-E', 'UTF8'];
    args.push('--no-instructions', ...(options.sync ? [] : ['--no-sync']));
    let output = '';
    for (const locale of LOCALES) {
      await rm(fresh, { recursive: true, force: true });
      await mkdir(fresh, { mode: 0o700 });
      await giveTo(account, fresh);
      const ran = await runAs(account, { file: path.join(place.bin, 'initdb'), args: [...args, ...locale] });
      if (ran.code === 0) return await rename(fresh, path.join(place.dir, 'data')).catch(refuseOther);
      output = ran.output;
      if (!/locale/.test(output)) break;
    }
    throw new MillraceError(
      'bad_setting',
      `The embedded Postgres could not make its data folder:\n${lastLines(output)}`,
    );
  } finally {
    await rm(secret, { force: true });
    await rm(fresh, { recursive: true, force: true });
  }
}

/** Two that start at the same moment both find no data folder. */
function refuseOther(error: NodeJS.ErrnoException): never {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  throw new MillraceError('bad_setting', 'Another Millrace was started in this folder at the same moment', {
    remedy: 'Use that one, or start this one in another folder.',
  });
}

export function lastLines(text: string): string {
  return text.trim().split('\n').slice(-12).join('\n');
}
