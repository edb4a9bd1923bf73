/** Commands of jobs that an operator asked for. */
import { duration } from '../../model/quantity.ts';
import type { Group, RouteCommand } from './command.ts';
import { WATCHING } from './jobs.ts';
import { LIST_FIELDS } from './list-fields.ts';
import { at, rowsOf, tellRows, tellThing, textAt } from './tell.ts';

const COLUMNS = {
  id: 'id',
  kind: 'kind',
  sink: 'sink',
  database: 'database',
  state: 'state',
  table: 'progress.table',
  '-done': 'progress.done',
  '-of': 'progress.total',
  '-%': 'progress.percent',
  left: 'left',
  reason: 'reason',
};

const DIFFERENCE = { kind: 'kind', index: 'index', _id: 'id', table: 'table', fields: 'fields', reason: 'reason' };

const withLeft = (row: unknown): unknown => {
  const seconds = at(row, 'progress.seconds_left');
  return { ...Object(row), left: typeof seconds === 'number' ? duration(seconds) : null };
};

const VERBS: [string, string, string][] = [
  ['pause', 'pause a job until it is resumed', 'is paused'],
  ['resume', 'continue a job that is paused or has failed from where it stopped', 'goes on'],
  ['cancel', 'end a job for good; what it has done stays done', 'is cancelled'],
];

const verbs = VERBS.map(
  ([verb, about, done]): RouteCommand => ({
    words: `${verb} <id>`,
    about,
    route: `POST /api/operations/:id/${verb}`,
    examples: [`${verb} 3f0c1c4e-6a36-4b5e-9f6e-0a8d6a1f7b11`],
    tell: (answer) => `${textAt(answer, 'kind')} ${textAt(answer, 'id')} ${done} (${textAt(answer, 'state')})`,
  }),
);

export const OPERATIONS: Group = {
  name: 'operation',
  plural: 'operations',
  about: 'list, follow and control backfills and other jobs',
  commands: [
    {
      words: 'list',
      about: 'list jobs, newest first',
      route: 'GET /api/operations',
      fields: [
        {
          flags: '--kind <kind>',
          about: 'only jobs of this kind: backfill, replay, verify, rebuild, resync, retry, discard',
          field: 'kind',
        },
        { flags: '--state <state>', about: 'waiting, running, paused, done, failed or cancelled', field: 'state' },
        { flags: '--sink <name>', about: 'only jobs of this sink', field: 'sink' },
        { flags: '--database <name>', about: 'only jobs of this database', field: 'database' },
        ...LIST_FIELDS,
      ],
      examples: ['list', 'list --state running'],
      tell: (answer) => tellRows(rowsOf(answer).map(withLeft), COLUMNS),
    },
    {
      words: 'show <id>',
      about: 'show a job: its progress, and what it waits for',
      route: 'GET /api/operations/:id',
      examples: ['show 3f0c1c4e-6a36-4b5e-9f6e-0a8d6a1f7b11'],
      tell: tellThing,
    },
    {
      words: 'watch <id>',
      about: 'follow a job until it has ended; exit code 2: a verification found drift',
      examples: ['watch 3f0c1c4e-6a36-4b5e-9f6e-0a8d6a1f7b11'],
      asks: WATCHING,
      watches: true,
      run: async (running) => await (await import('../jobs/follow.ts')).follows(running, running.arguments[0] ?? ''),
    },
    {
      words: 'differences <id>',
      about: 'list the differences that a verification found',
      route: 'GET /api/operations/:id/differences',
      fields: LIST_FIELDS,
      examples: ['differences 3f0c1c4e-6a36-4b5e-9f6e-0a8d6a1f7b11'],
      tell: (answer) => tellRows(rowsOf(answer), DIFFERENCE),
    },
    ...verbs,
  ],
};
