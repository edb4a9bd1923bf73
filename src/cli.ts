#!/usr/bin/env node
/** Operator entry: one subcommand for each task. A failure is one sentence and its remedy, on stderr, with exit code 1. */
import { Command } from 'commander';
import { MillraceError, messageOf } from './model/errors.ts';
import { instructions } from './retain/instructions.ts';
import { type TableOptions, tableRequest } from './retain/table-request.ts';
import { maskAddresses } from './runtime/log.ts';
import { runSql } from './sql-prompt.ts';

const program = new Command('millrace').description('Change-data delivery for teams that run only Postgres');

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
  .description('change tables')
  .command('sql')
  .description('print the SQL that makes a change table, with the policy that deletes its old entries')
  .requiredOption('--table <name>', 'the change table: orders_events, public.orders_events or \'"My Schema"."T"\'')
  .option('--variant <variant>', 'plain, job (of ours), pg_cron or pg_partman', 'plain')
  .option('--keep <period>', 'how long entries are kept: "30 days"')
  .option('--interval <period>', 'pg_partman: the size of a partition: "1 day"')
  .option('--partman-version <major>', 'pg_partman: 4 or 5 (the default)')
  .option('--cron-database <name>', 'pg_cron: the database that has the extension, when it is another one')
  .option('--database <name>', 'pg_cron: the database of the change table, with --cron-database')
  .action((options: TableOptions) => {
    process.stdout.write(instructions(tableRequest(options)));
  });

try {
  await program.parseAsync();
} catch (error) {
  const cause = error instanceof MillraceError && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
  const remedy = error instanceof MillraceError && error.remedy !== undefined ? `\n  ${error.remedy}` : '';
  process.stderr.write(`${maskAddresses(messageOf(error) + cause + remedy)}\n`);
  process.exitCode = 1;
}
