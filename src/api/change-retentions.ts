/** The routes of change retentions: sinks whose destination is a change table, declared under `change_retentions:`. */
import { z } from 'zod';
import { showSink } from '../admin/list-sinks.ts';
import { attemptsOf } from './attempts.ts';
import { settleMessagesOf } from './failed-messages.ts';
import { HEALTH, healthOf } from './health-shape.ts';
import { messageGroupsOf } from './message-groups.ts';
import { readMessagesOf } from './messages.ts';
import { metricsOf } from './metrics.ts';
import { PAGE, pageOf } from './page.ts';
import { REF, type Route, route } from './route.ts';
import { changesOf } from './sink-changes.ts';
import { ChangeRetention, STATUS, shownRetention } from './sink-shape.ts';
import { testsOf } from './sink-tests.ts';
import { verbsOf } from './sink-verbs.ts';

const PATH = '/api/change_retentions';
const PLACE = { path: PATH, list: 'change_retentions', what: 'a change retention' } as const;

const listRoute = route({
  method: 'GET',
  path: PATH,
  scope: 'read',
  summary: 'All change retentions, with their health and how much is pending',
  input: z.strictObject({
    database: z.string().optional(),
    status: z.enum(STATUS, 'must be active, paused or disabled').optional(),
    health: z.enum(HEALTH, 'must be healthy, warning, error or paused').optional(),
    ...PAGE,
  }),
  answer: z.looseObject({ data: z.array(ChangeRetention), next_cursor: z.string().nullable() }),
  sql: 'millrace.sink_status',
  async run(deps, { limit, cursor, ...filter }, asking) {
    const { database, status, health } = filter;
    const rows = (await deps.changeRetentions()).filter(
      (sink) =>
        (database === undefined || sink.database === database || sink.database_id === database) &&
        (status === undefined || sink.status === status) &&
        (health === undefined || healthOf(sink) === health),
    );
    const { data, next_cursor } = pageOf(rows, { limit, cursor }, filter);
    return { data: data.map((sink) => shownRetention(sink, asking)), next_cursor };
  },
});

const showRoute = route({
  method: 'GET',
  path: `${PATH}/:sink`,
  scope: 'read',
  summary: 'One change retention, by its name or id',
  input: z.strictObject({ sink: REF }),
  answer: ChangeRetention,
  sql: 'millrace.sink_status',
  run: async (deps, { sink }, asking) => shownRetention(await showSink(deps.db, 'change_retentions', sink), asking),
});

export const CHANGE_RETENTION_ROUTES: readonly Route[] = [
  listRoute,
  showRoute,
  ...changesOf({ ...PLACE, answer: ChangeRetention, shown: shownRetention }),
  ...verbsOf({ ...PLACE, answer: ChangeRetention, shown: shownRetention }),
  ...testsOf(PLACE),
  metricsOf(PLACE),
  messageGroupsOf(PLACE),
  ...readMessagesOf(PLACE),
  ...attemptsOf(PLACE),
  ...settleMessagesOf(PLACE),
];
