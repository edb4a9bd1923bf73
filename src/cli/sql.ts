/** `millrace sql`: what it takes. */
import type { Command } from 'commander';
import { runSql } from './sql-prompt.ts';
import { PLACE } from './terminal.ts';

export function addSqlCommand(program: Command): void {
  program
    .command('sql')
    .description('run one SQL statement, or a prompt without an argument, on the embedded server or DATABASE_URL')
    .argument('[statement]', 'the statement')
    .option('--database <name>', 'another database of the same server, e.g. playground')
    .action(async (sql: string | undefined, options: { database?: string }) => {
      const given = { ...(sql === undefined ? {} : { sql }), ...options };
      process.exitCode = await runSql({ ...given, ...PLACE }, { input: process.stdin, output: process.stdout });
    });
}
