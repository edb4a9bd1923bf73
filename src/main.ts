/** Entry of one role as a process of its own: `all` runs each of its roles so. People start them by `bin/millrace start`. */
import { withoutDebugger } from './runtime/no-debugger.ts';
import { WORDS } from './runtime/role-words.ts';
import { start } from './start.ts';

withoutDebugger();
const word = WORDS.find((one) => one === process.argv[2]);
if (word === undefined) {
  process.stderr.write(`usage: bin/millrace start ${WORDS.join(' | ')}\n`);
  process.exit(1);
}
await start(word);
