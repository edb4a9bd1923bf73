/** A consumer's messages, received and acknowledged over the message database, as the pull API gives them. */
import type { Transacting } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const RECEIVE = statement('admin/tail-receive');
const WRAPPED = statement('admin/tail-wrapped');
const ACK = statement('admin/tail-ack');

interface Received {
  ack_id: string;
  id: number;
  message: string;
}

/** JSON, each with its `ack_id`; whatever is there, without waiting. */
export async function receiveNow(db: Transacting, consumer: string, batchSize: number): Promise<string> {
  const { messages, wrapped } = await db.transaction(async (tx) => {
    const { rows } = await tx.query<Received>(RECEIVE, [consumer, batchSize]);
    const found = await tx.query<{ id: number }>(WRAPPED, [consumer, rows.map(({ id }) => id)]);
    return { messages: rows, wrapped: new Set(found.rows.map(({ id }) => id)) };
  });
  const texts = messages.map(({ ack_id, id, message }) => {
    const body = wrapped.has(id) ? `"data":${message}}` : message.trim().slice(1);
    return `{"ack_id":${JSON.stringify(ack_id)},${body}`;
  });
  return `{"data":[${texts.join(',')}]}`;
}

export async function ackNow(db: Transacting, consumer: string, ackIds: readonly string[]): Promise<string> {
  const { rows } = await db.query<{ count: number }>(ACK, [consumer, ackIds]);
  return JSON.stringify({ success: true, count: rows[0]?.count ?? 0 });
}
