/** A role for tests of the process model; writes what happens to it into the file $NOTES. */
import { appendFileSync } from 'node:fs';
import { stopSignal } from '../../../src/runtime/stop-signal.ts';

const note = (text: string): void => appendFileSync(process.env.NOTES ?? '', `${text}\n`);
const role = process.argv[2];
const stop = stopSignal(process);
stop.failsafe(role === 'slow' ? 200 : 5_000);
stop.signal.addEventListener('abort', () => {
  note('told');
  if (role === 'slow') return;
  if (role === 'blocked') for (;;);
  process.exit(0);
});
process.on('exit', (code) => note(`exit ${code}`));
note(`start ${process.pid}`);
if (role === 'crash') process.exit(1);
setInterval(() => undefined, 1_000);
