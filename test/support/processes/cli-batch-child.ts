/** The process of `cli-batch.ts`. */
import { Readable } from 'node:stream';
import { runProgram } from '../../../src/cli/program.ts';

export interface Call {
  words: string[];
  /** On the standard input, which is no terminal. */
  typed: string;
}

export interface Called {
  code: number;
  stdout: string;
  stderr: string;
}

const roles = { words: ['all'], start: () => Promise.reject(new Error('no role is started here')) };

process.setMaxListeners(0);
// Commander ends the process after a word that it does not know.
process.exit = (code) => {
  throw new Error(`exit ${code}`);
};

async function run({ words, typed }: Call): Promise<Called> {
  const texts = { stdout: '', stderr: '' };
  const outputs = (['stdout', 'stderr'] as const).map((name) => {
    const { write } = process[name];
    process[name].write = ((text: string, done?: () => void) => {
      texts[name] += text;
      done?.();
      return true;
    }) as typeof write;
    return () => {
      process[name].write = write;
    };
  });
  Object.defineProperty(process, 'stdin', { value: Readable.from([typed]), configurable: true });
  process.exitCode = 0;
  try {
    await runProgram(roles, ['node', 'millrace', ...words]);
  } finally {
    for (const giveBack of outputs) giveBack();
  }
  const code = Number(process.exitCode);
  process.exitCode = 0;
  return { code, ...texts };
}

process.on('message', (call: Call) => {
  void run(call).then((called) => process.send?.(called));
});
