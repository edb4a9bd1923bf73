/** Every sink as it is declared, with how it is and how much is pending: what `millrace.sink_status` says, and the settings. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { SinkSettings } from '../model/declared.ts';
import { KINDS } from '../sinks/kinds.ts';

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
  /** ISO 8601, microseconds, UTC; null when nothing is pending. */
  oldest_committed_at: string | null;
  /** The destination's own words: they may quote a row. */
  error: string | null;
  failing_since: Date | null;
  notices: { code: string; table: string | null; message: string; remedy: string | null; since: string }[];
}

/** By name. Change retentions are not among them. Counts each sink's messages, so ask seldom. */
export async function listSinks(db: Queryable): Promise<ListedSink[]> {
  const listed = KINDS.filter(({ list }) => list !== undefined).map(({ type }) => type);
  return (await db.query<ListedSink>(LIST, [listed])).rows;
}
