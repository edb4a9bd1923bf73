/**
 * Mocha's root hooks: what tests share is stopped once, after the last of them. With --parallel these hooks run for each
 * file, and a worker does not know which is its last: what it shares ends with it (the guard of each server sees to that).
 */
import { fileURLToPath } from 'node:url';
import { stopSharedCluster } from './postgres/postgres.ts';

// Tests start hundreds of services and commands: they compile the same files once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));

export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(120_000);
    if (process.env.MOCHA_WORKER_ID === undefined) await stopSharedCluster();
  },
};
