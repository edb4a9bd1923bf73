/** The SQL that makes a change table, and what deletes its old entries: as declared, or as asked for. */
import { type InstructionsRequest, instructions } from '../sinks/change-table/policies/instructions.ts';
import { intervalText } from '../sinks/change-table/policies/interval-text.ts';
import type { ChangeTableDestination } from '../sinks/change-table/section.ts';

export interface SqlChoice {
  variant?: 'plain' | 'job' | 'pg_cron' | 'pg_partman' | undefined;
  /** Seconds. */
  keep?: number | undefined;
  interval?: number | undefined;
  partman_version?: '4' | '5' | undefined;
}

const KEEP_SECONDS = 30 * 86_400;
const INTERVAL_SECONDS = 86_400;

export const shownInterval = intervalText;

/** What is not asked for is as declared. @throws MillraceError bad_request for a name that pg_partman cannot take. */
export function retentionSql(
  into: Pick<ChangeTableDestination, 'table_schema' | 'table_name' | 'retention'> & { database: string | null },
  choice: SqlChoice = {},
): { sql: string; run_on: string } {
  const run_on = into.database === null ? 'the database of the change table' : `database ${into.database}`;
  return { sql: instructions(requestOf(into, choice)), run_on };
}

function requestOf(
  { table_schema, table_name, retention }: Pick<ChangeTableDestination, 'table_schema' | 'table_name' | 'retention'>,
  { variant = retention?.by ?? 'plain', keep, interval, partman_version = '5' }: SqlChoice,
): InstructionsRequest {
  const table = { schema: table_schema, name: table_name };
  if (variant === 'plain' || variant === 'job') return { table, variant };
  const kept = intervalText(keep ?? retention?.keep_seconds ?? KEEP_SECONDS);
  if (variant === 'pg_cron') return { table, variant, keep: kept };
  const declared = retention?.by === 'pg_partman' ? retention.interval_seconds : INTERVAL_SECONDS;
  const size = intervalText(interval ?? declared);
  return { table, variant, keep: kept, interval: size, version: partman_version === '4' ? 4 : 5 };
}
