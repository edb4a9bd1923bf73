/** Is the message database there, and are sinks and sources well? Read from the public views, as a person would. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

export interface SinkHealth {
  name: string;
  kind: string;
  database: string;
  status: string;
  /** `ok`, the status if it is not active, the reason of an open circuit, or `source_<state>`. */
  health: string;
  failing_since: Date | null;
}

export interface DatabaseHealth {
  name: string;
  /** Null: capture has not begun. */
  state: string | null;
  state_since: Date | null;
}

export interface Backlog {
  name: string;
  kind: string;
  health: string;
  pending: number;
  retrying: number;
  parked: number;
  /** Age of the oldest message; null when there is none. */
  oldest_seconds: number | null;
}

const READY = statement('messages/ready');
const SINKS = statement('messages/sink-health');
const DATABASES = statement('messages/database-health');
const BACKLOG = statement('messages/backlog');

/** False when the schema is not there yet. Throws when the database cannot be reached. */
export async function isReady(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ ready: boolean }>(READY);
  return rows[0]?.ready === true;
}

export async function readHealth(db: Queryable): Promise<{ sinks: SinkHealth[]; databases: DatabaseHealth[] }> {
  const { rows: sinks } = await db.query<SinkHealth>(SINKS);
  const { rows: databases } = await db.query<DatabaseHealth>(DATABASES);
  return { sinks, databases };
}

/** Counts every sink's messages, some 20 ms each where there are many, so ask seldom. */
export async function readBacklog(db: Queryable): Promise<Backlog[]> {
  const { rows } = await db.query<Backlog>(BACKLOG);
  return rows;
}
