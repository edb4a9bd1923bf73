/**
 * Mocha's root hooks: what tests share is stopped once, after the last of them. With --parallel these hooks run for each
 * file, and a worker does not know which is its last: what it shares ends with it (the guard of each server sees to that).
 */
import { fileURLToPath } from 'node:url';
import Mocha from 'mocha';
import { stopSharedCluster } from './postgres/postgres.ts';

// Tests start hundreds of services and commands: they compile the same files once.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../../node_modules/.cache/node', import.meta.url));

/** What tests wait for has a deadline of its own; a test as a whole is ended by this alone, however slow the machine is. */
const LEAST_TIMEOUT_MS = 300_000;

for (const { prototype } of [Mocha.Suite, Mocha.Runnable]) {
  const own: (...args: number[]) => unknown = prototype.timeout;
  function timeout(this: unknown, ...args: number[]): unknown {
    return Reflect.apply(
      own,
      this,
      args.map((ms) => Math.max(ms, LEAST_TIMEOUT_MS)),
    );
  }
  Object.assign(prototype, { timeout });
}

export const mochaHooks = {
  async afterAll(this: Mocha.Context): Promise<void> {
    this.timeout(120_000);
    if (process.env.MOCHA_WORKER_ID === undefined) await stopSharedCluster();
  },
};
