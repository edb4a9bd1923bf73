/** What pg_partman is asked for a change table, by what its database has of the extension. Reads catalogs only. */
import type { Queryable } from '../../../db/pool.ts';
import { statement } from '../../../db/statement.ts';
import type { QuotedTable } from '../../../model/quote.ts';
import type { RetentionPolicy } from '../section.ts';
import type { PartmanRequest } from './instructions.ts';
import { intervalText } from './interval-text.ts';

const INSPECT = statement('sinks/change-table/inspect-partman');

export type PartmanPolicy = Extract<RetentionPolicy, { by: 'pg_partman' }>;

export interface PartmanFound {
  role: string;
  /** Of the extension; null: it is not installed. */
  schema: string | null;
  /** Its major version, or the one that would be installed; null: the server does not have it. */
  major: number | null;
  /** pg_class.relkind of the table; null: no such table. */
  kind: string | null;
}

export async function inspectPartman(tx: Queryable, table: QuotedTable): Promise<PartmanFound> {
  return (await tx.query<PartmanFound>(INSPECT, [table.schema, table.name])).rows[0]!;
}

export function partmanRequest(table: QuotedTable, policy: PartmanPolicy, found: PartmanFound): PartmanRequest {
  return {
    table,
    variant: 'pg_partman',
    keep: intervalText(policy.keep_seconds),
    interval: intervalText(policy.interval_seconds),
    version: found.major !== null && found.major < 5 ? 4 : 5,
    ...(found.schema === null ? {} : { schema: found.schema }),
  };
}
