/**
 * Mocha's root hooks: what tests share is stopped once, after the last of them. With --parallel these hooks run for each
 * file, and a worker does not know which is its last: what it shares ends with it (the guard of each server sees to that).
 */
import { stopSharedCluster } from './postgres.ts';

export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(30_000);
    if (process.env.MOCHA_WORKER_ID === undefined) await stopSharedCluster();
  },
};
