/**
 * What an embedded service must know again on its next start: keys, passwords, ports. Kept in state.json, readable by
 * its owner alone, written whole or not at all. The folder itself may be entered by others: the embedded server runs
 * as another account when we are root, and keeps its data in there.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { MillraceError } from '../model/errors.ts';
import { makeEnterable } from './enterable.ts';
import { secretKeyFault } from './secret-key.ts';

export interface State {
  secretKey: string;
  postgresPassword: string;
  apiToken: string;
  /** Where it listened last; wanted again. */
  httpPort?: number;
  postgresPort?: number;
  /** Where its data were last. */
  postgresDir?: string;
}

/** The databases of the embedded server, and the roles that own them. */
export const MESSAGES = 'millrace';
export const PLAYGROUND = 'playground';
/** By which a declared database is known as the playground. */
export const PLAYGROUND_SLOT = 'millrace_playground';

/** By hand: what runs all roles would load a library for this alone. */
const FITS: Record<keyof State, (value: unknown) => boolean> = {
  secretKey: (value) => typeof value === 'string' && secretKeyFault(value) === undefined,
  postgresPassword: (value) => typeof value === 'string' && value.length >= 1,
  apiToken: (value) => typeof value === 'string' && value.length >= 8,
  httpPort: (value) => value === undefined || Number.isSafeInteger(value),
  postgresPort: (value) => value === undefined || Number.isSafeInteger(value),
  postgresDir: (value) => value === undefined || typeof value === 'string',
};
const FIELDS = ['secretKey', 'postgresPassword', 'apiToken', 'httpPort', 'postgresPort', 'postgresDir'] as const;

/** In the folder of a service. */
export const STATE_FILE = 'state.json';

/** Reads the state; undefined when there is none. @throws MillraceError bad_setting when the file is not ours. */
export async function readState(dir: string): Promise<State | undefined> {
  const file = path.join(dir, STATE_FILE);
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new MillraceError('bad_setting', `${file} cannot be read (${error.code})`, {
      remedy: 'Start as the account that made it, or in another folder.',
    });
  });
  if (text === undefined) return undefined;
  const state = parseJson(text);
  if (isState(state)) return state;
  const wrong = isRecord(state) ? FIELDS.filter((field) => !FITS[field](state[field])) : [];
  const fields = wrong.join(', ') || 'the file';
  throw new MillraceError('bad_setting', `${file} is damaged: ${fields}`, {
    remedy: `Bring it back from a copy, or remove ${dir} to start from scratch (its databases are lost).`,
  });
}

/** Of a role of the embedded server that is no superuser; nobody learns the superuser's from it. */
export const passwordOf = ({ postgresPassword }: State, role: string): string =>
  createHmac('sha256', postgresPassword).update(`role ${role}`).digest('base64url');

/** Reads the state, or makes and keeps a new one. `random`: n bytes. @throws MillraceError bad_setting. */
export async function openState(dir: string, random: (size: number) => Buffer = randomBytes): Promise<State> {
  await makeEnterable(dir).catch(unwritable(dir));
  const found = await readState(dir);
  if (found !== undefined) return found;
  const state: State = {
    secretKey: random(32).toString('base64url'),
    postgresPassword: random(18).toString('base64url'),
    apiToken: `mr_${random(24).toString('base64url')}`,
  };
  await writeState(dir, state);
  return state;
}

/** The keys of a service with the embedded server: the kept one, or one that is given, and then the kept one opens too. */
export function withKept(
  { secretKey, previousKeys }: { secretKey: string | null; previousKeys: string[] },
  kept: string,
): { secretKey: string; previousKeys: string[] } {
  return secretKey === null ? { secretKey: kept, previousKeys } : { secretKey, previousKeys: [...previousKeys, kept] };
}

export async function writeState(dir: string, state: State): Promise<void> {
  await writePrivate(path.join(dir, STATE_FILE), `${JSON.stringify(state, undefined, 2)}\n`);
}

/** A file for its owner alone, whole or not at all. @throws MillraceError bad_setting. */
export async function writePrivate(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  try {
    await writeFile(fresh, text, { mode: 0o600, flush: true });
    await chmod(fresh, 0o600);
    await rename(fresh, file);
  } catch (error) {
    unwritable(file)(error as NodeJS.ErrnoException);
  }
}

const unwritable =
  (file: string) =>
  ({ code }: NodeJS.ErrnoException): never => {
    throw new MillraceError('bad_setting', `${file} cannot be written (${code})`, {
      remedy: 'Start in a folder where there is room and that you may write to, or set DATABASE_URL.',
    });
  };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function isState(value: unknown): value is State {
  return isRecord(value) && FIELDS.every((field) => FITS[field](value[field]));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
