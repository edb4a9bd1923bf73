/** Run in the sandbox process's place without Node's permission model, as if code had got past it: what else is in its way? */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { leaveRoot } from '../../src/transform/process/leave-root.ts';

const account = Number(process.argv[2]);
if (account > 0) leaveRoot(account);
const parent = process.ppid;
const attempts: Record<string, () => unknown> = {
  signal: () => process.kill(parent, 'SIGUSR1'),
  environment: () => readFileSync(`/proc/${parent}/environ`),
  memory: () => closeSync(openSync(`/proc/${parent}/mem`, 'r')),
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
outcomes.network = await new Promise<string>((resolve) => {
  const socket = connect({ host: '127.0.0.1', port: Number(process.argv[3]) }, () => resolve('done'));
  socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
});
const status = readFileSync('/proc/self/status', 'utf8');
outcomes.noNewPrivileges = /^NoNewPrivs:\s+(\d)/m.exec(status)?.[1] ?? '';
outcomes.cores = /^Max core file size\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? '';
process.send?.(outcomes);
process.disconnect?.();
