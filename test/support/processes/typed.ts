/** A command as somebody types it, in this process: what is said to them is kept, and what they are asked is answered. */
import { withProcess } from '../../../src/cli/client/in-process.ts';
import { NO_SCREEN, type Screen } from '../../../src/cli/screen.ts';
import type { OwnCommand, Running } from '../../../src/cli/table/command.ts';

export interface Typing {
  arguments: string[];
  options?: Record<string, unknown>;
  everywhere?: Partial<Running['everywhere']>;
  /** To each question; absent: nobody can be asked. */
  answer?: string;
  screen?: Partial<Screen>;
}

/** `env`: DATABASE_URL and SECRET_KEY. The exit code, with all that was said. */
export async function typed(
  env: NodeJS.ProcessEnv,
  run: OwnCommand['run'],
  typing: Typing,
): Promise<{ code: number; said: string[] }> {
  const said: string[] = [];
  const { options = {}, answer, screen = {} } = typing;
  const everywhere = { json: false, quiet: false, yes: false, verbose: false, color: false, timeoutMs: undefined };
  const ask = async (question: string): Promise<string> => {
    said.push(question);
    return answer ?? '';
  };
  const code = await withProcess({ home: '/nowhere', env }, (client) =>
    run({
      ...{ client, options, arguments: typing.arguments, everywhere: { ...everywhere, ...typing.everywhere } },
      person: { say: (line) => void said.push(line), ask: answer === undefined ? undefined : ask },
      screen: () => ({ ...NO_SCREEN, say: (line) => void said.push(line), ...screen }),
    }),
  );
  return { code, said };
}
