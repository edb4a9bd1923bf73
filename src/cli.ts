/** Entry of the command `millrace`. */
import { runProgram } from './cli/program.ts';
import { withoutDebugger } from './runtime/no-debugger.ts';
import { WORDS, type Word } from './runtime/role-words.ts';

withoutDebugger();
// Imported for a role alone: commands of operators run none of its parts.
const start = async (word: Word): Promise<never> => await (await import('./start.ts')).start(word);
await runProgram({ words: WORDS, start }, process.argv);
