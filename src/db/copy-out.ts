/** Rows that Postgres writes out by COPY: a line of bytes each, none of which becomes a string. */
import pg from 'pg';
import type { Connection } from './pool.ts';

/** What pg's client calls, and its types do not know. */
interface Copying {
  submit?: (connection: pg.Connection) => void;
  handleDataRow?: () => void;
  handleCopyData(message: { chunk: Buffer }): void;
}

/**
 * Texts that a COPY has to know. It takes no parameters, and what stands in its text is kept by the server: in pg_stat_statements,
 * an entry for each text, and in logs. So they are settings of its transaction.
 */
export class Given {
  readonly texts: string[] = [];

  /** SQL of this text. */
  add(text: string): string {
    return `current_setting('millrace.given_${this.texts.push(text)}')`;
  }
}

const GIVE = `select set_config('millrace.given_' || g.n, g.v, true)
  from json_array_elements_text($1::json) with ordinality g (v, n)`;

/**
 * Runs a `copy (...) to stdout`, with what it is given in the same round trip: in a transaction, in which it stays so. A line, with its
 * line break, is valid while `onLine` runs. Throws what Postgres says.
 */
export async function copyOut(
  client: Connection,
  { sql, given }: { sql: string; given?: Given },
  onLine: (line: Buffer) => void,
): Promise<void> {
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
    ...(given === undefined ? {} : { submit: (connection) => submit(connection, sql, given), handleDataRow() {} }),
  };
  client.query(Object.assign(query, copying));
  await over.promise;
}

/** All up to `sync` goes out at once, and what follows an error in it is left out by the server. */
function submit(connection: pg.Connection, sql: string, { texts }: Given): void {
  const { stream } = connection;
  stream.cork();
  for (const [text, values] of [
    [GIVE, [JSON.stringify(texts)]],
    [sql, []],
  ] as const) {
    connection.parse({ text, name: '', types: [] }, true);
    connection.bind({ values: [...values] }, true);
    connection.execute({}, true);
  }
  connection.sync();
  stream.uncork();
}
