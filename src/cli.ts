#!/usr/bin/env node
/** Operator entry: one subcommand for each task. A failure is one sentence and its remedy, on stderr, with exit code 1. */
import { Command } from 'commander';
import { MillraceError, messageOf } from './model/errors.ts';
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

try {
  await program.parseAsync();
} catch (error) {
  const cause = error instanceof MillraceError && error.cause !== undefined ? `: ${messageOf(error.cause)}` : '';
  const remedy = error instanceof MillraceError && error.remedy !== undefined ? `\n  ${error.remedy}` : '';
  process.stderr.write(`${maskAddresses(messageOf(error) + cause + remedy)}\n`);
  process.exitCode = 1;
}
