/** Commands of sinks and change retentions, which an operator handles alike. */
import { changesOf } from './change.ts';
import { POLICY_FIELDS } from './change-table.ts';
import type { Group, RouteCommand } from './command.ts';
import { LIST_FIELDS, PERIOD } from './list-fields.ts';
import { PREVIEW } from './preview.ts';
import { at, type Columns, rowsOf, tellRows, tellThing, textAt } from './tell.ts';

interface Kind {
  /** Of its routes. */
  path: string;
  /** The name of the argument. */
  word: string;
  /** For people: `sink`. */
  what: string;
  example: string;
}

const STATE: Columns = {
  status: 'status',
  health: 'health.status',
  reason: 'health.checks.0.name',
  '-pending': 'state.pending',
  '-parked': 'state.parked',
  'oldest pending': 'state.oldest_committed_at',
  by: 'managed_by',
};

export const ATTEMPTS: Columns = {
  at: 'at',
  '-message': 'message_id',
  '-attempt': 'attempt',
  stage: 'stage',
  '-ms': 'took_ms',
  '-status': 'status',
  type: 'type',
  text: 'text',
};
const POINTS: Columns = {
  at: 'at',
  '-persisted': 'persisted',
  '-delivered': 'delivered',
  '-failed': 'failed',
  '-retried': 'retried',
  '-parked': 'parked',
  '-bytes': 'bytes',
  '-p50 ms': 'latency_ms.p50',
  '-p99 ms': 'latency_ms.p99',
};

const DONE = {
  pause: 'is paused: its messages are kept',
  resume: 'is delivered again',
  disable: 'is disabled: no change is kept for it from now on',
};
const ABOUT = {
  pause: (what: string) => `stop delivery to a ${what}; its messages are kept`,
  resume: (what: string) => `deliver to a ${what} again`,
  disable: (what: string) => `stop delivery to a ${what}, and keep no changes for it from now on`,
};

function commandsOf({ path, word, what, example }: Kind): RouteCommand[] {
  const show: RouteCommand = {
    words: `show <${word}>`,
    about: `show a ${what}: its settings and its state`,
    route: `GET ${path}/:sink`,
    examples: [`show ${example}`],
    tell: tellThing,
  };
  const verbs = (['pause', 'resume', 'disable'] as const).map(
    (verb): RouteCommand => ({
      words: `${verb} <${word}>`,
      about: ABOUT[verb](what),
      route: `POST ${path}/:sink/${verb}`,
      fields: [{ flags: '--reason <text>', about: 'why, for the audit log', field: 'reason' }],
      examples: [`${verb} ${example}`],
      tell: (answer) => `${textAt(answer, 'name')} ${DONE[verb]}`,
    }),
  );
  const probe: RouteCommand = {
    words: `probe <${word}>`,
    about: `try the failing destination of a ${what} again now`,
    route: `POST ${path}/:sink/probe`,
    examples: [`probe ${example}`],
    tell: (answer) => (at(answer, 'probed') === true ? 'It is asked now.' : 'Nothing is known to be wrong with it.'),
  };
  const dismiss: RouteCommand = {
    words: `dismiss <${word}> <code>`,
    about: `dismiss notices of a ${what} that do not go away by themselves`,
    route: `POST ${path}/:sink/notices/:code/dismiss`,
    examples: [`dismiss ${example} invalid_utf8`],
    tell: (answer) => (at(answer, 'dismissed') === true ? 'The notice is gone.' : 'There was no such notice.'),
  };
  const attempts: RouteCommand = {
    words: `attempts <${word}>`,
    about: `list failed deliveries of a ${what}, newest first`,
    route: `GET ${path}/:sink/attempts`,
    fields: LIST_FIELDS,
    examples: [`attempts ${example}`],
    tell: (answer) => tellRows(rowsOf(answer), ATTEMPTS),
  };
  const metrics: RouteCommand = {
    words: `metrics <${word}>`,
    about: `show what happened to the messages of a ${what}, by minute or hour`,
    route: `GET ${path}/:sink/metrics`,
    fields: PERIOD,
    examples: [`metrics ${example}`, `metrics ${example} --step hour`],
    tell: (answer) => {
      const points = at(answer, 'points');
      return tellRows(Array.isArray(points) ? points : [], POINTS);
    },
  };
  return [show, ...verbs, probe, dismiss, attempts, metrics];
}

const STATUSES = ['active', 'paused', 'disabled'];
const HEALTHS = ['healthy', 'warning', 'error', 'paused'];
const MANAGED_BY = ['file', 'api'];
const FILTERS = [
  { flags: '--database <name>', about: 'only those of this database', field: 'database' },
  { flags: '--status <status>', about: 'only those with this status', field: 'status', choices: STATUSES },
  { flags: '--health <health>', about: 'only those with this health', field: 'health', choices: HEALTHS },
  {
    flags: '--managed-by <whom>',
    about: 'only those of the file, or of the API',
    field: 'managed_by',
    choices: MANAGED_BY,
  },
  ...LIST_FIELDS,
];

export const SINKS: Group = {
  name: 'sink',
  plural: 'sinks',
  about: 'manage sinks: search indexes, webhooks, pull consumers',
  commands: [
    {
      words: 'list',
      about: 'list sinks, with their health and how much is pending',
      route: 'GET /api/sinks',
      fields: [{ flags: '--kind <kind>', about: 'only sinks of this kind', field: 'kind' }, ...FILTERS],
      examples: ['list', 'list --health error'],
      tell: (answer) => tellRows(rowsOf(answer), { name: 'name', kind: 'kind', database: 'database', ...STATE }),
    },
    ...commandsOf({ path: '/api/sinks', word: 'sink', what: 'sink', example: 'orders-worker' }),
    PREVIEW,
    ...changesOf({
      ...{ kind: 'sink', word: 'sink', path: '/api/sinks', parameter: 'sink', list: 'sinks' },
      example: 'orders-worker',
    }),
  ],
};

export const RETENTIONS: Group = {
  name: 'retention',
  plural: 'retentions',
  about: 'manage change retentions, which keep the changes of a table in a change table',
  commands: [
    {
      words: 'list',
      about: 'list change retentions, with their health and how much is pending',
      route: 'GET /api/change_retentions',
      fields: FILTERS,
      examples: ['list', 'list --database shop'],
      tell: (answer) =>
        tellRows(rowsOf(answer), {
          name: 'name',
          database: 'source_database',
          table: 'source_table_name',
          into: 'destination_table_name',
          ...STATE,
        }),
    },
    ...commandsOf({
      ...{ path: '/api/change_retentions', word: 'retention', what: 'change retention', example: 'orders-history' },
    }),
    ...changesOf({
      ...{ kind: 'change_retention', word: 'retention', path: '/api/change_retentions', parameter: 'sink' },
      ...{ list: 'change_retentions', example: 'orders-history' },
    }),
    {
      words: 'entries <retention>',
      about: 'list entries of the change table',
      route: 'GET /api/change_retentions/:sink/entries',
      fields: [
        { flags: '--key <key>', about: 'only entries of the row with this key', field: 'record_pk' },
        { flags: '--action <action>', about: 'only this action: insert, update or delete', field: 'action' },
        { flags: '--since <time>', about: 'only entries committed at this time or later', field: 'since' },
        { flags: '--until <time>', about: 'only entries committed before this time', field: 'until' },
        { flags: '--from-seq <number>', about: 'only entries from this seq on', field: 'from_seq' },
        { flags: '--to-seq <number>', about: 'only entries up to this seq', field: 'to_seq' },
        { flags: '--order <order>', about: 'oldest first, or newest', field: 'order', choices: ['oldest', 'newest'] },
        ...LIST_FIELDS,
      ],
      examples: ['entries orders-history --key 17', 'entries orders-history --order newest --limit 10'],
      tell: (answer) =>
        tellRows(rowsOf(answer), {
          ...{ '-seq': 'seq', action: 'action', key: 'record_pk', committed: 'committed_at', record: 'record' },
          changes: 'changes',
        }),
    },
    {
      words: 'policy <retention>',
      about: 'show how old entries are deleted, when that last happened, and any problem with it',
      route: 'GET /api/change_retentions/:sink/policy',
      examples: ['policy orders-history'],
      tell: tellThing,
    },
    {
      words: 'sql <retention>',
      about: 'print the SQL that creates the change table and deletes its old entries',
      route: 'GET /api/change_retentions/:sink/sql',
      fields: POLICY_FIELDS,
      examples: ['sql orders-history', 'sql orders-history --variant pg_partman --interval "1 day"'],
      tell: (answer) => textAt(answer, 'sql'),
    },
  ],
};
