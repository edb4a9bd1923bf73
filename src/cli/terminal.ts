/** What commands have in common: where they run, whom they ask, and the clock. */
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
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

/** What is typed, with the keys that edit a line; empty where nothing more comes. Ctrl-C ends the command. */
async function question(text: string, echo: Writable = process.stderr): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: echo, terminal: true });
  lines.once('SIGINT', () => {
    process.stderr.write('\n');
    process.exit(INTERRUPTED);
  });
  const end = once(lines, 'close').then(() => '');
  try {
    return await Promise.race([lines.question(text).catch(() => end), end]);
  } finally {
    lines.close();
  }
}

/** As `question`, without a sign of what is typed. */
export async function hidden(text: string): Promise<string> {
  const typed = question('', new Writable({ write: (_part, _encoding, done) => done() }));
  process.stderr.write(text);
  await typed;
  process.stderr.write('\n');
  return await typed;
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
