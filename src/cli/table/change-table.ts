/** The SQL of change tables. */
import { MillraceError } from '../../model/errors.ts';
import { tableInPath } from '../../model/table-in-path.ts';
import { type Field, fieldsOf, type Group, type Running } from './command.ts';
import { readJson } from './json.ts';
import { textAt } from './tell.ts';

const VARIANTS = ['plain', 'job', 'pg_cron', 'pg_partman'];

/** How old entries are deleted. */
export const POLICY_FIELDS: readonly Field[] = [
  {
    ...{ flags: '--variant <variant>', about: 'plain, job (by Millrace), pg_cron or pg_partman', field: 'variant' },
    choices: VARIANTS,
  },
  { flags: '--keep <period>', about: 'how long entries are kept: "30 days"', field: 'keep' },
  { flags: '--every <period>', about: 'pg_cron: how often they are deleted: "10 minutes"', field: 'every' },
  { flags: '--interval <period>', about: 'pg_partman: the size of a partition: "1 day"', field: 'interval' },
  { flags: '--partman-version <major>', about: 'pg_partman: 4 or 5 (the default)', field: 'partman_version' },
];

const FIELDS: readonly Field[] = [
  ...POLICY_FIELDS,
  {
    flags: '--cron-database <name>',
    about: 'for pg_cron: the database that has the extension, if it is another one',
    field: 'cron_database',
  },
  {
    flags: '--database <name>',
    about: 'the name of the database of the change table; with --cron-database',
    field: 'destination_database',
  },
];

export const CHANGE_TABLE: Group = {
  name: 'change-table',
  about: 'work with change tables',
  commands: [
    {
      words: 'sql',
      about: 'print the SQL that creates a change table, with the policy that deletes its old entries',
      fields: FIELDS,
      flags: [
        {
          flags: '--table <name>',
          about: 'the change table: orders_events, public.orders_events or \'"My Schema"."T"\'',
          required: true,
        },
      ],
      asks: ['POST /api/change_retentions/sql'],
      examples: ['sql --table orders_events', 'sql --table sales.orders_events --variant pg_cron --keep "30 days"'],
      run,
    },
  ],
};

async function run(running: Running): Promise<number> {
  const { client, everywhere, options } = running;
  const table = tableInPath(String(options.table));
  if (table === undefined) {
    throw new MillraceError('bad_request', '--table is not the name of a table', {
      remedy: 'Write orders_events, public.orders_events or "My Schema"."T".',
    });
  }
  const names = { destination_table_schema: table.schema, destination_table_name: table.name };
  const body = { ...names, ...fieldsOf(FIELDS, running) };
  const { text } = await client.ask({ route: 'POST /api/change_retentions/sql', body });
  process.stdout.write(everywhere.json ? `${text}\n` : textAt(readJson(text), 'sql'));
  return 0;
}
