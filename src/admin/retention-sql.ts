/** The SQL that makes a change table, and what deletes its old entries: as declared, or as asked for. */
import { cronSchedule } from '../model/cron-schedule.ts';
import { MillraceError } from '../model/errors.ts';
import { type InstructionsRequest, instructions } from '../sinks/change-table/policies/instructions.ts';
import { intervalText } from '../sinks/change-table/policies/interval-text.ts';
import type { ChangeTableDestination } from '../sinks/change-table/section.ts';

export interface SqlChoice {
  variant?: 'plain' | 'job' | 'pg_cron' | 'pg_partman' | undefined;
  /** Seconds. */
  keep?: number | undefined;
  every?: number | undefined;
  interval?: number | undefined;
  partman_version?: '4' | '5' | undefined;
  /** Of the server: the one that has pg_cron, where it is not that of the change table. */
  cron_database?: string | undefined;
}

/** What means something to which variant. */
const USED: Record<NonNullable<SqlChoice['variant']>, readonly string[]> = {
  plain: [],
  job: [],
  pg_cron: ['keep', 'every', 'cron_database'],
  pg_partman: ['keep', 'interval', 'partman_version'],
};

const KEEP_SECONDS = 30 * 86_400;
const EVERY_SECONDS = 600;
const INTERVAL_SECONDS = 86_400;

export const shownInterval = intervalText;

/** `database`: as its server calls it; null: nobody knows. */
type Into = Pick<ChangeTableDestination, 'table_schema' | 'table_name' | 'retention'> & { database: string | null };

/**
 * What is not asked for is as declared. @throws MillraceError bad_request for a name that pg_partman cannot take; invalid for
 * what the variant makes nothing of.
 */
export function retentionSql(into: Into, choice: SqlChoice = {}): { sql: string; run_on: string } {
  const run_on = into.database === null ? 'the database of the change table' : `database ${into.database}`;
  return { sql: instructions(requestOf(into, choice)), run_on };
}

function requestOf(
  { table_schema, table_name, retention, database }: Into,
  { variant = retention?.by ?? 'plain', ...choice }: SqlChoice,
): InstructionsRequest {
  refuseUnused(variant, choice);
  const { keep, every, interval, partman_version = '5', cron_database } = choice;
  const table = { schema: table_schema, name: table_name };
  if (variant === 'plain' || variant === 'job') return { table, variant };
  const kept = intervalText(keep ?? retention?.keep_seconds ?? KEEP_SECONDS);
  if (variant === 'pg_cron') {
    const often = every ?? (retention?.by === 'pg_cron' ? retention.every_seconds : EVERY_SECONDS);
    const schedule = cronSchedule(often);
    if (schedule === undefined) throw invalid('every', 'must divide an hour into minutes, or a day into hours');
    const job = { table, variant, keep: kept, schedule };
    if (cron_database === undefined || cron_database === database) return job;
    if (database === null) throw invalid('destination_database', 'must be named beside cron_database');
    return { ...job, elsewhere: { database, cronDatabase: cron_database } };
  }
  const declared = retention?.by === 'pg_partman' ? retention.interval_seconds : INTERVAL_SECONDS;
  const size = intervalText(interval ?? declared);
  return { table, variant, keep: kept, interval: size, version: partman_version === '4' ? 4 : 5 };
}

/** @throws MillraceError invalid */
function refuseUnused(variant: keyof typeof USED, choice: SqlChoice): void {
  const given = Object.entries(choice).filter(([, value]) => value !== undefined);
  for (const [key] of given) {
    if (!USED[variant].includes(key)) throw invalid(key, `means nothing with variant ${variant}`);
  }
}

const invalid = (field: string, message: string): MillraceError =>
  new MillraceError('invalid', `Not valid: ${field}`, { faults: [{ field, message }] });
