/** `millrace sql`: what it takes. */
import type { Command } from 'commander';
import { MillraceError } from '../model/errors.ts';
import { everywhere, refuseOptions } from './everywhere.ts';
import { giveUpAfter } from './stopping.ts';
import { PLACE } from './terminal.ts';

export function addSqlCommand(program: Command): void {
  program
    .command('sql')
    .description('run one SQL statement, or a prompt without an argument, on the embedded server or DATABASE_URL')
    .argument('[statement]', 'the statement')
    .option('--database <name>', 'another database of the same server, e.g. playground')
    .addHelpText('after', '\nExamples:\n  bin/millrace sql "select * from millrace.sink_status"\n  bin/millrace sql\n')
    .action(async (sql: string | undefined, options: { database?: string }, command: Command) => {
      const { url, timeoutMs } = everywhere(command);
      // MILLRACE_URL alone is not meant for it.
      if (url !== undefined) {
        throw new MillraceError('bad_request', '`sql` does not work over HTTP', {
          remedy: 'Run it with DATABASE_URL, and without --url.',
        });
      }
      refuseOptions(command, 'json');
      giveUpAfter(timeoutMs);
      const { runSql } = await import('./sql-prompt.ts');
      const given = { ...(sql === undefined ? {} : { sql }), ...options };
      const terminal = { input: process.stdin, output: process.stdout, errors: process.stderr };
      process.exitCode = await runSql({ ...given, ...PLACE }, terminal);
    });
}
