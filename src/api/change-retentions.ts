/** The routes of change retentions: sinks whose destination is a change table, declared under `change_retentions:`. */
import { z } from 'zod';
import { showSink } from '../admin/list-sinks.ts';
import { PAGE, pageOf } from './page.ts';
import { REF, type Route, route, shared } from './route.ts';
import { fitsFilter, SINK_FILTER, sinkRoutesOf } from './sink-routes.ts';
import { ChangeRetention, shownRetention } from './sink-shape.ts';

const PATH = '/api/change_retentions';
const PLACE = {
  path: PATH,
  list: 'change_retentions',
  what: 'a change retention',
  answer: ChangeRetention,
  shown: shownRetention,
} as const;

const listRoute = route({
  method: 'GET',
  path: PATH,
  scope: 'read',
  summary: 'All change retentions, with their health and how much is pending',
  input: z.strictObject({
    ...SINK_FILTER,
    ...PAGE,
  }),
  answer: z.looseObject({ data: z.array(ChangeRetention), next_cursor: z.string().nullable() }),
  sql: 'millrace.sink_status',
  async run(deps, { limit, cursor, ...filter }, asking) {
    const rows = (await deps.changeRetentions()).filter((sink) => fitsFilter(sink, filter));
    const { data, next_cursor } = pageOf(rows, { limit, cursor }, filter);
    return { data: data.map((sink) => shownRetention(sink, asking)), next_cursor };
  },
});

const showRoute = shared({
  method: 'GET',
  path: `${PATH}/:sink`,
  scope: 'read',
  summary: 'One change retention, by its name or id',
  input: z.strictObject({ sink: REF }),
  answer: ChangeRetention,
  sql: 'millrace.sink_status',
  run: async (deps, { sink }, asking) => shownRetention(await showSink(deps.db, 'change_retentions', sink), asking),
});

export const CHANGE_RETENTION_ROUTES: readonly Route[] = [listRoute, showRoute, ...sinkRoutesOf(PLACE)];
