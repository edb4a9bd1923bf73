/** What commands have in common: where they run, whom they ask, and the clock. */
import { createInterface } from 'node:readline/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { MillraceError } from '../model/errors.ts';

export interface Place {
  /** The folder of the embedded server. */
  home: string;
  env: NodeJS.ProcessEnv;
}

export const PLACE: Place = { home: '.millrace', env: process.env };
/** As shells say of what Ctrl-C ended. */
export const INTERRUPTED = 130;

/** Somebody who reads lines, and can be asked. */
export interface Person {
  say(line: string): void;
  /** Answers the question; undefined where nobody can be asked. */
  ask: ((question: string) => Promise<string>) | undefined;
}

export const person = (): Person => ({
  say: (line) => void process.stdout.write(`${line}\n`),
  ask: process.stdin.isTTY ? question : undefined,
});

async function question(text: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await lines.question(text);
  } finally {
    lines.close();
  }
}

/** Anything but yes is no. @throws MillraceError bad_request where nobody can be asked: `unasked` says what was to be. */
export async function isAgreed(
  { ask }: Pick<Person, 'ask'>,
  asked: string,
  unasked: { message: string; remedy: string },
): Promise<boolean> {
  if (!ask) throw new MillraceError('bad_request', unasked.message, { remedy: unasked.remedy });
  return /^y(es)?$/i.test((await ask(asked)).trim());
}

/** What is no answer: with `--json` it is kept from whoever reads the standard output. */
export function remark(
  { everywhere, person }: { everywhere: { json: boolean }; person: Pick<Person, 'say'> },
  line: string,
): void {
  if (everywhere.json) process.stderr.write(`${line}\n`);
  else person.say(line);
}

/** Milliseconds. */
export const now = (): number => performance.now();

/** Resolves early when the signal comes. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}
