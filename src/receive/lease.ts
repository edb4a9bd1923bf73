/**
 * Takes a lease on the next messages of a consumer and reads them, in one round trip. The lease is committed before the
 * messages are read: dies the process after that, they come again when their visibility timeout has passed. Stored
 * messages are never parsed: what comes from Postgres is the finished text of the answer's `data`.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { failpoint } from '../runtime/failpoint.ts';
import { ackIdsOf } from './ack-id.ts';
import type { Consumer } from './consumer.ts';

export interface Lease {
  /** JSON objects with a comma between them. */
  messages: string;
  count: number;
  /** Ids of all messages in it. */
  ackIds(): string[];
}

export interface Leased {
  lease: Lease | undefined;
  /** Nothing came because many rows had to be passed over; another try may find more. */
  more: boolean;
  /** Milliseconds until something is due (a lease that ends, a retry); negative: it was due; null: nothing will be. */
  dueInMs: number | null;
}

/** Leases something for one client. */
export type Attempt = () => Promise<Leased>;

/** Nothing was asked for. */
export const NOTHING: Leased = { lease: undefined, more: false, dueInMs: null };

const RECEIVE = statement('receive/receive');
const PUT_BACK = statement('receive/put-back');

/** One answer holds at most so many bytes of rows, or one message. */
const MAX_BYTES = 32 * 1024 * 1024;

interface ReceiveRow {
  token: string | null;
  ids: (number | bigint)[] | null;
  messages: string | null;
  count: number | null;
  last_id: number | bigint | null;
  more: boolean;
  due_in_ms: number | null;
}

/** Leases up to `batchSize` messages. What did not fit into the answer is given back before this returns. */
export async function lease(
  db: Queryable,
  consumer: Pick<Consumer, 'no' | 'nested'>,
  options: { batchSize: number; maxBytes?: number | undefined },
): Promise<Leased> {
  const { rows } = await db.query<ReceiveRow>(RECEIVE, [
    consumer.no,
    options.batchSize,
    consumer.nested,
    Math.min(options.maxBytes ?? MAX_BYTES, MAX_BYTES),
  ]);
  const row = rows[0];
  if (row === undefined || row.token === null || row.ids === null) {
    return { lease: undefined, more: row?.more ?? false, dueInMs: row?.due_in_ms ?? null };
  }
  failpoint('receive/after-lease');
  const { token, ids } = row;
  const last = row.last_id ?? 0;
  const sent = ids.filter((id) => id <= last);
  if (sent.length < ids.length) await giveBack(db, consumer, ackIdsOf(token, ids.slice(sent.length)));
  if (row.messages === null) return { lease: undefined, more: true, dueInMs: null };
  return {
    lease: { messages: row.messages, count: row.count ?? 0, ackIds: () => ackIdsOf(token, sent) },
    more: false,
    dueInMs: null,
  };
}

/** Gives messages back that nobody has seen: receivable at once, no delivery counted. */
export async function giveBack(db: Queryable, consumer: Pick<Consumer, 'no'>, ackIds: string[]): Promise<void> {
  await db.query(PUT_BACK, [consumer.no, 'release', ackIds, 0]);
}
