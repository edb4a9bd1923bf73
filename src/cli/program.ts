/**
 * The command `millrace`: starts a role, or does one task of an operator. A failure is one sentence and its remedy, on
 * stderr, with exit code 1.
 */
import { randomUUID } from 'node:crypto';
import { Argument, Command } from 'commander';
import { faultLine, MillraceError, messageOf } from '../model/errors.ts';
import { printableOn } from '../model/printable.ts';
import { maskAddresses } from '../runtime/redact.ts';
import { VERSION } from '../runtime/version.ts';
import { addEverywhere, refuseOptions } from './everywhere.ts';

/** Roles and migrations log, and reach the message database by their settings alone. */
const OF_OPERATORS = ['url', 'token', 'json', 'timeout'];

/** What `start` can run, and how. */
export interface Roles {
  words: readonly string[];
  start(word: string): Promise<never>;
}

/** Does what the words of the command line say, and sets the exit code of this process. */
export async function runProgram(roles: Roles, argv: readonly string[]): Promise<void> {
  // By itself alone: commands have options of this name.
  if (argv.length === 3 && ['--version', '-V'].includes(argv[2]!)) {
    process.stdout.write(`${VERSION}\n`);
    return;
  }
  const program = new Command('millrace').description('Change-data delivery for teams that run only Postgres');
  if (argv.includes('--json')) program.configureOutput({ outputError: (text, write) => write(usageJson(text)) });
  program
    .command('start')
    .description('run the service, or one role of it, until Ctrl-C or SIGTERM')
    .addArgument(new Argument('[role]', 'what to run').choices(roles.words).default('all'))
    .action(async (word: string, _options: object, command: Command) => {
      refuseOptions(command, ...OF_OPERATORS);
      await roles.start(word);
    });
  program
    .command('migrate')
    .description('bring the message database to this release, apply the configuration file, and end')
    .action(async (_options: object, command: Command) => {
      refuseOptions(command, ...OF_OPERATORS);
      await roles.start('migrate');
    });
  program.addHelpText('after', '\nbin/millrace --version prints the version of this release.');
  addEverywhere(program);
  // A role loads only what it runs: the commands of operators would add 45 MB to each.
  if (!['start', 'migrate'].includes(argv[2] ?? '')) {
    for (const stream of [process.stdout, process.stderr]) stream.on('error', endUnread);
    (await import('./commands.ts')).addCommands(program);
  }
  try {
    await program.parseAsync(argv);
  } catch (error) {
    await report(error, program.opts().json === true);
    process.exitCode = 1;
  }
}

/** Whoever read us has seen enough (`| head`): we end as SIGPIPE ends other programs. Or the disk that we write to is full. */
function endUnread({ code }: NodeJS.ErrnoException): void {
  if (code !== 'EPIPE') process.stderr.write(`The output cannot be written (${code})\n`);
  process.exit(code === 'EPIPE' ? 141 : 1);
}

/** A command line that cannot be understood, in the form of the API's errors. */
function usageJson(text: string): string {
  const [summary = '', ...hints] = text
    .replace(/^error: /, '')
    .trim()
    .split('\n');
  const remedy = [...hints, 'The words and options of a command: `bin/millrace COMMAND --help`.'].join(' ');
  return `${JSON.stringify({ code: 'bad_request', summary, remedy, request_id: randomUUID() })}\n`;
}

async function report(error: unknown, isJson: boolean): Promise<void> {
  const text = isJson ? await (await import('./error-text.ts')).errorText(error) : describe(error);
  process.stderr.write(`${printableOn(process.stderr, maskAddresses(text))}\n`);
}

/** Each fault with its remedy, else what went wrong, why, and what to do. */
function describe(error: unknown): string {
  if (!(error instanceof MillraceError)) return messageOf(error);
  if (error.faults.length > 0) return error.faults.map(faultLine).join('\n');
  const cause = error.cause === undefined ? '' : messageOf(error.cause);
  const why = cause === '' || cause === error.message ? '' : `: ${cause}`;
  return error.message + why + (error.remedy === undefined ? '' : `\n  ${error.remedy}`);
}
