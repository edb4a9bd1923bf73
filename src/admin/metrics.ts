/** What was counted, by minutes and hours. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { Counts } from '../messages/counters.ts';

const SINK = statement('admin/sink-metrics');
const DATABASE = statement('admin/database-metrics');

/** `from` is included, `to` is not; absent: the last hour by minutes, the last day by hours. */
export interface Period {
  step: 'minute' | 'hour';
  from?: string | undefined;
  to?: string | undefined;
}

/** A minute or an hour in which something happened. */
export interface SinkPoint extends Counts {
  at: Date;
  p50_ms: number | null;
  p90_ms: number | null;
  p95_ms: number | null;
  p99_ms: number | null;
  latency_buckets: number[];
}

export async function readSinkMetrics(db: Queryable, sink: string, { step, from, to }: Period): Promise<SinkPoint[]> {
  return (await db.query<SinkPoint>(SINK, [sink, step, from ?? null, to ?? null])).rows;
}

/** Of WAL the greatest of a minute or an hour. */
export interface DatabasePoint {
  at: Date;
  /** Transactions with changes of published tables. */
  commits: number;
  /** Messages of all sinks that read from it, and their size. */
  persisted: number;
  bytes: number;
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

/** So many points tell how fast WAL grows. */
const RECENT = 10;

/** Until the slot is lost, if WAL grows as it did in the last points; null where it does not, or has no limit. */
export function secondsToLimit(
  points: readonly Pick<DatabasePoint, 'at' | 'kept_bytes' | 'limit_bytes'>[],
): number | null {
  const recent = points.slice(-RECENT);
  const [first, last] = [recent[0], recent.at(-1)];
  if (first?.kept_bytes == null || last?.kept_bytes == null || last.limit_bytes === null) return null;
  const grown = last.kept_bytes - first.kept_bytes;
  if (grown <= 0) return null;
  const seconds = (last.at.getTime() - first.at.getTime()) / 1_000;
  return Math.max(0, Math.round(((last.limit_bytes - last.kept_bytes) * seconds) / grown));
}
