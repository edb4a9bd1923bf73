/**
 * A change table as a replay reads it: where it is, which of its entries are wanted, how many those are. It may be in any
 * declared database, which is connected to for as long as something is read. What goes wrong there is said with its
 * remedy, and whether a person must fix it (any code but `unavailable`).
 */
import type { Catalog } from '../../catalog/store.ts';
import { onDestination } from '../../db/deadline.ts';
import { type Database, openPool, type Queryable } from '../../db/pool.ts';
import { refuseSharedSessions } from '../../db/pooler.ts';
import { EVERY_ROW } from '../../db/session-settings.ts';
import { type Statement, statement } from '../../db/statement.ts';
import { optionsOf } from '../../db/tls.ts';
import { unreachable } from '../../model/connection-fault.ts';
import { MillraceError } from '../../model/errors.ts';
import { quoteTable } from '../../model/quote.ts';
import { remedyForReplaying } from '../../model/remedies.ts';

const SUMMARY = statement('backfill/replay-summary');

/** What a replay takes: the column `replay` of its row. Times as Postgres writes them, absent ones null. */
export interface ReplayRequest {
  retention_id: string;
  /** Its name when the replay was asked for. */
  retention: string;
  /** Included. */
  from_time: string | null;
  /** Not included. */
  to_time: string | null;
  /** Both included. */
  from_seq: string | null;
  to_seq: string | null;
  record_pks: string[] | null;
  /** `to_seq` is the end that was found when it began. */
  counted?: boolean;
  /** Id of the cancelled one whose rows it puts right. */
  after?: string;
}

/** Entries of a table are found by its oid; by its name where it was made anew. */
export interface SourceName {
  oid: number | null;
  schema: string;
  name: string;
}

export interface Summary {
  entries: number;
  first_seq: number | null;
  last_seq: number | null;
  first_at: string | null;
  last_at: string | null;
  inserts: number;
  updates: number;
  deletes: number;
}

export interface ChangeTable {
  /** Of the declared database that holds it. */
  database: string;
  schema: string;
  name: string;
  sourceDatabaseId: string;
  /** Runs `work` in a transaction there. @throws MillraceError */
  read<Result>(deadline: ReadDeadline, work: (tx: Queryable) => Promise<Result>): Promise<Result>;
  /** Nothing is read any more. */
  close(): Promise<void>;
}

export interface ReadDeadline {
  signal: AbortSignal;
  timeoutMs: number;
}

/** A table without an index on what is asked for is read whole. */
export const SCAN_MS = 600_000;

/** The change table of a retention. Connects when it is read. @throws MillraceError not_found */
export function openReplayed(
  catalog: Catalog,
  request: Pick<ReplayRequest, 'retention_id' | 'retention'>,
): ChangeTable {
  const retention = catalog.sinks.find(({ id }) => id === request.retention_id);
  const into = retention?.into;
  const source = catalog.databases.find(({ no }) => no === retention?.databaseNo);
  const holder = catalog.databases.find(({ settings }) => settings.name === into?.database);
  if (!source || !holder || !into) {
    throw new MillraceError('not_found', `the change retention ${request.retention} is not declared any more`, {
      remedy: 'Replay another one.',
    });
  }
  let pool: Database | undefined;
  const open = async (): Promise<Database> => {
    const options = await optionsOf(
      { ...holder, address: holder.address() },
      {
        max: 1,
        applicationName: 'millrace replay',
        statementTimeoutMs: SCAN_MS - 10_000,
      },
    );
    await refuseSharedSessions(options, `The address of database ${holder.settings.name}`);
    return openPool(options);
  };
  return {
    ...into,
    sourceDatabaseId: source.id,
    async read(deadline, work) {
      try {
        pool ??= await open();
        return await onDestination(pool, deadline, async (tx) => {
          await tx.query(EVERY_ROW);
          return await work(tx);
        });
      } catch (error) {
        deadline.signal.throwIfAborted();
        throw faultOf(error, into);
      }
    },
    async close() {
      await pool?.close();
      pool = undefined;
    },
  };
}

/** The statement on this table. */
export const onChangeTable = (template: Statement, table: { schema: string; name: string }): string =>
  template.text.replaceAll('<event_table>', () => quoteTable(table));

/** Parameters $1 to $9 of the statements that choose entries. */
export const chosenBy = (table: ChangeTable, source: SourceName, request: ReplayRequest): unknown[] => [
  table.sourceDatabaseId,
  source.oid,
  source.schema,
  source.name,
  request.from_time,
  request.to_time,
  request.from_seq,
  request.to_seq,
  request.record_pks,
];

/** Counts the entries that are wanted. */
export async function summarise(
  table: ChangeTable,
  wanted: { source: SourceName; request: ReplayRequest },
  signal: AbortSignal,
): Promise<Summary> {
  const values = chosenBy(table, wanted.source, wanted.request);
  return await table.read({ signal, timeoutMs: SCAN_MS }, async (tx) => {
    return (await tx.query<Summary>(onChangeTable(SUMMARY, table), values)).rows[0]!;
  });
}

/** Postgres' codes; what is not among them is tried again. */
function faultOf(error: unknown, place: { database: string; schema: string; name: string }): MillraceError {
  if (error instanceof MillraceError) return error;
  const found = remedyForReplaying(error, place);
  if (!found)
    return unreachable(`the change table ${quoteTable(place)} of database ${place.database} cannot be read`, error);
  const { message, isFinal, ...remedy } = found;
  return new MillraceError(isFinal ? 'bad_destination' : 'unavailable', message, { ...remedy, cause: error });
}
