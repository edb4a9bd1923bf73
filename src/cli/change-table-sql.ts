/** `millrace change-table sql`: what it takes, and what it prints. */
import type { Command } from 'commander';
import { changeTableSql, type TableOptions } from '../admin/change-table-sql.ts';

export function addChangeTableCommand(program: Command): void {
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
      process.stdout.write(changeTableSql(options));
    });
}
