/** Are sinks and sources well? Read from the public views, as a person would. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

/** The worst first. */
export const LEVELS = ['failing', 'unknown', 'warning', 'ok'] as const;
export type Level = (typeof LEVELS)[number];

/** Decided by the database, for its views too: see sql/schema/messages/sinks_health.sql. */
export interface Judged {
  level: Level;
  /** Codes of all that is known to be wrong, the worst first. */
  reasons: string[];
}

export interface SinkHealth extends Judged {
  name: string;
  kind: string;
  database: string;
  status: string;
  /** `ok`, the status if it is not active, or the first reason of level failing or unknown. */
  health: string;
  failing_since: Date | null;
}

export interface DatabaseHealth extends Judged {
  name: string;
  /** Null: no sink reads from it. */
  state: string | null;
  state_since: Date | null;
}

export interface Backlog extends Judged {
  name: string;
  kind: string;
  pending: number;
  retrying: number;
  parked: number;
  /** Age of the oldest message; null when there is none. */
  oldest_seconds: number | null;
}

const SINKS = statement('messages/sink-health');
const DATABASES = statement('messages/database-health');
const BACKLOG = statement('messages/backlog');

export async function readHealth(db: Queryable): Promise<{ sinks: SinkHealth[]; databases: DatabaseHealth[] }> {
  const { rows: sinks } = await db.query<SinkHealth>(SINKS);
  return { sinks, databases: await readDatabases(db) };
}

/** The worst of all, and every code, those of the worst first. */
export function worstOf(all: readonly Judged[]): { status: Level; reasons: string[] } {
  const sorted = all.toSorted((one, other) => LEVELS.indexOf(one.level) - LEVELS.indexOf(other.level));
  return { status: sorted[0]?.level ?? 'ok', reasons: [...new Set(sorted.flatMap(({ reasons }) => reasons))] };
}

export async function readDatabases(db: Queryable): Promise<DatabaseHealth[]> {
  return (await db.query<DatabaseHealth>(DATABASES)).rows;
}

/** Of more than 1,000 messages of a sink it is Postgres' own count: however many there are, it costs the same. */
export async function readBacklog(db: Queryable): Promise<Backlog[]> {
  const { rows } = await db.query<Backlog>(BACKLOG);
  return rows;
}
