/** The SQL that makes a change table, asked for by the words of `millrace change-table sql`; every fault names its option. */

import { MillraceError } from '../model/errors.ts';
import { parsePeriodSeconds } from '../model/scalars.ts';
import { type InstructionsRequest, instructions } from '../sinks/change-table/policies/instructions.ts';
import { intervalText } from '../sinks/change-table/policies/interval-text.ts';
import { parseTableName } from '../sinks/change-table/table-name.ts';

export interface TableOptions {
  /** `schema.table`, `table` of schema public, or quoted as in SQL. */
  table: string;
  variant: string;
  keep?: string;
  interval?: string;
  partmanVersion?: string;
  /** The database that holds the event table; needed with `cronDatabase`. */
  database?: string;
  cronDatabase?: string;
}

const VARIANTS = ['plain', 'job', 'pg_cron', 'pg_partman'];
/** Which options mean something to which variant. */
const USED: Record<string, string[]> = {
  plain: [],
  job: [],
  pg_cron: ['keep', 'database', 'cronDatabase'],
  pg_partman: ['keep', 'interval', 'partmanVersion'],
};

/** Statements and notes, to run where the change table goes. @throws MillraceError bad_request. */
export const changeTableSql = (options: TableOptions): string => instructions(tableRequest(options));

/** What is asked for, with the documented defaults. @throws MillraceError bad_request. */
export function tableRequest(options: TableOptions): InstructionsRequest {
  const table = parseTableName(options.table);
  if (table === undefined) {
    throw fault('--table is not the name of a table', 'Write orders_events, public.orders_events or "My Schema"."T".');
  }
  const { variant } = options;
  const used = USED[variant];
  if (used === undefined) throw fault(`--variant ${variant} is not known`, `Use one of: ${VARIANTS.join(', ')}.`);
  for (const [key, value] of Object.entries(options)) {
    if (value === undefined || key === 'table' || key === 'variant' || used.includes(key)) continue;
    throw fault(`--${kebab(key)} means nothing with --variant ${variant}`, 'Leave it out.');
  }
  const keep = period('keep', options.keep ?? '30 days');
  if (variant === 'plain' || variant === 'job') return { table, variant };
  if (variant === 'pg_partman') {
    const version = options.partmanVersion ?? '5';
    if (version !== '4' && version !== '5') {
      throw fault(
        '--partman-version must be 4 or 5',
        "See: select extversion from pg_extension where extname = 'pg_partman'.",
      );
    }
    const interval = period('interval', options.interval ?? '1 day');
    return { table, variant, keep, interval, version: version === '4' ? 4 : 5 };
  }
  const { database, cronDatabase } = options;
  if ((database === undefined) !== (cronDatabase === undefined)) {
    const missing = database === undefined ? 'database' : 'cron-database';
    const remedy = '--cron-database is the one that has pg_cron, --database the one of the change table.';
    throw fault(`--${missing} is missing: the two go together`, remedy);
  }
  const elsewhere =
    database === undefined || cronDatabase === undefined ? {} : { elsewhere: { database, cronDatabase } };
  return { table, variant: 'pg_cron', keep, ...elsewhere };
}

function period(option: string, text: string): string {
  const seconds = parsePeriodSeconds(text);
  if (seconds === undefined || seconds === 0) {
    throw fault(
      `--${option} must be a period of time`,
      'Write a number and a unit: "30 days", "12 hours", "10 minutes".',
    );
  }
  return intervalText(seconds);
}

const kebab = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const fault = (message: string, remedy: string): MillraceError => new MillraceError('bad_request', message, { remedy });
