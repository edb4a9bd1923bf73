/**
 * What an embedded service must know again on its next start: keys, passwords, ports. Kept in state.json, readable by
 * its owner alone, written whole or not at all. The folder itself may be entered by others: the embedded server runs
 * as another account when we are root, and keeps its data in there.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { MillraceError } from '../model/errors.ts';
import { secretKeyFault } from './secret-key.ts';

const State = z.object({
  secretKey: z.string().refine((text) => secretKeyFault(text) === undefined, 'must be a key that cannot be guessed'),
  postgresPassword: z.string().min(1),
  apiToken: z.string().min(8),
  /** Where it listened last; wanted again. */
  httpPort: z.number().int().optional(),
  postgresPort: z.number().int().optional(),
});
export type State = z.infer<typeof State>;

/** The databases of the embedded server, and the roles that own them. */
export const MESSAGES = 'millrace';
export const PLAYGROUND = 'playground';
/** By which a declared database is known as the playground. */
export const PLAYGROUND_SLOT = 'millrace_playground';

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
  const parsed = State.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => issue.path.join('.') || 'the file').join(', ');
  throw new MillraceError('bad_setting', `${file} is damaged: ${fields}`, {
    remedy: `Bring it back from a copy, or remove ${dir} to start from scratch (its databases are lost).`,
  });
}

/** Of a role of the embedded server that is no superuser; nobody learns the superuser's from it. */
export const passwordOf = ({ postgresPassword }: State, role: string): string =>
  createHmac('sha256', postgresPassword).update(`role ${role}`).digest('base64url');

/** Reads the state, or makes and keeps a new one. `random`: n bytes. */
export async function openState(dir: string, random: (size: number) => Buffer = randomBytes): Promise<State> {
  await mkdir(dir, { recursive: true, mode: 0o755 });
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

/** A file for its owner alone, whole or not at all. */
export async function writePrivate(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  await writeFile(fresh, text, { mode: 0o600, flush: true });
  await chmod(fresh, 0o600);
  await rename(fresh, file);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
