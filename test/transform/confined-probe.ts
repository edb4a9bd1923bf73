/** Run like the sandbox process, in its place: tries what that must not be able to do and tells what came of it. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const attempts: Record<string, () => unknown> = {
  readFile: () => readFileSync('/etc/hostname'),
  readSecrets: () => readFileSync('/proc/self/environ'),
  listDirectory: () => readdirSync('/'),
  writeFile: () => writeFileSync('/tmp/millrace-probe', ''),
  spawn: () => execFileSync('/bin/true'),
  worker: () => new Worker('1', { eval: true }),
};
const outcomes: Record<string, string> = {};
for (const [name, attempt] of Object.entries(attempts)) {
  try {
    attempt();
    outcomes[name] = 'done';
  } catch (error) {
    outcomes[name] = (error as { code?: string }).code ?? String(error);
  }
}
process.send?.({ outcomes, environment: process.env });
process.disconnect?.();
