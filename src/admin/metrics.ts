/** What was counted, by minutes and hours. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const SINK = statement('admin/sink-metrics');
const DATABASE = statement('admin/database-metrics');

/** `from` is included, `to` is not; absent: the last hour by minutes, the last day by hours. */
export interface Period {
  step: 'minute' | 'hour';
  from?: string | undefined;
  to?: string | undefined;
}

/** A minute or an hour in which something happened. */
export interface SinkPoint {
  at: Date;
  persisted: number;
  delivered: number;
  failed: number;
  retried: number;
  parked: number;
  discarded: number;
  bytes: number;
  p50_ms: number | null;
  p90_ms: number | null;
  p99_ms: number | null;
  latency_buckets: number[];
}

export async function readSinkMetrics(db: Queryable, sink: string, { step, from, to }: Period): Promise<SinkPoint[]> {
  return (await db.query<SinkPoint>(SINK, [sink, step, from ?? null, to ?? null])).rows;
}

/** The greatest of a minute or an hour; bytes of WAL. */
export interface DatabasePoint {
  at: Date;
  /** Written there, and not confirmed. */
  lag_bytes: number;
  /** Kept for the slot; null: unknown. */
  kept_bytes: number | null;
  /** Beyond that the slot is lost; null: there is no limit. */
  limit_bytes: number | null;
}

export async function readDatabaseMetrics(
  db: Queryable,
  database: string,
  { step, from, to }: Period,
): Promise<DatabasePoint[]> {
  return (await db.query<DatabasePoint>(DATABASE, [database, step, from ?? null, to ?? null])).rows;
}
