/**
 * A server that outlived us (kill -9) still holds its data folder. It is stopped before a new one starts, but only when
 * the process behind postmaster.pid is proven to be this folder's server: a reused pid is never signalled, and a server
 * whose parent is alive belongs to another running service, which is an error that names it.
 */
import { execFile } from 'node:child_process';
import { readFile, readlink, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { MillraceError } from '../../model/errors.ts';

export interface PidFile {
  pid: number;
  port: number | undefined;
  ready: boolean;
}

/** The lines of postmaster.pid that matter: pid, port (4th), state (8th). */
export function parsePidFile(text: string): PidFile | undefined {
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  const port = Number(lines[3]);
  return { pid, port: Number.isInteger(port) && port > 0 ? port : undefined, ready: lines[7] === 'ready' };
}

export async function readPidFile(data: string): Promise<PidFile | undefined> {
  const text = await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parsePidFile(text);
}

/** What a server is told of the process that starts it: a setting of its command line, which nobody else can change. */
export const OWNER = 'millrace.owner';

/**
 * Leaves the data folder without a server.
 * @throws MillraceError bad_setting when a living service uses the folder, or the server does not stop.
 */
export async function stopOrphan(data: string, options: { deadlineMs: number }): Promise<boolean> {
  const found = await readPidFile(data);
  // The file of a process that is gone is Postgres' own affair: another start may be making a new one right now.
  if (found === undefined || !isAlive(found.pid)) return false;
  if (!(await isServerOf(found.pid, data))) {
    // Postgres itself would refuse to start if the pid now belongs to some other process of the same account.
    await rm(path.join(data, 'postmaster.pid'), { force: true });
    return false;
  }
  const owner = await ownerOf(found.pid);
  if (owner > 0 && (await parentOf(found.pid)) === owner) {
    throw new MillraceError('bad_setting', `Another Millrace (process ${owner}) already runs on ${data}`, {
      remedy: 'Stop it first, or start this one in another folder.',
    });
  }
  for (const signal of ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const) {
    kill(found.pid, signal);
    if (await gone(found.pid, data, options.deadlineMs)) return true;
  }
  throw new MillraceError('bad_setting', `The server left over on ${data} (process ${found.pid}) does not stop`);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended in between.
  }
}

/** A process that ended but that nobody has collected still has a pid; it has no working directory any more. */
async function gone(pid: number, data: string, deadlineMs: number): Promise<boolean> {
  const until = Date.now() + deadlineMs;
  while (isAlive(pid) && (await isServerOf(pid, data))) {
    if (Date.now() > until) return false;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return true;
}

/** The postmaster changes into its data folder, so its working directory proves whose server it is. */
async function isServerOf(pid: number, data: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
    return cwd === data;
  }
  const command = await commandOf(pid);
  return command.includes('postgres') && command.includes(data);
}

/** Who started the server of this pid; 0: nobody of ours. */
async function ownerOf(pid: number): Promise<number> {
  return Number(new RegExp(`${OWNER}=(\\d+)`).exec(await commandOf(pid))?.[1] ?? 0);
}

async function commandOf(pid: number): Promise<string> {
  if (process.platform !== 'linux') return await ps(pid, 'command');
  return await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
}

async function parentOf(pid: number): Promise<number> {
  if (process.platform !== 'linux') return Number(await ps(pid, 'ppid'));
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The second field, the name in brackets, may hold spaces: count from its closing bracket.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}

async function ps(pid: number, column: string): Promise<string> {
  const ran = promisify(execFile)('ps', ['-o', `${column}=`, '-p', String(pid)]);
  return await ran.then((done) => done.stdout.trim()).catch(() => '');
}
