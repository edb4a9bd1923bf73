/** Rows that Postgres writes out by COPY: a line of bytes each, none of which becomes a string. */
import pg from 'pg';
import type { Connection } from './pool.ts';

/** What pg's client calls, and its types do not know. */
interface Copying {
  handleCopyData(message: { chunk: Buffer }): void;
}

/** Runs a `copy (...) to stdout`. A line, with its line break, is valid while `onLine` runs. Throws what Postgres says. */
export async function copyOut(client: Connection, sql: string, onLine: (line: Buffer) => void): Promise<void> {
  const over = Promise.withResolvers<void>();
  const query = new pg.Query(sql, (error: Error | undefined) => (error ? over.reject(error) : over.resolve()));
  const copying: Copying = {
    handleCopyData({ chunk }) {
      try {
        onLine(chunk);
      } catch (error) {
        over.reject(error);
      }
    },
  };
  client.query(Object.assign(query, copying));
  await over.promise;
}
