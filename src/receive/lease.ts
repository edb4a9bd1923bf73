/**
 * Takes leases on the next messages of a consumer for several clients, and reads them, in one round trip. The leases are
 * committed before the messages are read: dies the process after that, they come again when their visibility timeout has
 * passed. Stored messages are never parsed: what comes from Postgres is the finished text of each answer's `data`.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { failpoint } from '../runtime/failpoint.ts';
import { ackIdsOf, type Named } from './ack-id.ts';
import { type Answered, acknowledging, answeredBy } from './acknowledge.ts';
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

/** What one client wants. */
export interface Wanted {
  batchSize: number;
  /** Acknowledged before, in the same transaction. */
  acks: readonly Named[];
}

/** What it gets. */
export interface Given {
  acked: Answered;
  /** Undefined: nothing was looked for, there was no room for more. */
  leased: Leased | undefined;
}

const RECEIVE = statement('receive/receive');
const PUT_BACK = statement('receive/put-back');

/** One answer, or all of one statement, holds at most so many bytes of rows, or one message. */
export const MAX_BYTES = 32 * 1024 * 1024;
/** Between the texts of two clients: no JSON has it. */
const SEPARATOR = '\u001e';

interface ReceiveRow {
  acked: number[] | null;
  committed: string | null;
  tokens: (string | null)[];
  /** By client, as far as it was looked for. */
  sizes: number[];
  sent: number[];
  ids: (number | bigint)[];
  messages: string | null;
  more: boolean;
  due_in_ms: number | null;
}

/** By client, in the order of their coming. What did not fit into the answers is given back before this returns. */
export async function lease(
  db: Queryable,
  consumer: Pick<Consumer, 'no' | 'nested'>,
  { wanted, maxBytes = MAX_BYTES }: { wanted: readonly Wanted[]; maxBytes?: number | undefined },
): Promise<Given[]> {
  const acks = acknowledging(wanted.map(({ acks }) => acks));
  const { rows } = await db.query<ReceiveRow>(RECEIVE, [
    consumer.no,
    wanted.map(({ batchSize }) => batchSize),
    consumer.nested,
    Math.min(maxBytes, MAX_BYTES),
    acks.tokens,
    acks.ids,
  ]);
  const row = rows[0]!;
  if (row.ids.length > 0) failpoint('receive/after-lease');
  const answered = answeredBy(acks, { counts: row.acked, committed: row.committed }, wanted.length);
  const unsent: string[] = [];
  const leases = leasesOf(row, unsent);
  if (unsent.length > 0) await giveBack(db, consumer, unsent);
  const nothing: Leased = { lease: undefined, more: row.more, dueInMs: row.due_in_ms };
  return answered.map((acked, client) => {
    const found = leases[client];
    if (found !== undefined) return { acked, leased: { lease: found, more: false, dueInMs: null } };
    return { acked, leased: row.sizes[client] === 0 ? nothing : undefined };
  });
}

/** By client. `unsent` gets the ack_ids of what is in no text. */
function leasesOf({ tokens, sizes, sent, ids, messages }: ReceiveRow, unsent: string[]): (Lease | undefined)[] {
  const texts = messages?.split(SEPARATOR) ?? [];
  let before = 0;
  let text = 0;
  return sizes.map((size, client) => {
    const token = tokens[client];
    if (size === 0 || typeof token !== 'string') return undefined;
    const of = ids.slice(before, before + size);
    before += size;
    const count = sent[client] ?? 0;
    if (count < size) unsent.push(...ackIdsOf(token, of.slice(count)));
    const found = texts[text] ?? '';
    text += 1;
    return found === '' ? undefined : { messages: found, count, ackIds: () => ackIdsOf(token, of.slice(0, count)) };
  });
}

/** Gives messages back that nobody has seen: receivable at once, no delivery counted. */
export async function giveBack(db: Queryable, consumer: Pick<Consumer, 'no'>, ackIds: string[]): Promise<void> {
  await db.query(PUT_BACK, [consumer.no, 'release', ackIds, 0]);
}
