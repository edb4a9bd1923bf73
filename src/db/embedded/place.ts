/**
 * Decides where the embedded server's data and programs live: in the project's own folder, or, when the server's
 * account cannot get there (root's project under a 0700 folder), in a folder named after the project that it can reach.
 * /var/lib comes first, because /var/tmp is swept of old files. A folder there that somebody else made is refused:
 * the name can be guessed, and its programs would be run.
 */
import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, realpath, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { MillraceError } from '../../model/errors.ts';
import { makeEnterable } from '../../runtime/enterable.ts';
import { type Account, canEnter } from './account.ts';
import { copyNative, installedNative, repairNative, runnableVersion } from './binaries.ts';

export interface Place {
  /** Holds data/, server.log and, when copied, native/. */
  dir: string;
  bin: string;
  /** True when it is not the folder that was asked for. */
  moved: boolean;
}

/**
 * Where there are data already, whoever may enter which folder by now. `bin`: use these programs instead of the embedded ones.
 * @throws MillraceError bad_setting
 */
export async function choosePlace(account: Account, dir: string, options: { bin?: string }): Promise<Place> {
  await makeEnterable(dir);
  const wanted = await realpath(dir);
  const candidates = PARENTS.map((parent) => path.join(parent, fallbackName(wanted)));
  const isReached = await canEnter(account, wanted);
  const used = await firstUsed(account, candidates);
  if (isReached && (used === undefined || (await hasData(wanted))))
    return await withPrograms(account, { dir: wanted, moved: false }, options);
  if (used === undefined && (await hasData(wanted)))
    throw new MillraceError(
      'bad_setting',
      `The data of the embedded Postgres are in ${wanted}, which its account cannot reach any more`,
      { remedy: 'Let other users enter that folder and those above it (chmod o+x), as before.' },
    );
  for (const candidate of used === undefined ? candidates : [used]) {
    if (!(await makeOwn(candidate))) continue;
    if (await canEnter(account, candidate)) {
      return await withPrograms(account, { dir: await realpath(candidate), moved: true }, options);
    }
  }
  throw new MillraceError(
    'bad_setting',
    `The account that runs the embedded Postgres can reach neither ${wanted} nor /var/tmp`,
    {
      remedy: 'Start it in a folder that other users may enter, or set DATABASE_URL.',
    },
  );
}

const PARENTS = ['/var/lib', '/var/tmp', os.tmpdir()];

export async function hasData(dir: string): Promise<boolean> {
  return (await stat(path.join(dir, 'data', 'PG_VERSION')).catch(() => undefined)) !== undefined;
}

/** Of folders that only root's projects have: one of ours that has data. */
async function firstUsed({ uid }: Account, candidates: readonly string[]): Promise<string | undefined> {
  if (uid === undefined) return undefined;
  for (const candidate of candidates) {
    const there = await lstat(candidate).catch(() => undefined);
    if (there !== undefined && isOwn(there) && (await hasData(candidate))) return candidate;
  }
  return undefined;
}

const isOwn = (there: Stats): boolean =>
  there.isDirectory() && there.uid === process.getuid?.() && (there.mode & 0o022) === 0;

/** The same project gets the same folder on each start. */
export function fallbackName(dir: string): string {
  return `millrace-${createHash('sha256').update(dir).digest('hex').slice(0, 12)}`;
}

async function makeOwn(folder: string): Promise<boolean> {
  try {
    await mkdir(folder);
    await chmod(folder, 0o755);
    return true;
  } catch {
    const there = await lstat(folder).catch(() => undefined);
    if (there === undefined) return false;
    if (isOwn(there)) {
      // As a start with another umask has made it.
      await chmod(folder, 0o755);
      return true;
    }
    throw new MillraceError('bad_setting', `${folder} exists, but was not made by this account`, {
      remedy: 'Remove it, or start in a folder that other users may enter.',
    });
  }
}

async function withPrograms(account: Account, place: Omit<Place, 'bin'>, options: { bin?: string }): Promise<Place> {
  if (options.bin !== undefined) return { ...place, bin: options.bin };
  const native = installedNative();
  await repairNative(native);
  const installed = path.join(native, 'bin');
  if ((await runnableVersion(account, installed)) !== undefined) return { ...place, bin: installed };
  const copy = path.join(place.dir, 'native');
  if (!(await sameBuild(native, copy))) {
    await copyNative(native, copy);
    await repairNative(copy);
  }
  const bin = path.join(copy, 'bin');
  if ((await runnableVersion(account, bin)) !== undefined) return { ...place, bin };
  throw new MillraceError('bad_setting', `The embedded Postgres does not run on this machine (${bin})`, {
    remedy: 'Set DATABASE_URL to a Postgres of your own.',
  });
}

async function sameBuild(native: string, copy: string): Promise<boolean> {
  const [a, b] = await Promise.all(
    [native, copy].map((folder) => stat(path.join(folder, 'bin', 'postgres')).catch(() => undefined)),
  );
  return a !== undefined && b !== undefined && a.size === b.size && b.mtimeMs >= a.mtimeMs;
}
