/**
 * Postgres refuses to run as root. When we are root, its programs run as an unprivileged account: `postgres` where the
 * machine has one, else `nobody`. Whether that account can use a folder is asked of the kernel by a process that runs
 * as the account, not worked out from mode bits, so that access lists and mounts count too.
 */
import { spawn } from 'node:child_process';
import { chown, readFile } from 'node:fs/promises';

/** The account that the server's programs run as; empty when that is simply our own. */
export interface Account {
  uid?: number;
  gid?: number;
}

export interface Ran {
  code: number | null;
  output: string;
}

/** Our own account, or an unprivileged one when we are root. */
export async function serverAccount(): Promise<Account> {
  if (process.getuid?.() !== 0) return {};
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  return accountOf(passwd, 'postgres') ?? accountOf(passwd, 'nobody') ?? { uid: 65534, gid: 65534 };
}

/** The ids of a name in the text of /etc/passwd; never root's, whatever the file says. */
export function accountOf(passwd: string, name: string): { uid: number; gid: number } | undefined {
  const fields = passwd
    .split('\n')
    .map((line) => line.split(':'))
    .find((parts) => parts[0] === name);
  if (fields === undefined) return undefined;
  // macOS writes nobody as -2.
  const [uid, gid] = [Number(fields[2]) >>> 0, Number(fields[3]) >>> 0];
  return uid === 0 ? undefined : { uid, gid };
}

/** Runs a program as the account to its end; a program that cannot be started has code null and the reason as output. */
export async function runAs(
  account: Account,
  program: { file: string; args: string[] },
  options: { deadlineMs?: number } = {},
): Promise<Ran> {
  return await new Promise((resolve) => {
    const child = spawn(program.file, program.args, {
      ...account,
      cwd: '/',
      detached: true,
      env: plainEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: options.deadlineMs ?? 120_000,
      killSignal: 'SIGKILL',
    });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-20_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** True when the account may enter the folder. */
export async function canEnter(account: Account, folder: string): Promise<boolean> {
  if (account.uid === undefined) return true;
  const ran = await runAs(account, { file: '/bin/sh', args: ['-c', 'cd "$1"', 'sh', folder] });
  return ran.code === 0;
}

export async function giveTo(account: Account, path: string): Promise<void> {
  if (account.uid !== undefined && account.gid !== undefined) await chown(path, account.uid, account.gid);
}

/** Nothing of ours reaches the server: no PG* variables, no secrets, no locale but C. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const kept: NodeJS.ProcessEnv = { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH };
  if (process.platform === 'win32') Object.assign(kept, { SystemRoot: process.env.SystemRoot, TEMP: process.env.TEMP });
  return kept;
}
