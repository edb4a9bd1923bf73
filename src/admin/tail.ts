/** A consumer's messages, received and acknowledged over the message database, as the pull API gives them. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const RECEIVE = statement('admin/tail-receive');
const ACK = statement('admin/tail-ack');

/** JSON, each with its `ack_id`; whatever is there, without waiting. */
export async function receiveNow(db: Queryable, consumer: string, batchSize: number): Promise<string> {
  const { rows } = await db.query<{ ack_id: string; message: string }>(RECEIVE, [consumer, batchSize]);
  const texts = rows.map(({ ack_id, message }) => `{"ack_id":${JSON.stringify(ack_id)},${message.trim().slice(1)}`);
  return `{"data":[${texts.join(',')}]}`;
}

export async function ackNow(db: Queryable, consumer: string, ackIds: readonly string[]): Promise<string> {
  const { rows } = await db.query<{ count: number }>(ACK, [consumer, ackIds]);
  return JSON.stringify({ success: true, count: rows[0]?.count ?? 0 });
}
