/** Every command of an operator; those of a group stand in its own file. */
import type { Command } from 'commander';
import { MillraceError } from '../model/errors.ts';
import { stopSignal } from '../runtime/stop-signal.ts';
import { instructions } from '../sinks/change-table/policies/instructions.ts';
import { type TableOptions, tableRequest } from '../sinks/change-table/table-request.ts';
import { addBackfillCommands, addDatabaseCommands, addSinkCommands } from './commands.ts';
import { addRebuildCommand } from './rebuild.ts';
import { addReplayCommand } from './replay.ts';
import { addResyncCommand } from './resync.ts';
import { addSecretCommand } from './secret.ts';
import { runSql } from './sql-prompt.ts';

export function addCommands(program: Command): void {
  addSqlCommands(program);
  addVerifyCommand(program);
  addBackfillCommands(program);
  addReplayCommand(program);
  addSinkCommands(program);
  addDatabaseCommands(program);
  addRebuildCommand(program);
  addResyncCommand(program);
  addSecretCommand(program);
}

function addSqlCommands(program: Command): void {
  program
    .command('sql')
    .description('run one SQL statement, or a prompt without an argument, on the embedded server or DATABASE_URL')
    .argument('[statement]', 'the statement')
    .option('--database <name>', 'another database of the same server, e.g. playground')
    .action(async (sql: string | undefined, options: { database?: string }) => {
      const given = { ...(sql === undefined ? {} : { sql }), ...options };
      process.exitCode = await runSql(
        { ...given, home: '.millrace', env: process.env },
        { input: process.stdin, output: process.stdout },
      );
    });

  program
    .command('change-table')
    .description('work with change tables')
    .command('sql')
    .description('print the SQL that makes a change table, with the policy that deletes its old entries')
    .requiredOption('--table <name>', 'the change table: orders_events, public.orders_events or \'"My Schema"."T"\'')
    .option('--variant <variant>', 'plain, job (by Millrace), pg_cron or pg_partman', 'plain')
    .option('--keep <period>', 'how long entries are kept: "30 days"')
    .option('--interval <period>', 'pg_partman: the size of a partition: "1 day"')
    .option('--partman-version <major>', 'pg_partman: 4 or 5 (the default)')
    .option('--cron-database <name>', 'pg_cron: the database that has the extension, when it is another one')
    .option('--database <name>', 'pg_cron: the database of the change table, with --cron-database')
    .action((options: TableOptions) => {
      process.stdout.write(instructions(tableRequest(options)));
    });
}

const wholeNumber = (option: string, most: number) => (text: string) => {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : undefined;
  if (value !== undefined && value <= most) return value;
  throw new MillraceError('bad_request', `${option} must be a whole number from 0 to ${most}`);
};

function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('compare a search index with its tables; exit code 0: no drift, 1: error, 2: drift')
    .argument('<sink>', 'name of the search index in millrace.yaml')
    .option('--repair', 'send again what differs, in order with live changes, and delete what has no row')
    .option('--show <number>', 'how many differences are listed', wholeNumber('--show', 100_000), 20)
    .option(
      '--refresh <ms>',
      'after so long a search finds what was written (more than the refresh_interval of the index)',
      wholeNumber('--refresh', 600_000),
    )
    .action(async (sink: string, options: { repair?: true; show: number; refresh?: number }) => {
      const [{ operatorSettings }, { runVerify }] = await Promise.all([import('./settings.ts'), import('./verify.ts')]);
      const settings = await operatorSettings('.millrace', process.env);
      const request = { sink, repair: options.repair === true, show: options.show };
      const timing = options.refresh === undefined ? {} : { options: { refreshMs: options.refresh } };
      process.exitCode = await runVerify(
        settings,
        { ...request, ...timing },
        { terminals: { out: process.stdout, err: process.stderr }, signal: stopSignal(process).signal },
      );
    });
}
