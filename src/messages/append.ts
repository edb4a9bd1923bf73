/**
 * Appends messages and moves the database's position in one transaction: every change is persisted exactly once, in
 * commit order. The whole transaction is one round trip, a COPY between its `begin` and its `commit`; behind that it tells whoever
 * waits for messages.
 *
 * Dies the process before the commit: nothing is there, and the source sends it again. After it: the position says so,
 * and what the source sends again is skipped. A stalled writer that wakes up is refused by its generation (MR002).
 */

import { type CopyIn, copyIn } from '../db/copy-in.ts';
import type { Connection, Database } from '../db/pool.ts';
import { formatLsn } from '../model/lsn.ts';
import { quoteLiteral } from '../model/quote.ts';
import { isServerError, isValueRefused } from '../model/sqlstate.ts';
import { failpoint } from '../runtime/failpoint.ts';
import { COPY_MESSAGES, type ParkedOnArrival } from './copy-rows.ts';
import { notifySql } from './notify.ts';

/** Where capture stands: the last change persisted, and what may be confirmed to the source. */
export interface Position {
  commitLsn: bigint;
  commitIdx: number;
  confirmedLsn: bigint;
  nextId: number;
}

/** Who writes: the fence, and the catalog that the messages were matched with. */
export interface Writer {
  databaseNo: number;
  generation: number;
  catalogGeneration: number;
}

export interface Rows {
  /** The whole COPY, from `beginRows` to `endRows`; undefined: none. Not to be changed meanwhile. */
  rows: Buffer | undefined;
  parked: readonly ParkedOnArrival[];
}

export interface AppendInput extends Rows {
  position: Position;
  /** Where the position must be; absent: anywhere. */
  from?: Position;
  /** Further rows, made while the transaction is open: whoever has much need not hold it all. May be asked for again. */
  more?: () => AsyncIterable<Rows>;
  /** Statements of the same transaction, after the position has moved: what these rows are the work of. */
  also?: readonly string[];
  /** The rows are on their way to Postgres, if there are any; what is left is their commit. */
  onWritten?: () => void;
  /** Who is told of the rows. Absent: nobody. */
  tell?: Telling;
}

export interface Telling {
  /** Whose messages they are; asked for when all rows are made. */
  sinks(): Iterable<number>;
  /** Nobody was told, though the messages are there. */
  failed(error: unknown): void;
}

/** Commits all of it or nothing. Throws what Postgres says: among others what `isStaleCatalog` and `isFenced` of model/sqlstate.ts know. */
export async function append(db: Database, writer: Writer, input: AppendInput): Promise<void> {
  const { position, from } = input;
  const placeOf = (at: Position) => `'${formatLsn(at.commitLsn)}', ${at.commitIdx}, '${formatLsn(at.confirmedLsn)}'`;
  const move =
    `call millrace_private.${from ? 'move_on' : 'move_position'}(${writer.databaseNo}, ${writer.generation}, ` +
    `${writer.catalogGeneration}, ${from ? `${placeOf(from)}, ` : ''}${placeOf(position)}, ${position.nextId})`;
  const also = (input.also ?? []).map((sql) => `${sql};`).join(' ');
  const { more } = input;
  if (more || input.rows !== undefined) failpoint('capture/before-persist');
  if (more) return await appendParts(db, `${move}; ${also}`, { ...input, more });
  await db.session(async (client) => {
    if (input.rows === undefined) {
      // Several statements in one go are one transaction, unless they say otherwise.
      await client.query(also === '' ? move : `${move}; ${also}`);
    } else {
      const { rows, parked, onWritten, tell } = input;
      const sql = `begin; ${move}; ${also} ${parkedSql(parked)} ${COPY_MESSAGES}; commit`;
      const untold = await copyRows(client, { sql, rows, onWritten, after: notifySql(tell?.sinks() ?? []) });
      if (untold) tell?.failed(untold);
    }
  });
}

/** Milliseconds that making further rows may take. */
const MAKING_MS = 60_000;

async function appendParts(
  db: Database,
  move: string,
  input: Omit<AppendInput, 'more'> & { more: NonNullable<AppendInput['more']> },
): Promise<void> {
  await db.transaction(async ({ client }) => {
    await client.query(
      `set local idle_in_transaction_session_timeout = ${MAKING_MS}; ${move} ${parkedSql(input.parked)}`,
    );
    if (input.rows) await copyRows(client, { sql: COPY_MESSAGES, rows: input.rows });
    for await (const { rows, parked } of input.more()) {
      if (parked.length > 0) await client.query(parkedSql(parked));
      if (rows) await copyRows(client, { sql: COPY_MESSAGES, rows });
    }
    input.onWritten?.();
  });
  const { tell } = input;
  const sql = notifySql(tell?.sinks() ?? []);
  if (sql) await db.query(sql).catch((error: unknown) => tell?.failed(error));
}

/** Would Postgres take these rows? Leaves nothing behind. Throws what it says when their data are not the reason. */
export async function isTaken(db: Database, rows: Buffer): Promise<boolean> {
  return await db.session(async (client) => {
    try {
      await copyRows(client, { sql: `begin; ${COPY_MESSAGES}; rollback`, rows });
      return true;
    } catch (error) {
      if (isValueRefused(error)) return false;
      throw error;
    }
  });
}

async function copyRows(client: Connection, { onWritten, ...copy }: CopyIn): Promise<Error | undefined> {
  try {
    return await copyIn(client, {
      ...copy,
      onWritten: () => {
        failpoint('capture/in-persist');
        onWritten?.();
      },
    });
  } catch (error) {
    // Without an answer the connection is dropped, and Postgres rolls back.
    if (isServerError(error)) await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

/** Empty for none. */
function parkedSql(parked: readonly ParkedOnArrival[]): string {
  if (parked.length === 0) return '';
  const rows = parked.map(
    (row) =>
      `(${row.sinkNo}, ${row.id}, ${row.lane}, ${row.groupKey ?? 'null'}, 'parked', 0, 'capture', ` +
      `${quoteLiteral(row.error)}, clock_timestamp())`,
  );
  return `insert into millrace_private.delivery_states
    (sink_no, id, lane, group_key, state, attempts, stage, error, parked_at) values ${rows.join(', ')};`;
}
