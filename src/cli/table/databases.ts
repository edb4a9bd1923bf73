/** Commands of source databases. */
import { MillraceError } from '../../model/errors.ts';
import { duration } from '../../model/quantity.ts';
import { PLACE } from '../terminal.ts';
import { changesOf, FILE } from './change.ts';
import { type Field, fieldsOf, type Group, type Running, wholeNumber } from './command.ts';
import { pretty, readJson } from './json.ts';
import { LIST_FIELDS, PERIOD } from './list-fields.ts';
import { at, rowsOf, tellRows, tellThing, textAt } from './tell.ts';

const COLUMNS = {
  name: 'name',
  host: 'hostname',
  database: 'database',
  state: 'state.state',
  health: 'health.status',
  since: 'state.since',
  reason: 'state.reason',
  by: 'managed_by',
};

const SETUP_FIELDS: readonly Field[] = [
  {
    ...{ flags: '--version <major>', about: 'for this version of Postgres', field: 'version' },
    read: wholeNumber('--version'),
  },
];

export const DATABASES: Group = {
  name: 'database',
  plural: 'databases',
  about: 'manage source databases',
  commands: [
    {
      words: 'list',
      about: 'list databases, with the state of their capture',
      route: 'GET /api/postgres_databases',
      fields: LIST_FIELDS,
      examples: ['list'],
      tell: (answer) => tellRows(rowsOf(answer), COLUMNS),
    },
    {
      words: 'show <database>',
      about: 'show a database: its settings and the state of its capture',
      route: 'GET /api/postgres_databases/:database',
      examples: ['show shop'],
      tell: tellThing,
    },
    {
      words: 'checks <database>',
      about: 'check its server, slot, publication and tables now; exit code 2: something is wrong',
      route: 'GET /api/postgres_databases/:database/checks',
      examples: ['checks shop'],
      tell: (answer) => checksText(answer),
      exitCode: (answer) => (at(answer, 'ok') === false ? 2 : 0),
    },
    {
      words: 'accept-gap <database>',
      about: 'capture it again after a gap, without sending what was missed',
      route: 'POST /api/postgres_databases/:database/accept_gap',
      fields: [{ flags: '--force', about: 'even if nothing is known to be missing', field: 'force' }],
      examples: ['accept-gap shop'],
      tell: (answer) => `Accepted: its changes count from epoch ${textAt(answer, 'epoch')} on.`,
    },
    ...changesOf({
      ...{ kind: 'database', word: 'database', path: '/api/postgres_databases', parameter: 'database' },
      ...{ list: 'databases', example: 'shop' },
    }),
    {
      words: 'tables <database>',
      about: 'list the tables of a database, and whether each can be sent',
      route: 'GET /api/postgres_databases/:database/tables',
      fields: [
        { flags: '--schema <schema>', about: 'only tables of this schema', field: 'schema' },
        { flags: '--name <text>', about: 'only tables with this text in their name', field: 'q' },
        ...LIST_FIELDS,
      ],
      examples: ['tables shop', 'tables shop --name order'],
      tell: (answer) => tellRows(rowsOf(answer), TABLES),
    },
    {
      words: 'types <database> <table>',
      about: "print the TypeScript type of a table's messages, for writing functions",
      route: 'GET /api/postgres_databases/:database/tables/:table/record_type',
      examples: ['types shop public.orders'],
      tell: (answer) => textAt(answer, 'typescript'),
    },
    {
      words: 'rows <database> <table>',
      about: 'show the last rows of a table by key, as messages of a backfill',
      route: 'GET /api/postgres_databases/:database/tables/:table/rows',
      fields: LIST_FIELDS.slice(0, 1),
      examples: ['rows shop public.orders --limit 3'],
      tell: (answer) =>
        rowsOf(answer)
          .map((row) => pretty(row))
          .join('\n'),
    },
    {
      words: 'setup-sql [database]',
      about:
        'print the SQL for an administrator to run in a source: a role with the least rights, the publication, the slot',
      fields: SETUP_FIELDS,
      flags: [
        FILE,
        { flags: '--schema <schema...>', about: 'with a file: the schema whose tables are published (public)' },
      ],
      asks: ['GET /api/postgres_databases/:database/setup_sql', 'POST /api/postgres_databases/setup_sql'],
      examples: ['setup-sql shop', 'setup-sql shop --version 16', 'setup-sql -f shop.yaml --version 17'],
      run: setupSql,
    },
    {
      words: 'metrics <database>',
      about: 'show what was captured, how far capture is behind, and how much WAL is kept, by minute or hour',
      route: 'GET /api/postgres_databases/:database/metrics',
      fields: PERIOD,
      examples: ['metrics shop --step hour'],
      tell: (answer) => {
        const points = at(answer, 'points');
        const seconds = textAt(answer, 'seconds_to_limit');
        const lost = `the slot is lost in ${duration(Number(seconds))} if WAL goes on growing like that\n`;
        return tellRows(Array.isArray(points) ? points : [], WAL) + (seconds === '' ? '' : lost);
      },
    },
    {
      words: 'slots <database>',
      about: 'list the current replication slots of its server, and what makes it keep WAL',
      route: 'GET /api/postgres_databases/:database/slots',
      examples: ['slots shop'],
      tell(answer) {
        const slots = at(answer, 'slots');
        const pid = textAt(answer, 'oldest_writer.pid');
        const since = textAt(answer, 'oldest_writer.since');
        const writer = pid === '' ? '' : `The oldest transaction that writes is of process ${pid}, since ${since}.\n`;
        return tellRows(Array.isArray(slots) ? slots : [], SLOTS) + writer;
      },
    },
    {
      words: 'refresh <database>',
      about: 'read its tables again, and update the publication that Millrace made',
      route: 'POST /api/postgres_databases/:database/refresh_tables',
      examples: ['refresh shop'],
      tell: (answer) =>
        `${textAt(answer, 'tables')} tables; added to the publication: ${textAt(answer, 'added') || 'none'}`,
    },
  ],
};

const WAL = {
  at: 'at',
  '-commits': 'commits',
  '-persisted': 'persisted',
  '-bytes': 'bytes',
  '-lag bytes': 'lag_bytes',
  '-kept bytes': 'kept_bytes',
  '-limit bytes': 'limit_bytes',
};
async function setupSql(running: Running): Promise<number> {
  const {
    client,
    everywhere,
    options,
    arguments: [database],
  } = running;
  if ((database === undefined) === (options.file === undefined)) {
    throw new MillraceError('bad_request', 'name a database, or give an entry of `databases:` with -f FILE');
  }
  const fields = fieldsOf(SETUP_FIELDS, running);
  const version = fields.version === undefined ? undefined : String(fields.version);
  const request =
    database === undefined
      ? { route: 'POST /api/postgres_databases/setup_sql', body: { ...(await draftOf(options)), ...fields } }
      : { route: 'GET /api/postgres_databases/:database/setup_sql', params: { database }, query: { version } };
  const { text } = await client.ask(request);
  process.stdout.write(everywhere.json ? `${text}\n` : textAt(readJson(text), 'sql'));
  return 0;
}

/** What its set-up needs of an entry. */
async function draftOf({ file, schema }: Running['options']): Promise<object> {
  const { readEntry } = await import('../../catalog/declare/entry-text.ts');
  const { databaseKeys, readDatabase } = await import('../../catalog/declare/requested-database.ts');
  const entry = readEntry(PLACE.env, String(file), 'databases');
  const { settings, address } = readDatabase(databaseKeys({ name: 'draft', ...entry }));
  const { slot, publication, capture = 'replication' } = settings;
  return {
    ...{ database: address.database, username: address.user, slot, publication_name: publication.name, capture },
    ...(schema === undefined ? {} : { schemas: schema }),
  };
}

const SLOTS = {
  ...{ slot: 'name', ours: 'ours', kind: 'kind', database: 'database', '-read by': 'active_pid' },
  ...{ as: 'application', WAL: 'wal_status', '-kept bytes': 'kept_bytes', '-safe bytes': 'safe_bytes' },
};

const TABLES = {
  schema: 'schema',
  table: 'name',
  kind: 'kind',
  key: 'key',
  identity: 'identity',
  published: 'published',
  '-bytes': 'size_bytes',
  sinks: 'sinks',
};

function checksText(answer: unknown): string {
  const checks = at(answer, 'checks');
  const rows = Array.isArray(checks) ? checks : [];
  return tellRows(rows, { status: 'status', id: 'id', '': 'summary', remedy: 'remedy', sql: 'sql' });
}
