/**
 * One role as a child process, and as a Service of its parent: a crash stays in its role and is answered by a new
 * process. The child is told to stop by closing its channel, which also happens when we die without a word; what has not
 * ended after the grace is killed, so that nothing is left running.
 */
import { type ChildProcess, fork } from 'node:child_process';
import type { Service } from './service.ts';

export interface RoleProcessOptions {
  /** The module to run; the role is its argument. */
  entry: string;
  env: NodeJS.ProcessEnv;
  /** Milliseconds from the word to the kill. */
  graceMs: number;
  /** Hears the pid of each new process. */
  onStart?: (pid: number) => void;
}

/**
 * Of the young generation a quarter of what V8 takes on a large machine: messages are young garbage by the megabyte, and with
 * 16 MB a worker under load comes to 240 to 257 MB, with 8 MB to 170. It costs the roles 1 % of CPU in a drain, if anything. And
 * no debugger for whoever sends a signal.
 */
export const ROLE_FLAGS: readonly string[] = ['--max-semi-space-size=8', '--disable-sigusr1'];

export function roleProcess(role: string, options: RoleProcessOptions): Service {
  return {
    name: role,
    async run(signal) {
      const ending = await runToEnd(role, options, signal);
      if (!signal.aborted) throw new Error(`the role ${role} ended by itself (${ending})`);
    },
    close: async () => undefined,
  };
}

/** How a process of this role ended: `code 0`, or by which signal. Told to stop by ours. */
export async function runToEnd(role: string, options: RoleProcessOptions, signal: AbortSignal): Promise<string> {
  if (signal.aborted) return 'not started';
  const child = fork(options.entry, [role], {
    env: options.env,
    execArgv: [...process.execArgv, ...ROLE_FLAGS],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  if (child.pid !== undefined) options.onStart?.(child.pid);
  const stop = (): void => endChild(child, options.graceMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await ended(child);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function endChild(child: ChildProcess, graceMs: number): void {
  if (child.connected) child.disconnect();
  const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  child.once('exit', () => clearTimeout(timer));
}

async function ended(child: ChildProcess): Promise<string> {
  return await new Promise((resolve, reject) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    child.once('error', (error) => {
      // A failed kill or send is no end; a process that never came to life is.
      if (child.pid === undefined) reject(error);
    });
  });
}
