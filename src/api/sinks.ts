/** The routes of sinks: pull consumers, search indexes and others that are declared under `sinks:`. */
import { z } from 'zod';
import { type ListedReader, listReaders } from '../admin/list-readers.ts';
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
import { Sink, STATUS, shownSink } from './sink-shape.ts';
import { testsOf } from './sink-tests.ts';
import { verbsOf } from './sink-verbs.ts';

const PLACE = { path: '/api/sinks', list: 'sinks', what: 'a sink' } as const;

const listRoute = route({
  method: 'GET',
  path: '/api/sinks',
  scope: 'read',
  summary: 'All sinks, with their health and how much is pending',
  input: z.strictObject({
    kind: z.string().optional(),
    database: z.string().optional(),
    status: z.enum(STATUS, 'must be active, paused or disabled').optional(),
    health: z.enum(HEALTH, 'must be healthy, warning, error or paused').optional(),
    ...PAGE,
  }),
  answer: z.looseObject({ data: z.array(Sink), next_cursor: z.string().nullable() }),
  sql: 'millrace.sink_status',
  async run(deps, { limit, cursor, ...filter }, asking) {
    const { kind, database, status, health } = filter;
    const rows = (await deps.sinks()).filter(
      (sink) =>
        (kind === undefined || sink.kind === kind) &&
        (database === undefined || sink.database === database || sink.database_id === database) &&
        (status === undefined || sink.status === status) &&
        (health === undefined || healthOf(sink) === health),
    );
    const { data, next_cursor } = pageOf(rows, { limit, cursor }, filter);
    return { data: data.map((sink) => shownSink(sink, asking)), next_cursor };
  },
});

const shownReader = ({ received_at, acked_at, ...reader }: ListedReader) => ({
  ...reader,
  received_at: received_at?.toISOString() ?? null,
  acked_at: acked_at?.toISOString() ?? null,
});

const showRoute = route({
  method: 'GET',
  path: '/api/sinks/:sink',
  scope: 'read',
  summary: 'One sink, by its name or id',
  input: z.strictObject({ sink: REF }),
  answer: Sink,
  sql: 'millrace.sink_status',
  async run({ db }, { sink: ref }, asking) {
    const sink = await showSink(db, 'sinks', ref);
    return { ...shownSink(sink, asking), readers: (await listReaders(db, sink.id)).map(shownReader) };
  },
});

export const SINK_ROUTES: readonly Route[] = [
  listRoute,
  showRoute,
  ...changesOf({ ...PLACE, answer: Sink, shown: shownSink }),
  ...verbsOf({ ...PLACE, answer: Sink, shown: shownSink }),
  ...testsOf(PLACE),
  metricsOf(PLACE),
  messageGroupsOf(PLACE),
  ...readMessagesOf(PLACE),
  ...attemptsOf(PLACE),
  ...settleMessagesOf(PLACE),
];
