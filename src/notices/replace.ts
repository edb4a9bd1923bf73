/** Notices that somebody finds anew at each look: those that no longer hold go away, and the others keep their time. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { type Notice, noticesAsJson, type SinkNotice } from './notice.ts';

const REPLACE = statement('notices/replace');
const PUBLISHED_AGAIN = statement('notices/published-again');

/** By who looks: the codes that it alone finds, and takes away. */
export const FOUND_BY = {
  /** A publication: how the changes of tables come. */
  publication: [
    ...['table_missing', 'not_published', 'breaks_updates', 'identity_misses_key', 'partitions_apart'],
    ...['partitions_not_full', 'generated_left_out', 'trigger_missing', 'trigger_disabled', 'trigger_lists'],
    'trigger_outdated',
  ],
  /** The columns of a table: what sinks can make of its rows. */
  columns: ['no_primary_key', 'no_old_values', 'filter_fault', 'filter_needs_identity', 'function_needs_identity'],
  /** A change table, and what deletes old entries from it. */
  changeTable: [
    'serial_ends',
    'few_partitions',
    'partition_missing',
    'unlogged',
    'policy_missing',
    'annotations_not_kept',
  ],
  /** Our own job that deletes old entries. */
  job: ['job_fails'],
} as const satisfies Record<string, readonly string[]>;

interface Look {
  by: keyof typeof FOUND_BY;
  /** Absent: all tables of the sinks. */
  table?: string;
}

/** What a look at a database's tables found, of all its sinks. A sink that is gone is passed over. */
export async function replaceNotices(
  db: Queryable,
  look: Look & { databaseNo: number },
  found: readonly SinkNotice[],
): Promise<void> {
  await replace(db, { ...look, sinkId: null }, noticesAsJson(found));
}

/** The same of one sink. */
export async function replaceSinkNotices(
  db: Queryable,
  look: Look & { sinkId: string },
  found: readonly Notice[],
): Promise<void> {
  await replace(db, { ...look, databaseNo: null }, noticesAsJson(found));
}

async function replace(
  db: Queryable,
  { by, table, databaseNo, sinkId }: Look & { databaseNo: number | null; sinkId: string | null },
  found: string,
): Promise<void> {
  await db.query(REPLACE, [databaseNo, sinkId, table ?? null, FOUND_BY[by], found]);
}

/** Tables of the database that were detached are published again, but for these: what was missed meanwhile stays missing. */
export async function notePublishedAgain(
  db: Queryable,
  databaseNo: number,
  detached: readonly SinkNotice[],
): Promise<void> {
  const columns = [detached.map(({ sinkNo }) => sinkNo), detached.map(({ table }) => table)];
  await db.query(PUBLISHED_AGAIN, [databaseNo, ...columns]);
}
