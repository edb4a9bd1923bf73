/** Every sink as it is declared, with how it is and how much is pending: what `millrace.sink_status` says, and the settings. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { SinkSettings } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import { KINDS } from '../sinks/kinds.ts';
import { findSink, type SinkList } from './find-sink.ts';

const LIST = statement('admin/list-sinks');

export interface ListedSink {
  id: string;
  name: string;
  kind: string;
  /** Its name. */
  database: string;
  database_id: string;
  status: SinkSettings['status'];
  /** Without the destination's credential. */
  settings: SinkSettings;
  /** The credential, sealed. */
  secret: string | null;
  /** Delivery lanes; of a receivable one those that its functions need. */
  lanes: number;
  managed_by: 'file' | 'api';
  /** Where the file that named it last was applied from. */
  declared_from: string | null;
  /** The name of its entry there, where it was released and renamed since. */
  entry_name: string | null;
  /** Who set the status last. */
  status_by: 'file' | 'operator';
  /** Why, in the words of whoever paused or disabled it. */
  status_reason: string | null;
  /** Rises with every change. */
  version: number;
  /** Who made the last one: `token ci`. */
  updated_by: string | null;
  inserted_at: Date;
  updated_at: Date;
  /** `ok`, the status if it is not active, or the first reason of level failing or unknown. */
  health: string;
  level: 'failing' | 'unknown' | 'warning' | 'ok';
  /** Codes of all that is known to be wrong, the worst first. */
  reasons: string[];
  /** Messages that are not settled. */
  pending: number;
  pending_is_estimate: boolean;
  retrying: number;
  parked: number;
  /** Of them those on which a function failed. */
  faulty: number;
  /** ISO 8601, microseconds, UTC; null when nothing is pending. */
  oldest_committed_at: string | null;
  oldest_seconds: number | null;
  /** Of the oldest message that is not parked; null: none waits. */
  lag_seconds: number | null;
  /** Null: nothing was delivered, or it was not written down then. */
  first_delivered_at: Date | null;
  last_delivered_at: Date | null;
  /** How long after its commit; null: not known. */
  last_delivery_ms: number | null;
  /** The destination's own words: they may quote a row. */
  error: string | null;
  failing_since: Date | null;
  /** When its destination is asked again. */
  next_probe_at: Date | null;
  /** Of tables, or of all of them (`table` null), that are not over. */
  active_backfills: {
    id: string;
    table: string | null;
    state: 'active' | 'paused';
    rows_initial_count: number | null;
    rows_processed_count: number;
    rows_ingested_count: number;
  }[];
  notices: { code: string; table: string | null; message: string; remedy: string | null; since: string }[];
}

/** Those of a list, by name. More than 1,000 messages are an estimate: all sinks are asked for at once. */
export const listSinks = (db: Queryable, list: SinkList): Promise<ListedSink[]> => read(db, list, null);

/** By its name or id; counted up to 100,000 messages. @throws MillraceError not_found, also for one of another list. */
export async function showSink(db: Queryable, list: SinkList, ref: string): Promise<ListedSink> {
  const { id } = await findSink(db, ref, list);
  const [found] = await read(db, list, id);
  if (found) return found;
  throw new MillraceError('not_found', `sink ${ref} was deleted a moment ago`);
}

async function read(db: Queryable, list: SinkList, id: string | null): Promise<ListedSink[]> {
  const kinds = KINDS.filter((kind) => kind.list !== undefined).map(({ type }) => type);
  return (await db.query<ListedSink>(LIST, [kinds, list !== 'sinks', id])).rows;
}
