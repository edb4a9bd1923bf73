/** `millrace ...` as a process: what it prints, how it ends, and Ctrl-C in between. */
import { type ChildProcess, spawn } from 'node:child_process';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { until } from '../until.ts';
import { cleanEnvironment, SECRET_KEY } from './service.ts';

const CLI = fileURLToPath(new URL('../../../src/cli.ts', import.meta.url));

export interface RunningCommand {
  /** Everything printed so far, on both outputs. */
  output(): string;
  /** Ctrl-C. */
  interrupt(): void;
  /** SIGTERM. */
  terminate(): void;
  /** SIGKILL; `ended` says when it is gone. */
  kill(): void;
  type(text: string): void;
  ended(deadlineMs?: number): Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** Starts it in a folder of its own, so that there is no embedded server. */
export function startCli(args: readonly string[], env: NodeJS.ProcessEnv = {}): RunningCommand {
  const child: ChildProcess = spawn(process.execPath, [CLI, ...args], {
    cwd: os.tmpdir(),
    env: { ...cleanEnvironment(), SECRET_KEY, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => (texts.stdout += chunk));
  child.stderr?.on('data', (chunk) => (texts.stderr += chunk));
  let code: number | null | undefined;
  child.once('close', (ended) => {
    code = ended;
  });
  return {
    output: () => texts.stdout + texts.stderr,
    interrupt: () => void child.kill('SIGINT'),
    terminate: () => void child.kill('SIGTERM'),
    kill: () => void child.kill('SIGKILL'),
    type: (text) => void child.stdin?.end(text),
    async ended(deadlineMs = 20_000) {
      try {
        await until(`\`millrace ${args.join(' ')}\` ends`, () => code !== undefined, deadlineMs);
      } catch (error) {
        child.kill('SIGKILL');
        throw new Error(`${String(error)}\n${texts.stdout}${texts.stderr}`);
      }
      return { code: code ?? null, ...texts };
    },
  };
}

/** Runs it to its end. */
export async function runCli(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return await startCli(args, env).ended();
}
