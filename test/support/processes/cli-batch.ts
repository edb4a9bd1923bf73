/**
 * Many commands one after the other in one process: starting one takes longer than what most do. Each is what somebody types,
 * with its outputs, its exit code and what it reads; the process stays.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Call, Called } from './cli-batch-child.ts';
import { cleanEnvironment, SECRET_KEY } from './service.ts';

const CHILD = fileURLToPath(new URL('./cli-batch-child.ts', import.meta.url));

export interface CliBatch {
  call(words: readonly string[], typed?: string): Promise<Called>;
  close(): void;
}

/** In this folder. */
export function openCliBatch(cwd: string, env: NodeJS.ProcessEnv): CliBatch {
  const child = fork(CHILD, [], {
    ...{ cwd, env: { ...cleanEnvironment(), SECRET_KEY, ...env }, execArgv: [] },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  return {
    async call(words, typed = '') {
      child.send({ words: [...words], typed } satisfies Call);
      const [called] = await once(child, 'message');
      return called as Called;
    },
    close: () => void child.kill('SIGKILL'),
  };
}
