/** Entry of the command `millrace`. */
import { runProgram } from './cli/program.ts';
import { withoutDebugger } from './runtime/no-debugger.ts';
import { start, WORDS } from './start.ts';

withoutDebugger();
await runProgram({ words: WORDS, start }, process.argv);
