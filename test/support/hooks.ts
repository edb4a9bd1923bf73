/** Mocha's root hooks: what tests share is stopped once, after the last of them. */
import { stopSharedCluster } from './postgres.ts';

export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(30_000);
    await stopSharedCluster();
  },
};
