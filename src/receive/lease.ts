/**
 * Takes leases on the next messages of a consumer for several clients, and reads them: few in the same round trip, many in another
 * one, in bytes. The leases are committed before the messages are read: dies the process after that, they come again when their
 * visibility timeout has passed. Stored messages are never parsed: what comes from Postgres is the finished text of each answer's
 * `data`.
 */
import type { BytesQueryable, Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { failpoint } from '../runtime/failpoint.ts';
import { ackIdsOf, type Named } from './ack-id.ts';
import { type Answered, acknowledging, answeredBy } from './acknowledge.ts';
import type { Consumer } from './consumer.ts';

export interface Lease {
  /** JSON objects with a comma between them: a text, or its bytes in pieces. */
  messages: string | readonly Buffer[];
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
const READ = statement('receive/read');
const PUT_BACK = statement('receive/put-back');

/** One answer, or all of one statement, holds at most so many bytes of rows, or one message. */
export const MAX_BYTES = 32 * 1024 * 1024;
/** Between the texts of two clients: no JSON has it. */
const SEPARATOR = '\u001e';
/** Reading so many takes longer than another round trip. */
const MANY_MESSAGES = 100;
/** In one row: larger texts cost Postgres memory that it gets and gives back each time, smaller ones many packets. */
const READ_AT_ONCE = 50;
const COMMA = Buffer.from(',');

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
  /** Nothing was read, nor left out. */
  is_apart: boolean;
  table_no: number | null;
}

/** What one client gets, of its lease. */
interface Share {
  token: string;
  ids: (number | bigint)[];
  /** The first ones, of which there are messages. */
  count: number;
}

/** By client, in the order of their coming. What did not fit into the answers is given back before this returns, if that is possible. */
export async function lease(
  db: BytesQueryable,
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
    wanted.reduce((sum, { batchSize }) => sum + batchSize, 0) >= MANY_MESSAGES,
  ]);
  const row = rows[0]!;
  if (row.ids.length > 0) failpoint('receive/after-lease');
  const answered = answeredBy(acks, { counts: row.acked, committed: row.committed }, wanted.length);
  const unsent: string[] = [];
  const shares = sharesOf(row, unsent);
  const readAll = async (): Promise<Buffer[][]> => {
    try {
      return await readApart(db, consumer, { row, shares });
    } catch (error) {
      // Nobody has seen them, and nobody has to wait for the end of their leases. Should that fail too, they come again then.
      await giveBack(db, consumer, allOf(row)).catch(() => undefined);
      throw error;
    }
  };
  const texts = row.is_apart ? await readAll() : (row.messages?.split(SEPARATOR) ?? []);
  // Should that fail, it comes again when its lease ends; what was read is handed out all the same.
  if (unsent.length > 0) await giveBack(db, consumer, unsent).catch(() => undefined);
  const nothing: Leased = { lease: undefined, more: row.more, dueInMs: row.due_in_ms };
  let before = 0;
  return answered.map((acked, client) => {
    const share = shares[client];
    if (share === undefined) return { acked, leased: row.sizes[client] === 0 ? nothing : undefined };
    const messages = texts[before] ?? '';
    before += 1;
    if (messages.length === 0) return { acked, leased: undefined };
    const { token, ids, count } = share;
    const found: Lease = { messages, count, ackIds: () => ackIdsOf(token, ids.slice(0, count)) };
    return { acked, leased: { lease: found, more: false, dueInMs: null } };
  });
}

/** By client; undefined: no lease. `unsent` gets the ack_ids of what is in no text. */
function sharesOf({ tokens, sizes, sent, ids }: ReceiveRow, unsent: string[]): (Share | undefined)[] {
  let before = 0;
  return sizes.map((size, client) => {
    const token = tokens[client];
    if (size === 0 || typeof token !== 'string') return undefined;
    const of = ids.slice(before, before + size);
    before += size;
    const count = sent[client] ?? 0;
    if (count < size) unsent.push(...ackIdsOf(token, of.slice(count)));
    return { token, ids: of, count };
  });
}

/** The ack_ids of all that was leased. */
function allOf({ tokens, sizes, ids }: ReceiveRow): string[] {
  let before = 0;
  return sizes.flatMap((size, client) => {
    const of = ids.slice(before, before + size);
    before += size;
    return ackIdsOf(tokens[client] ?? '', of);
  });
}

/** The bytes of each share that there is. */
async function readApart(
  db: BytesQueryable,
  { no, nested }: Pick<Consumer, 'no' | 'nested'>,
  { row, shares }: { row: ReceiveRow; shares: readonly (Share | undefined)[] },
): Promise<Buffer[][]> {
  const given = shares.filter((share) => share !== undefined);
  const ranges = given.flatMap(({ token, ids }, place) =>
    Array.from({ length: Math.ceil(ids.length / READ_AT_ONCE) }, (_, i) => {
      const of = ids.slice(i * READ_AT_ONCE, (i + 1) * READ_AT_ONCE);
      return { place, token, lo: of[0], hi: of.at(-1) };
    }),
  );
  const texts = await db.queryBytes(READ, [
    no,
    ranges.map(({ token }) => token),
    ranges.map(({ lo }) => lo),
    ranges.map(({ hi }) => hi),
    row.table_no,
    nested,
  ]);
  const read: Buffer[][] = given.map(() => []);
  for (const [i, text] of texts.entries()) {
    const pieces = read[ranges[i]!.place]!;
    if (text.length > 0) pieces.push(...(pieces.length > 0 ? [COMMA] : []), ...text);
  }
  return read;
}

/** Gives messages back that nobody has seen: receivable at once, no delivery counted. */
export async function giveBack(db: Queryable, consumer: Pick<Consumer, 'no'>, ackIds: string[]): Promise<void> {
  await db.query(PUT_BACK, [consumer.no, 'release', ackIds, 0]);
}
