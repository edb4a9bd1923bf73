/** How a sink and a change retention are shown: the keys of the file, then how it is. Read-only keys may come back unread. */
import { z } from 'zod';
import { knownOfSink } from '../admin/doctor/known-checks.ts';
import type { ListedSink } from '../admin/list-sinks.ts';
import { shownInterval } from '../admin/retention-sql.ts';
import { maskedDestination, writtenDestination } from '../catalog/declare/written.ts';
import { shownSeconds } from './database-shape.ts';
import { healthOf, healthShape, shownHealthChecks } from './health-shape.ts';
import type { Permitted } from './route.ts';
import { STANDING } from './standing-shape.ts';

export const STATUS = ['active', 'paused', 'disabled'] as const;

/** As answers have it. */
export const SINK_LAG = z
  .number()
  .nullable()
  .meta({
    description:
      'How many seconds ago the source committed the oldest message that waits: of all but the parked ones, those that clients have and those ' +
      'that back off included. By the clocks of the source and of the message database. Null: nothing waits, or the ' +
      '1,000 oldest messages of a lane are all parked: what is behind so many is not looked for.',
  });

const DELIVERED = {
  first_delivered_at: z
    .string()
    .nullable()
    .meta({
      description:
        'When the first message of all was delivered to it, by the clock of the message database; of a pull consumer acknowledged over HTTP. ' +
        'Null: none was, or it was before releases that write it down.',
    }),
  last_delivered_at: z.string().nullable().meta({
    description: 'When a message was delivered to it last, as first_delivered_at. It is written at most every 10 s.',
  }),
  last_delivery_ms: z
    .number()
    .nullable()
    .meta({
      description:
        'How many milliseconds after its commit at the source that last message was delivered, by the clocks of the source and of the process ' +
        'that delivered it. Null: not known.',
    }),
};

const shared = {
  id: z.uuid(),
  name: z.string(),
  status: z.enum(STATUS),
  actions: z.array(z.string()).optional(),
  health: healthShape('Sink'),
  state: z.looseObject({
    health: z.string(),
    pending: z.number(),
    pending_is_estimate: z.boolean(),
    retrying: z.number(),
    parked: z.number(),
    oldest_committed_at: z.string().nullable(),
    lag_seconds: SINK_LAG,
    ...DELIVERED,
    error: z.string().nullable(),
    failing_since: z.string().nullable(),
    next_probe_at: z.string().nullable(),
    notices: z.array(z.looseObject({ code: z.string(), message: z.string() })),
  }),
  ...STANDING,
  status_by: z.enum(['file', 'operator']),
  status_reason: z.string().nullable(),
  version: z.number(),
  updated_by: z.string().nullable(),
  inserted_at: z.string(),
  updated_at: z.string(),
};

export const Sink = z
  .looseObject({
    ...shared,
    kind: z.string(),
    database: z.string(),
    destination: z.looseObject({ type: z.string() }),
    active_backfills: z.array(z.looseObject({ id: z.uuid(), table: z.string().nullable(), state: z.string() })),
    readers: z
      .array(
        z.looseObject({
          token: z.string(),
          received_at: z.string().nullable(),
          acked_at: z.string().nullable(),
          address: z.string(),
        }),
      )
      .optional(),
    waiting_receives: z.number().optional(),
    max_retry_count: z.number().nullable().optional(),
    annotations: z.record(z.string(), z.string()).optional(),
    filter: z.string(),
    transform: z.string(),
    routing: z.string(),
  })
  .meta({ id: 'Sink' });

export const ChangeRetention = z
  .looseObject({
    ...shared,
    source_database: z.string(),
    source_table_schema: z.string(),
    source_table_name: z.string(),
    destination_database: z.string(),
    destination_table_schema: z.string(),
    destination_table_name: z.string(),
  })
  .meta({ id: 'ChangeRetention' });

export function shownSink(sink: ListedSink, asking: Permitted): z.input<typeof Sink> {
  const { kind, database, settings, active_backfills } = sink;
  const { destination } = settings;
  const { source, max_retry_count, message_grouping, annotations, tables, filter_leave } = settings;
  const functions = {
    transform: settings.transform ?? 'none',
    filter: settings.filter ?? 'none',
    routing: settings.routing ?? 'none',
  };
  return {
    active_backfills,
    ...{ kind, database, source, ...functions, max_retry_count, message_grouping, annotations, tables, filter_leave },
    destination: {
      type: destination.type,
      ...(sink.secret === null ? writtenDestination(destination, null) : maskedDestination(destination)),
    },
    ...shownOf(sink, asking),
  };
}

function shownOf(sink: ListedSink, asking: Permitted) {
  const { id, name, status, settings } = sink;
  const { actions, filters } = settings;
  const { pending, pending_is_estimate, retrying, parked, oldest_committed_at, notices } = sink;
  // What a destination answered may quote a row.
  const error = asking.may('read:data') ? sink.error : null;
  return {
    ...{ id, name, status, actions, filters },
    health: { name: 'Sink' as const, status: healthOf(sink), checks: shownHealthChecks(knownOfSink(sink)) },
    state: {
      ...{ health: sink.health, pending, pending_is_estimate, retrying, parked, oldest_committed_at },
      ...{ lag_seconds: shownSeconds(sink.lag_seconds), last_delivery_ms: sink.last_delivery_ms },
      first_delivered_at: sink.first_delivered_at?.toISOString() ?? null,
      last_delivered_at: sink.last_delivered_at?.toISOString() ?? null,
      ...{ error, failing_since: sink.failing_since?.toISOString() ?? null },
      ...{ next_probe_at: sink.next_probe_at?.toISOString() ?? null, notices },
    },
    ...{ managed_by: sink.managed_by, declared_from: sink.declared_from, entry_name: sink.entry_name },
    status_by: sink.status_by,
    status_reason: sink.status_reason,
    ...{ version: sink.version, updated_by: sink.updated_by },
    inserted_at: sink.inserted_at.toISOString(),
    updated_at: sink.updated_at.toISOString(),
  };
}

const ChangeTable = z.object({
  database: z.string(),
  table_schema: z.string(),
  table_name: z.string(),
  create_if_not_exists: z.boolean().default(false),
  retention: z
    .object({
      by: z.string(),
      keep_seconds: z.number(),
      every_seconds: z.number().optional(),
      interval_seconds: z.number().optional(),
    })
    .nullable()
    .default(null),
});

const period = (key: string, seconds: number | undefined) =>
  seconds === undefined ? {} : { [key]: shownInterval(seconds) };

export function shownRetention(sink: ListedSink, asking: Permitted): z.input<typeof ChangeRetention> {
  // schema.table, as the catalog writes it; a dot may be part of neither.
  const [schema = '', table = ''] = sink.settings.source.include_tables?.[0]?.split('.') ?? [];
  const into = ChangeTable.parse(sink.settings.destination);
  const policy = into.retention;
  return {
    ...shownOf(sink, asking),
    ...{ source_database: sink.database, source_table_schema: schema, source_table_name: table },
    destination_database: into.database,
    ...{ destination_table_schema: into.table_schema, destination_table_name: into.table_name },
    create_if_not_exists: into.create_if_not_exists,
    retention: policy && {
      ...{ by: policy.by, ...period('keep', policy.keep_seconds) },
      ...{ ...period('every', policy.every_seconds), ...period('interval', policy.interval_seconds) },
    },
  };
}
