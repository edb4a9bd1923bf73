/** Ends of connections to servers that may never hear of it. */
import type { Duplex } from 'node:stream';
import type pg from 'pg';
import type { Connection } from './pool.ts';

const FAREWELL_MS = 1_000;

/** Without a farewell: what is asked on it fails at once. */
export function dropConnection(client: Connection): void {
  socketOf(client).destroy();
}

/** The server's answer is waited for, but not for long. */
export async function endConnection(client: Connection & { end(): Promise<void> }): Promise<void> {
  const late = setTimeout(() => dropConnection(client), FAREWELL_MS);
  await client.end().catch(() => undefined);
  clearTimeout(late);
}

/** What it is read from. */
export function socketOf(client: Connection): Duplex {
  // The types of the library do not know that it has one.
  const connection: pg.Connection = Reflect.get(client, 'connection');
  return connection.stream;
}
