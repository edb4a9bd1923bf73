/** The routes of sinks: pull consumers, search indexes and others that are declared under `sinks:`. */
import { z } from 'zod';
import type { ListedSink } from '../admin/list-sinks.ts';
import { PAGE, pageOf } from './page.ts';
import { route } from './route.ts';

const HEALTH = ['healthy', 'warning', 'error', 'paused'] as const;
type Health = (typeof HEALTH)[number];

const Sink = z.looseObject({
  id: z.uuid(),
  name: z.string(),
  kind: z.string(),
  database: z.string(),
  status: z.enum(['active', 'paused', 'disabled']),
  destination: z.looseObject({ type: z.string() }),
  transform: z.string(),
  filter: z.string(),
  routing: z.string(),
  health: z.looseObject({
    name: z.literal('Sink'),
    status: z.enum(HEALTH),
    checks: z.array(z.looseObject({ name: z.string() })),
  }),
  state: z.looseObject({
    health: z.string(),
    pending: z.number(),
    pending_is_estimate: z.boolean(),
    retrying: z.number(),
    parked: z.number(),
    oldest_committed_at: z.string().nullable(),
    error: z.string().nullable(),
    failing_since: z.string().nullable(),
    notices: z.array(z.looseObject({ code: z.string(), message: z.string() })),
  }),
  inserted_at: z.string(),
  updated_at: z.string(),
});

export const listSinks = route({
  method: 'GET',
  path: '/api/sinks',
  scope: 'read',
  summary: 'All sinks, with their health and how much is pending',
  input: z.strictObject({
    kind: z.string().optional(),
    database: z.string().optional(),
    status: z.enum(['active', 'paused', 'disabled'], 'must be active, paused or disabled').optional(),
    health: z.enum(HEALTH, 'must be healthy, warning, error or paused').optional(),
    ...PAGE,
  }),
  answer: z.looseObject({ data: z.array(Sink), next_cursor: z.string().nullable() }),
  sql: 'millrace.sink_status',
  async run(deps, { limit, cursor, ...filter }, { isAdmin }) {
    const { kind, database, status, health } = filter;
    const rows = (await deps.sinks()).filter(
      (sink) =>
        (kind === undefined || sink.kind === kind) &&
        (database === undefined || sink.database === database || sink.database_id === database) &&
        (status === undefined || sink.status === status) &&
        (health === undefined || healthOf(sink) === health),
    );
    const { data, next_cursor } = pageOf(rows, { limit, cursor }, filter);
    return { data: data.map((sink) => shown(sink, isAdmin)), next_cursor };
  },
});

const LEVELS: Record<ListedSink['level'], Health> = {
  ok: 'healthy',
  warning: 'warning',
  failing: 'error',
  unknown: 'error',
};

const healthOf = ({ status, level }: ListedSink): Health => (status === 'active' ? LEVELS[level] : 'paused');

/** What a destination answered may quote a row: only an admin reads it. */
function shown(sink: ListedSink, isAdmin: boolean): z.input<typeof Sink> {
  const { id, name, kind, database, status, settings } = sink;
  const { source, actions, filters, max_retry_count, message_grouping, annotations, destination } = settings;
  const functions = {
    transform: settings.transform ?? 'none',
    filter: settings.filter ?? 'none',
    routing: settings.routing ?? 'none',
  };
  const { pending, pending_is_estimate, retrying, parked, oldest_committed_at, notices } = sink;
  return {
    ...{ id, name, kind, database, status, source, actions, filters, ...functions },
    ...{ max_retry_count, message_grouping, annotations, destination: { ...destination } },
    health: { name: 'Sink', status: healthOf(sink), checks: sink.reasons.map((reason) => ({ name: reason })) },
    state: {
      ...{ health: sink.health, pending, pending_is_estimate, retrying, parked, oldest_committed_at },
      ...{ error: isAdmin ? sink.error : null, failing_since: sink.failing_since?.toISOString() ?? null, notices },
    },
    inserted_at: sink.inserted_at.toISOString(),
    updated_at: sink.updated_at.toISOString(),
  };
}
