/**
 * The event table in the user's database: making it, and finding out whether it is one. Making it is safe when several
 * workers do it at once: `create table if not exists` alone is not (two can collide in the catalogs), so they queue.
 */

import { type Comparison, compareTable } from '../../checks/change-table.ts';
import type { FoundTable } from '../../checks/change-table-columns.ts';
import type { Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import type { QuotedTable } from '../../model/quote.ts';
import { instructions } from './policies/instructions.ts';
import { inspectPartman, partmanRequest } from './policies/partman-request.ts';
import type { RetentionPolicy } from './section.ts';
import { onTable, PROGRESS_TABLE } from './table-name.ts';

const CREATE_TABLE = statement('sinks/change-table/create-table');
const INDEX_SEQ = statement('sinks/change-table/index-seq');
const INDEX_TABLE = statement('sinks/change-table/index-table');
const INSPECT_TABLE = statement('sinks/change-table/inspect-table');
const INSPECT_PARTITIONS = statement('sinks/change-table/inspect-partitions');
const CREATE_PROGRESS = statement('sinks/change-table/create-progress');
const WIDEN_PROGRESS = statement('sinks/change-table/widen-progress');
const INSPECT_PROGRESS = statement('sinks/change-table/inspect-progress');

/**
 * Holds for the transaction; the key belongs to us and to nothing else that we lock. Anybody who may connect can hold it as
 * well, so it is waited for only as long as a creation takes: should two then collide, one of them tries again later.
 */
const ONE_CREATOR = `do $$
begin
  for i in 1..20 loop
    exit when pg_catalog.pg_try_advisory_xact_lock(pg_catalog.hashtextextended('millrace: create a change table', 0));
    perform pg_catalog.pg_sleep(0.1);
  end loop;
end $$`;

export async function queueCreators(tx: Queryable): Promise<void> {
  await tx.query(ONE_CREATOR);
}

/**
 * Creates the table when it is missing, with the index by which entries are read in their order; with `index`, also the one on
 * committed_at that our retention job wants.
 * An existing table is left as it is. Throws what Postgres says (42501: no right to create; 3F000: no such schema).
 */
export async function createChangeTable(
  tx: Queryable,
  table: QuotedTable,
  options: { index?: boolean } = {},
): Promise<void> {
  await tx.query(ONE_CREATOR);
  if ((await inspectTable(tx, table)).kind !== null) return;
  await tx.query(onTable(CREATE_TABLE, table).text);
  await tx.query(onTable(INDEX_SEQ, table).text);
  if (options.index) await tx.query(onTable(INDEX_TABLE, table).text);
}

/**
 * Compares the table with the fixed columns: every fault with the statement that fixes it, which makes a missing table as `policy`
 * needs it. Reads catalogs only.
 */
export async function verifyChangeTable(
  db: Queryable,
  table: QuotedTable,
  policy: RetentionPolicy | null,
): Promise<Comparison> {
  const found = await inspectTable(db, table);
  return compareTable(table, found, found.kind === null ? await creationSql(db, table, policy) : '');
}

/** A job of pg_cron is asked for when the table is there: it may be in another database. */
async function creationSql(db: Queryable, table: QuotedTable, policy: RetentionPolicy | null): Promise<string> {
  if (policy?.by === 'pg_partman') return instructions(partmanRequest(table, policy, await inspectPartman(db, table)));
  return instructions({ table, variant: policy === null ? 'plain' : 'job' });
}

/** Creates `millrace_progress` beside the change table when it, or one of its columns, is missing. */
export async function createProgressTable(tx: Queryable, table: QuotedTable): Promise<void> {
  if (await hasProgress(tx, table)) return;
  await tx.query(ONE_CREATOR);
  if (await hasProgress(tx, table)) return;
  await tx.query(onTable(CREATE_PROGRESS, table).text);
  await tx.query(onTable(WIDEN_PROGRESS, table).text);
}

async function hasProgress(tx: Queryable, table: QuotedTable): Promise<boolean> {
  const { rows } = await tx.query<{ columns: number }>(INSPECT_PROGRESS, [table.schema, PROGRESS_TABLE]);
  return rows[0]?.columns === 3;
}

interface Partitions {
  few_ahead: boolean;
  none_now: boolean;
  holder: QuotedTable | null;
  free_from: string;
  free_to: string;
}

/** What there is under this name. Reads catalogs only. */
export async function inspectTable(db: Queryable, table: QuotedTable): Promise<FoundTable> {
  const name = [table.schema, table.name];
  const found = (await db.query<FoundTable>(INSPECT_TABLE, name)).rows[0]!;
  if (found.kind !== 'p') return { ...found, few_ahead: false };
  const { rows } = await db.query<Partitions>(INSPECT_PARTITIONS, name);
  const { few_ahead, none_now, holder, free_from: from, free_to: to } = rows[0]!;
  return { ...found, few_ahead, none_now: none_now ? { of: holder ?? table, from, to } : undefined };
}
