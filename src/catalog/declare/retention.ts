/**
 * `change_retentions:`. A retention is a sink with one source table and a change table as its destination; it is read
 * into the same shape, so that everything that knows sinks knows retentions.
 */
import { z } from 'zod';
import { cronSchedule } from '../../model/cron-schedule.ts';
import type { ChangeTableDestination, RetentionPolicy } from '../../model/declared.ts';
import { Bool, Name, period, TablePart, Text } from '../../model/scalars.ts';
import { refuse, section } from '../../model/section.ts';
import { type SinkDeclared, Status } from './sink.ts';
import { Actions, Filters } from './source.ts';

const Policy = section('change_retentions[].retention', {
  by: z.enum(['job', 'pg_cron', 'pg_partman']),
  keep: period(1),
  every: period(1).optional(),
  interval: period(1).optional(),
})
  .superRefine((policy, context) => {
    const { by, every, interval } = policy;
    if (by === 'pg_partman' && every !== undefined) {
      refuse(context, ['every'], {
        message: 'is not for `by: pg_partman`, whose own maintenance says when',
        remedy: 'Remove it; `interval` is the size of a partition.',
      });
    }
    if (by !== 'pg_partman' && interval !== undefined) {
      refuse(context, ['interval'], { message: 'is for `by: pg_partman`', remedy: 'Use `every`.' });
    }
    if (by === 'pg_cron' && every !== undefined && cronSchedule(every) === undefined) {
      refuse(context, ['every'], {
        message: 'must divide an hour into minutes, or a day into hours, for `by: pg_cron`',
        remedy: 'Write `10 minutes`, `1 hour` or `1 day`, say.',
      });
    }
  })
  .transform(
    ({ by, keep, every, interval }): RetentionPolicy =>
      by === 'pg_partman'
        ? { by, keep_seconds: keep, interval_seconds: interval ?? 86_400 }
        : { by, keep_seconds: keep, every_seconds: every ?? 600 },
  );

/** One entry of `change_retentions:`. */
export const DeclaredRetention = section(
  'change_retentions[]',
  {
    name: Name,
    status: Status,
    source_database: Text,
    source_table_schema: TablePart.default('public'),
    source_table_name: TablePart,
    actions: Actions,
    filters: Filters,
    destination_database: Text,
    destination_table_schema: TablePart.default('public'),
    destination_table_name: TablePart,
    create_if_not_exists: Bool.default(false),
    retention: Policy.nullable().default(null),
  },
  {
    initial_backfill: {
      message: 'is for sinks: a change table takes changes only, not rows that are there already',
      remedy: 'Remove it; `insert into ... select` fills a table of your own.',
    },
  },
)
  .superRefine((input, context) => {
    if (input.retention?.by !== 'pg_partman') return;
    for (const key of ['destination_table_schema', 'destination_table_name'] as const) {
      if (!input[key].includes("'")) continue;
      // Its maintenance would fail for every table.
      refuse(context, [key], {
        message: 'must not contain an apostrophe: pg_partman does not take it',
        remedy: 'Choose another name, or `by: pg_cron` or `job`.',
      });
    }
  })
  .transform((input): SinkDeclared => {
    const destination: ChangeTableDestination = {
      type: 'change_table',
      database: input.destination_database,
      table_schema: input.destination_table_schema,
      table_name: input.destination_table_name,
      create_if_not_exists: input.create_if_not_exists,
      retention: input.retention,
    };
    return {
      settings: {
        name: input.name,
        database: input.source_database,
        status: input.status,
        source: {
          include_schemas: null,
          exclude_schemas: null,
          include_tables: [`${input.source_table_schema}.${input.source_table_name}`],
          exclude_tables: null,
        },
        actions: input.actions,
        filters: input.filters,
        filter_leave: 'keep',
        filter: null,
        transform: null,
        routing: null,
        message_grouping: true,
        tables: [],
        annotations: {},
        max_retry_count: null,
        destination,
      },
      secret: null,
      notes: [],
    };
  });
