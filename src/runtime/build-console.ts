/** Brings the built console up to date in a clone: a process of its own, because a build loads what no role needs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const BUILDER = fileURLToPath(new URL('../console/build.mjs', import.meta.url));

/** Never fails: without a console the API works, and the builder says in a line what is missing. */
export async function buildConsole(signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [BUILDER, '--if-possible'], {
    stdio: ['ignore', 'inherit', 'inherit'],
    signal,
  });
  child.on('error', () => undefined);
  await once(child, 'close').catch(() => undefined);
}
