/** What is beside a change table, as it is now, for a person who asks: nothing is made or changed. */
import {
  checkProgress,
  checkSeqIndex,
  type EntryFacts,
  type ProgressTableFacts,
  type SeqIndexFacts,
} from '../../checks/beside-change-table.ts';
import type { Finding } from '../../checks/finding.ts';
import type { Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import type { QuotedTable } from '../../model/quote.ts';
import { isSameDatabase } from './same-database.ts';
import { onTable, PROGRESS_TABLE } from './table-name.ts';

const INSPECT_SEQ_INDEX = statement('sinks/change-table/inspect-seq-index');
const LOOK_AT_PROGRESS = statement('sinks/change-table/look-at-progress');
const MAY_BE_BEHIND = statement('sinks/change-table/may-be-behind');
const WRITTEN_BEYOND = statement('sinks/change-table/written-beyond');
const CREATE_PROGRESS = statement('sinks/change-table/create-progress');
const WIDEN_PROGRESS = statement('sinks/change-table/widen-progress');

export interface KeptTable {
  table: QuotedTable;
  retentionId: string;
  /** Of the database that it keeps. */
  sourceId: string;
}

/** `tx`: a transaction in the database of the change table, which is there and fits. */
export async function lookBeside(
  { tx, messages }: { tx: Queryable; messages: Queryable },
  kept: KeptTable,
): Promise<Finding[]> {
  const { table } = kept;
  const index = (await tx.query<SeqIndexFacts>(INSPECT_SEQ_INDEX, [table.schema, table.name])).rows[0]!;
  const found = checkSeqIndex(table, index);
  if (await isSameDatabase(messages, tx)) return found;
  const progress = { schema: table.schema, name: PROGRESS_TABLE };
  const at = (await tx.query<ProgressTableFacts>(LOOK_AT_PROGRESS, [progress.schema, progress.name])).rows[0]!;
  const creation = [CREATE_PROGRESS, WIDEN_PROGRESS].map((one) => onTable(one, table).text.trim()).join('; ');
  const isReadable = at.isThere && at.mayWrite && index.is_there && index.may_read;
  const entries = isReadable ? await readEntries({ tx, messages }, kept) : undefined;
  return [...found, ...checkProgress(table, { retentionId: kept.retentionId, progress, at, creation, entries })];
}

async function readEntries(
  { tx, messages }: { tx: Queryable; messages: Queryable },
  { table, retentionId, sourceId }: KeptTable,
): Promise<EntryFacts | undefined> {
  const { rows } = await messages.query<{ since: Date; schema: string; name: string }>(MAY_BE_BEHIND, [retentionId]);
  if (rows[0] === undefined) return undefined;
  const { since, schema, name } = rows[0];
  const values = [retentionId, sourceId, schema, name, since];
  const read = await tx.query<{ noted: number; written: number | null }>(onTable(WRITTEN_BEYOND, table), values);
  return { databaseId: sourceId, table: { schema, name }, ...read.rows[0]! };
}
