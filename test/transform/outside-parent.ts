/** A parent for outside-probe.ts, to be run as root or as another account; tells what came of it, and of itself. */
import { fork } from 'node:child_process';
import inspector from 'node:inspector';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { withoutDebugger } from '../../src/runtime/no-debugger.ts';
import { confinement } from '../../src/transform/confinement.ts';
import { wrapped } from '../../src/transform/start-process.ts';

withoutDebugger();
const server = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1', () => {
  const { wrap, account } = confinement();
  const { port } = server.address() as { port: number };
  const probe = fileURLToPath(new URL('./outside-probe.ts', import.meta.url));
  const child = fork(probe, [String(account ?? ''), String(port)], {
    env: {},
    cwd: '/',
    ...wrapped(['--no-warnings'], wrap),
  });
  child.once('message', (outcomes) => {
    process.send?.({ wrap, account, outcomes, debugger: inspector.url() ?? null });
    process.disconnect?.();
    server.close();
  });
});
