/**
 * Rows that Postgres takes in by COPY, and the statements around it, in one write and one answer. Postgres need not ask for the
 * rows first: whatever it does not come to read, for an earlier statement failed, it leaves out ("COPY Operations" and "Message Flow" in
 * the manual's chapter on the protocol).
 */
import pg from 'pg';
import type { Connection } from './pool.ts';

/** What pg's client calls, and its types do not know. */
interface Copying {
  submit(connection: pg.Connection): void;
  handleCopyInResponse(): void;
  handleCommandComplete(message: { text: string }): void;
}

const DATA = 'd'.charCodeAt(0);
/** The length of a message counts itself. */
const LENGTH_BYTES = 4;
const DONE = Buffer.from([...Buffer.from('c'), 0, 0, 0, LENGTH_BYTES]);

export interface CopyIn {
  /** Statements, one of which is a `copy ... from stdin`. */
  sql: string;
  /** A statement of its own when they are committed, in the same write; whether it fails is nothing to them. */
  after?: string | undefined;
  /** All that it reads; not to be changed meanwhile. */
  rows: Buffer;
  /** The rows are on their way, and what is left is Postgres' work. */
  onWritten?: (() => void) | undefined;
}

/**
 * Returns what `after` failed with. Throws what Postgres says of the rest; a transaction that `sql` began is still to be rolled back
 * then.
 */
export async function copyIn(client: Connection, { sql, rows, after, onWritten }: CopyIn): Promise<Error | undefined> {
  const over = Promise.withResolvers<Error | undefined>();
  let isCommitted = false;
  const whole = after === undefined ? sql : `${sql}; ${after}`;
  const query = new pg.Query(whole, (error: Error | undefined) =>
    error && !isCommitted ? over.reject(error) : over.resolve(error),
  );
  const copying: Copying = {
    submit(connection) {
      const head = Buffer.allocUnsafe(1 + LENGTH_BYTES);
      head[0] = DATA;
      head.writeUInt32BE(LENGTH_BYTES + rows.length, 1);
      const { stream } = connection;
      stream.cork();
      connection.query(whole);
      stream.write(head);
      stream.write(rows, (error) => {
        if (!error) onWritten?.();
      });
      stream.write(DONE);
      stream.uncork();
    },
    handleCopyInResponse() {},
    handleCommandComplete({ text }) {
      if (text === 'COMMIT') isCommitted = true;
    },
  };
  client.query(Object.assign(query, copying));
  return (await over.promise) ?? undefined;
}
