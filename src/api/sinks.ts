/** The routes of sinks: pull consumers, search indexes and others that are declared under `sinks:`. */
import { z } from 'zod';
import { countWaiting, type ListedReader, listReaders } from '../admin/list-readers.ts';
import { showSink } from '../admin/list-sinks.ts';
import { PAGE, pageOf } from './page.ts';
import { REF, type Route, route, shared } from './route.ts';
import { fitsFilter, SINK_FILTER, sinkRoutesOf } from './sink-routes.ts';
import { Sink, shownSink } from './sink-shape.ts';

const PLACE = { path: '/api/sinks', list: 'sinks', what: 'a sink', answer: Sink, shown: shownSink } as const;

const listRoute = route({
  method: 'GET',
  path: '/api/sinks',
  scope: 'read',
  summary: 'All sinks, with their health and how much is pending',
  input: z.strictObject({
    kind: z.string().optional(),
    ...SINK_FILTER,
    ...PAGE,
  }),
  answer: z.looseObject({ data: z.array(Sink), next_cursor: z.string().nullable() }),
  sql: 'millrace.sink_status',
  async run(deps, { limit, cursor, ...filter }, asking) {
    const { kind } = filter;
    const rows = (await deps.sinks()).filter(
      (sink) => (kind === undefined || sink.kind === kind) && fitsFilter(sink, filter),
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

const showRoute = shared({
  method: 'GET',
  path: '/api/sinks/:sink',
  scope: 'read',
  summary: 'One sink, by its name or id',
  input: z.strictObject({ sink: REF }),
  answer: Sink,
  sql: 'millrace.sink_status',
  async run({ db }, { sink: ref }, asking) {
    // Tabs ask for it each second or two: one transaction is a third of the round trips.
    return await db.transaction(async (tx) => {
      const sink = await showSink(tx, 'sinks', ref);
      return {
        ...shownSink(sink, asking),
        readers: (await listReaders(tx, sink.id)).map(shownReader),
        waiting_receives: await countWaiting(tx, sink.id),
      };
    });
  },
});

export const SINK_ROUTES: readonly Route[] = [listRoute, showRoute, ...sinkRoutesOf(PLACE)];
