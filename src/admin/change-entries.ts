/** What a change table holds, for a person who looks: entries by `seq`, and how its old entries are deleted. */
import { type ChangeTable, onChangeTable, openReplayed, type SourceName } from '../backfill/replay/change-table.ts';
import { loadCatalog } from '../catalog/store.ts';
import type { Queryable } from '../db/pool.ts';
import { type Statement, statement } from '../db/statement.ts';
import { type ErrorCode, MillraceError } from '../model/errors.ts';
import { quoteTable } from '../model/quote.ts';
import type { ChangeTableDestination } from '../sinks/change-table/section.ts';
import type { NamedSink } from './find-sink.ts';
import type { OutsideDeps } from './outside.ts';

const OLDEST = statement('admin/change-entries');
const NEWEST = statement('admin/change-entries-newest');
const KEPT = statement('admin/kept-table');
const AHEAD = statement('admin/partitions-ahead');
const RUN = statement('admin/retention-run');

/** A filter that fits little in a large table finds nothing in that time. */
const READ_MS = 8_000;
const ELSEWHERE: readonly ErrorCode[] = ['bad_source', 'bad_destination', 'unavailable'];

export interface EntryFilter {
  record_pk?: string | undefined;
  action?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  from_seq?: string | undefined;
  to_seq?: string | undefined;
}

export interface ChangeEntry {
  id: number;
  seq: number;
  source_table_schema: string;
  source_table_name: string;
  record_pk: string;
  action: string;
  /** JSON texts. */
  record: string;
  changes: string | null;
  committed_at: string;
  inserted_at: string;
}

/** Where a page begins: behind the entry of this seq and id. */
export type EntryPlace = readonly [seq: number, id: number];

/** Of a retention that may have been removed since it was found. @throws MillraceError not_found */
function known<Row>({ name }: NamedSink, [row]: readonly Row[]): Row {
  if (row !== undefined) return row;
  throw new MillraceError('not_found', `the change retention ${name} is not declared any more`, {
    remedy: 'Ask for another one: `GET /api/change_retentions` lists them.',
  });
}

/** So many of the table that the retention keeps, behind this place. @throws MillraceError not_found; source_unavailable, with the server's words. */
export async function readEntries(
  on: OutsideDeps,
  wanted: {
    retention: NamedSink;
    filter: EntryFilter;
    limit: number;
    after: EntryPlace | undefined;
    newestFirst: boolean;
  },
  signal: AbortSignal,
): Promise<ChangeEntry[]> {
  const { retention } = wanted;
  const { record_pk, action, since, until, from_seq, to_seq } = wanted.filter;
  const { oid, schema, name } = known(retention, (await on.db.query<SourceName>(KEPT, [retention.no])).rows);
  const [seq, id] = wanted.after ?? [];
  const conditions = [record_pk, action, since, until, from_seq, to_seq, seq, id].map((value) => value ?? null);
  return await inChangeTable(on, { retention, signal }, async (tx, table) => {
    const text = onChangeTable(wanted.newestFirst ? NEWEST : OLDEST, table);
    return (await tx.query<ChangeEntry>(text, [table.sourceDatabaseId, oid, schema, name, ...conditions, wanted.limit]))
      .rows;
  });
}

async function inChangeTable<Result>(
  on: OutsideDeps,
  { retention, signal }: { retention: NamedSink; signal: AbortSignal },
  work: (tx: Queryable, table: ChangeTable) => Promise<Result>,
): Promise<Result> {
  const catalog = await loadCatalog(on.db, on.keys, on.privateAllowed);
  const table = openReplayed(catalog, { retention_id: retention.id, retention: retention.name });
  try {
    return await table.read({ signal, timeoutMs: READ_MS }, (tx) => work(tx, table));
  } catch (error) {
    if (!(error instanceof MillraceError) || !ELSEWHERE.includes(error.code)) throw error;
    const { message, remedy } = error;
    throw new MillraceError('source_unavailable', message, {
      cause: error,
      ...(remedy === undefined ? {} : { remedy }),
    });
  } finally {
    await table.close();
  }
}

/** Of a change retention. */
export const changeTableOf = ({ settings }: NamedSink): ChangeTableDestination =>
  settings.destination as ChangeTableDestination;

export interface RetentionRun {
  /** Of our own job; null: it has not run. */
  ran_at: Date | null;
  deleted: number | null;
  error: string | null;
  next_at: Date | null;
  /** Of the notice that says what is wrong; null: nothing is known to be. */
  code: 'policy_missing' | 'job_fails' | 'few_partitions' | null;
  message: string | null;
  remedy: string | null;
}

export async function readRun(db: Queryable, retention: NamedSink): Promise<RetentionRun> {
  return known(retention, (await db.query<RetentionRun>(RUN, [retention.no])).rows);
}

/** Partitions that begin in the future; null where nobody answers. */
export async function countAhead(on: OutsideDeps, retention: NamedSink, signal: AbortSignal): Promise<number | null> {
  const counted = inChangeTable(on, { retention, signal }, async (tx, table) => {
    const { rows } = await tx.query<{ ahead: number }>(unnamed(AHEAD), [quoteTable(table)]);
    return rows[0]!.ahead;
  });
  return await counted.catch((error: unknown) => {
    if (error instanceof MillraceError && error.code === 'source_unavailable') return null;
    throw error;
  });
}

const unnamed = ({ text }: Statement): string => text;
