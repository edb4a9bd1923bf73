/** The options that every command takes, wherever they stand among its words. */
import { type Command, Option } from 'commander';
import { MillraceError } from '../model/errors.ts';

export interface Everywhere {
  /** Of a service; absent: MILLRACE_URL. */
  url?: string;
  /** For it; absent: MILLRACE_TOKEN. */
  token?: string;
  json: boolean;
  quiet: boolean;
  yes: boolean;
  verbose: boolean;
  color: boolean;
  timeoutMs: number | undefined;
}

const MOST_SECONDS = 86_400;

export function addEverywhere(program: Command): void {
  program
    .addOption(
      new Option('--url <address>', 'address of the service (MILLRACE_URL); without it, DATABASE_URL or this folder'),
    )
    .addOption(
      new Option('--token <token>', 'token for it (MILLRACE_TOKEN); other users of this machine can see this option'),
    )
    .addOption(new Option('--json', "print the API's own answer, and errors as JSON on stderr"))
    .addOption(new Option('--quiet', 'print only results and errors'))
    .addOption(new Option('--yes', 'do not ask'))
    .addOption(
      new Option('--timeout <seconds>', 'give up after this time; a job that is followed continues').argParser(seconds),
    )
    .addOption(new Option('--no-color', 'no colours (or NO_COLOR; never without a terminal)'))
    .addOption(new Option('--verbose', 'show each request on stderr'));
  program.configureHelp({ showGlobalOptions: true });
}

/** What was given of them, to a command or before it. */
export function everywhere(command: Command): Everywhere {
  const given = command.optsWithGlobals<Partial<Omit<Everywhere, 'timeoutMs'>> & { timeout?: number }>();
  const { url, token, timeout, json = false, quiet = false, yes = false, verbose = false, color = true } = given;
  return {
    ...(url === undefined ? {} : { url }),
    ...(token === undefined ? {} : { token }),
    ...{ json, quiet, yes, verbose, color },
    timeoutMs: timeout === undefined ? undefined : timeout * 1_000,
  };
}

/** For what some of them mean nothing to: an option that is ignored would promise something. @throws MillraceError bad_request */
export function refuseOptions(command: Command, ...names: readonly string[]): void {
  const given = names.find((name) => command.getOptionValueSourceWithGlobals(name) === 'cli');
  if (given === undefined) return;
  throw new MillraceError('bad_request', `\`${command.name()}\` does not take --${given}`, { remedy: 'Leave it out.' });
}

function seconds(text: string): number {
  const value = /^\d{1,6}(\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= MOST_SECONDS) return value;
  throw new MillraceError('bad_request', `--timeout must be a number of seconds, up to ${MOST_SECONDS}`);
}
