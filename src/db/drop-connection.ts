/** Ends a connection without a farewell, for a server that may never hear it: what is asked on it fails at once. */
import type { Duplex } from 'node:stream';
import type pg from 'pg';
import type { Connection } from './pool.ts';

export function dropConnection(client: Connection): void {
  socketOf(client).destroy();
}

/** What it is read from. */
export function socketOf(client: Connection): Duplex {
  // The types of the library do not know that it has one.
  const connection: pg.Connection = Reflect.get(client, 'connection');
  return connection.stream;
}
