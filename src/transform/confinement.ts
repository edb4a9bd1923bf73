/**
 * What stands around the sandbox process beside Node's permission model, as far as the machine offers it: if code ever breaks out of its
 * isolate and past Node, it should find a process that can do little. Programs of the distribution, each tried once, and
 * left out where it is missing or not allowed:
 * - `unshare --net`: no network. Without root also a user namespace, from which memory and environment of other processes
 *   of the account cannot be read. (It does not keep it from sending them signals: only another account does.)
 * - `setpriv --no-new-privs`: no way to more rights by a setuid program.
 * - `prlimit --core=0`: no rows in a core dump.
 * When we are root, the process becomes an account of its own once it has loaded its files (leave-root.ts).
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface Confinement {
  /** Program and arguments that stand in front of Node's; empty where there is none. */
  wrap: readonly string[];
  /** User and group that it becomes; undefined: it stays what we are. */
  account: number | undefined;
}

interface Layer {
  program: string;
  args: readonly string[];
}

const PLACES = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'];
/** Nobody's, on any system that we know; the account of the embedded server is another one. */
const FIRST_ACCOUNT = 64_207;
const PROBE_MS = 5_000;

/** In this order around each other; of each the first that works. */
function layers(isRoot: boolean): Layer[][] {
  const net = { program: 'unshare', args: ['--net'] };
  const user = { program: 'unshare', args: ['--user'] };
  const both = { program: 'unshare', args: ['--user', '--net'] };
  return [
    isRoot ? [net] : [both, user],
    [{ program: 'setpriv', args: ['--no-new-privs'] }],
    [{ program: 'prlimit', args: ['--core=0'] }],
  ];
}

let known: Confinement | undefined;

/** Looked for once in the life of a process. */
export function confinement(): Confinement {
  known ??= look();
  return known;
}

/** The process did not come to life in what was found: from now on without. */
export function withoutLayers(): void {
  known = { wrap: [], account: known?.account };
}

function look(): Confinement {
  const isRoot = process.getuid?.() === 0;
  const account = isRoot ? freeId([textOf('/etc/passwd'), textOf('/etc/group')], FIRST_ACCOUNT) : undefined;
  if (process.platform !== 'linux') return { wrap: [], account };
  const wrap: string[] = [];
  for (const choices of layers(isRoot)) {
    for (const { program, args } of choices) {
      const file = PLACES.map((place) => path.join(place, program)).find((one) => existsSync(one));
      if (file === undefined || !works([...wrap, file, ...args, '--'])) continue;
      wrap.push(file, ...args, '--');
      break;
    }
  }
  return { wrap, account };
}

/** Can Node be started by way of it? */
function works([file, ...args]: readonly string[]): boolean {
  const options = { cwd: '/', env: {}, stdio: 'ignore', timeout: PROBE_MS, killSignal: 'SIGKILL' } as const;
  return spawnSync(file!, [...args, process.execPath, '--version'], options).status === 0;
}

/** The first id from `from` on that no line of /etc/passwd or /etc/group has, as user or group. */
export function freeId(texts: readonly string[], from: number): number {
  const taken = new Set(texts.flatMap((text) => text.split('\n').flatMap((line) => line.split(':').slice(2, 4))));
  let id = from;
  while (taken.has(String(id))) id += 1;
  return id;
}

function textOf(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
