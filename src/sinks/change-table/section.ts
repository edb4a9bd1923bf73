/** What an entry of `change_retentions:` says of its change table. */
import { z } from 'zod';
import { cronSchedule } from '../../model/cron-schedule.ts';
import type { Destination } from '../../model/declared.ts';
import { Bool, period, TablePart, Text } from '../../model/scalars.ts';
import { refuse, section } from '../../model/section.ts';
import type { SinkSection } from '../contract.ts';
import { intervalText } from './policies/interval-text.ts';

export interface ChangeTableDestination extends Destination {
  type: 'change_table';
  /** Name of the declared database that holds the change table. */
  database: string;
  table_schema: string;
  table_name: string;
  create_if_not_exists: boolean;
  /** Who deletes entries older than keep_seconds; null keeps them for good. */
  retention: RetentionPolicy | null;
}

/** A job of ours, a job of pg_cron, or pg_partman, which drops whole partitions of interval_seconds. */
export type RetentionPolicy =
  | { by: 'job' | 'pg_cron'; keep_seconds: number; every_seconds: number }
  | { by: 'pg_partman'; keep_seconds: number; interval_seconds: number };

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

const keys = {
  destination_database: Text,
  destination_table_schema: TablePart.default('public'),
  destination_table_name: TablePart,
  create_if_not_exists: Bool.default(false),
  retention: Policy.nullable().default(null),
};

type Input = z.output<z.ZodObject<typeof keys>>;

export const changeTableSection: SinkSection<Input> = {
  title: 'change table',
  keys,
  read(input, context) {
    refuseApostrophes(input, context);
    const settings: ChangeTableDestination = {
      type: 'change_table',
      database: input.destination_database,
      table_schema: input.destination_table_schema,
      table_name: input.destination_table_name,
      create_if_not_exists: input.create_if_not_exists,
      retention: input.retention,
    };
    return { settings, secret: null };
  },
  write(destination) {
    const { database, table_schema, table_name, create_if_not_exists, retention } =
      destination as ChangeTableDestination;
    return {
      destination_database: database,
      destination_table_schema: table_schema,
      destination_table_name: table_name,
      create_if_not_exists,
      retention: retention && policyKeys(retention),
    };
  },
};

function policyKeys(policy: RetentionPolicy): object {
  const { by, keep_seconds } = policy;
  const rhythm =
    by === 'pg_partman'
      ? { interval: intervalText(policy.interval_seconds) }
      : { every: intervalText(policy.every_seconds) };
  return { by, keep: intervalText(keep_seconds), ...rhythm };
}

/** The maintenance of pg_partman would fail for every table. */
function refuseApostrophes(input: Input, context: z.core.$RefinementCtx): void {
  if (input.retention?.by !== 'pg_partman') return;
  for (const key of ['destination_table_schema', 'destination_table_name'] as const) {
    if (!input[key].includes("'")) continue;
    refuse(context, [key], {
      message: 'must not contain an apostrophe: pg_partman does not take it',
      remedy: 'Choose another name, or `by: pg_cron` or `job`.',
    });
  }
}
