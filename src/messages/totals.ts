/** What all processes of all roles have counted. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { Counts } from './counters.ts';

const SINKS = statement('messages/sink-totals');
const WAL = statement('messages/database-wal');

/** Since the sink was made. */
export interface SinkTotals extends Counts {
  name: string;
  kind: string;
  latency: number[];
  latency_ms: number;
}

/** As capture saw it in the last minutes; bytes. */
export interface DatabaseWal {
  name: string;
  lag_bytes: number;
  /** Null: unknown. */
  kept_bytes: number | null;
  /** Null: there is none. */
  limit_bytes: number | null;
}

export async function readTotals(db: Queryable): Promise<SinkTotals[]> {
  return (await db.query<SinkTotals>(SINKS)).rows;
}

export async function readWal(db: Queryable): Promise<DatabaseWal[]> {
  return (await db.query<DatabaseWal>(WAL)).rows;
}
