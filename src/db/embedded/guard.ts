/**
 * Stops the embedded server when we die without a word (kill -9): a shell of a few hundred kilobytes whose stdin ends
 * with us. It then gives the roles two seconds to finish, and stops the server only if the pid is still the one in
 * postmaster.pid. Windows has no such shell: a server left over there is stopped by the next start.
 */
import { type ChildProcess, spawn } from 'node:child_process';

export interface Guard {
  /** Ends the guard; the server is left alone. */
  end(): void;
}

const SCRIPT = `cat >/dev/null
[ "$3" = keep ] && sleep 2
[ "$(head -n 1 "$2/data/postmaster.pid" 2>/dev/null)" = "$1" ] && kill -INT "$1"
[ "$3" = keep ] && exit
while kill -0 "$1" 2>/dev/null; do sleep 1; done
rm -rf "$2"`;

/** `after` says what becomes of the folder once the server has stopped. */
export function startGuard(pid: number, dir: string, after: 'keep' | 'remove'): Guard {
  if (process.platform === 'win32') return { end: () => undefined };
  const args = ['-c', SCRIPT, 'millrace-guard', String(pid), dir, after];
  const shell = spawn('/bin/sh', args, { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.on('error', () => undefined);
  return { end: () => endGroup(shell) };
}

/** The whole group, so that its `cat` or `sleep` goes too. */
function endGroup(shell: ChildProcess): void {
  if (shell.pid === undefined || shell.exitCode !== null || shell.signalCode !== null) return;
  try {
    process.kill(-shell.pid, 'SIGKILL');
  } catch {
    // It ended in between.
  }
}
