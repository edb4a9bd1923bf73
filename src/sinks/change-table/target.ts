/** One retention's change table, with everything worked out that stays the same from batch to batch. */

import { withAnnotations } from '../../db/annotations-column.ts';
import { limitSql } from '../../db/deadline.ts';
import type { Database } from '../../db/pool.ts';
import { type Statement, statement } from '../../db/statement.ts';
import type { QuotedTable } from '../../model/quote.ts';
import type { Log } from '../../runtime/log.ts';
import type { ChangeTableDestination, RetentionPolicy } from './section.ts';
import { onTable } from './table-name.ts';
import type { Writing } from './write.ts';

export interface ChangeTableDeps {
  log: Pick<Log, 'info' | 'warn'>;
  /** A pool on the destination database. The caller keeps and closes it. */
  destination: Database;
  /** The message database. */
  messages: Database;
  /** Opens another database of the destination's server, where pg_cron may live; closed after use. */
  beside?: (database: string) => Promise<Database>;
}

export interface ChangeTableSettings {
  /** Id of the sink. */
  retentionId: string;
  sourceDatabaseId: string;
  destination: ChangeTableDestination;
}

export interface ChangeTableOptions {
  batchSize?: number;
  batchBytes?: number;
  /** How long a lock on the event table is waited for. */
  lockTimeoutMs?: number;
  /** How long the destination may take for a batch, or for a check. */
  timeoutMs?: number;
  /** How long the table is taken to fit before it is looked at again, for what ends some day (partitions, a serial). */
  recheckMs?: number;
}

export interface Wanted {
  table: QuotedTable;
  retentionId: string;
  create: boolean;
  policy: RetentionPolicy | null;
}

export interface Target {
  deps: ChangeTableDeps;
  wanted: Wanted;
  writing: Writing;
  /** `sinks/change-table/take` on the event table. */
  take: Statement;
  /** The same with the column for annotations. */
  takeAnnotated: Statement;
  /** For the transaction that writes: also what is checked at its end is refused at once, with its row. */
  begin: string;
  timeoutMs: number;
  recheckMs: number;
}

const INSERT = statement('sinks/change-table/insert');
const TAKE = statement('sinks/change-table/take');

export function targetOf(deps: ChangeTableDeps, settings: ChangeTableSettings, options: ChangeTableOptions): Target {
  const { table_schema: schema, table_name: name, create_if_not_exists: create, retention } = settings.destination;
  const table = { schema, name };
  return {
    deps,
    wanted: { table, retentionId: settings.retentionId, create, policy: retention },
    writing: {
      table,
      policy: retention,
      insert: onTable(INSERT, table),
      annotated: withAnnotations(onTable(INSERT, table)),
      sourceDatabaseId: settings.sourceDatabaseId,
      refusals: { like: '', count: 0 },
    },
    take: onTable(TAKE, table),
    takeAnnotated: withAnnotations(onTable(TAKE, table)),
    begin: `${limitSql({ lockMs: options.lockTimeoutMs ?? 5_000 })}; set constraints all immediate`,
    timeoutMs: options.timeoutMs ?? 30_000,
    recheckMs: options.recheckMs ?? 60_000,
  };
}
