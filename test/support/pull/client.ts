/** A client of a pull consumer, by HTTP or by SQL: the same words, so that one test can speak both. */
import type { Queryable } from '../../../src/db/pool.ts';
import { TOKEN } from '../processes/world.ts';

/** A message as the service answers it; a shaped one is whatever the transform made, under `data`. */
export interface Received {
  ack_id: string;
  message: PlainMessage & { data?: unknown };
}

export interface PlainMessage {
  record: Record<string, unknown>;
  changes: Record<string, unknown> | null;
  action: string;
  metadata: { commit_lsn: number; commit_idx: number; idempotency_key: string; table_name: string };
}

export interface PullClient {
  /** Waits up to `waitMs` (HTTP only) for messages. */
  receive(batch: number, waitMs?: number): Promise<Received[]>;
  /** To how many it applied. */
  ack(ids: readonly string[]): Promise<number>;
  nack(ids: readonly string[], delayMs?: number): Promise<number>;
}

/** @throws Error with the status and body of any answer but 200. */
export function pullByHttp(baseUrl: string, consumer: string): PullClient {
  const post = async (verb: string, body: object): Promise<Record<string, unknown>> => {
    const response = await fetch(`${baseUrl}/api/http_pull_consumers/${consumer}/${verb}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    }).catch((error: Error) => {
      throw new Error(`${verb}: ${error.message}: ${error.cause}`, { cause: error });
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${verb}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  const count = async (verb: string, body: object): Promise<number> => {
    const answer = await post(verb, body);
    if (answer.success !== true) throw new Error(`${verb}: ${JSON.stringify(answer)}`);
    return answer.count as number;
  };
  return {
    async receive(batch, waitMs = 0) {
      const { data } = await post('receive', { batch_size: batch, wait_for: waitMs });
      return (data as (Received['message'] & { ack_id: string })[]).map(({ ack_id, ...message }) => ({
        ack_id,
        message,
      }));
    },
    ack: (ids) => count('ack', { ack_ids: ids }),
    nack: (ids, delayMs = 0) => count('nack', { ack_ids: ids, delay: delayMs }),
  };
}

/** As a person with psql. The transform's result is the message itself: it is put under `data` as HTTP does. */
export function pullBySql(db: Queryable, consumer: string, options: { shaped?: boolean } = {}): PullClient {
  const count = async (sql: string, values: unknown[]): Promise<number> =>
    (await db.query<{ count: number }>(sql, [consumer, ...values])).rows[0]!.count;
  return {
    async receive(batch) {
      const { rows } = await db.query<{ ack_id: string; message: Received['message'] }>(
        'select ack_id, message from millrace.receive($1::text, $2::integer)',
        [consumer, batch],
      );
      if (!options.shaped) return rows;
      return rows.map(({ ack_id, message }) => ({ ack_id, message: { data: message } as Received['message'] }));
    },
    ack: (ids) => count('select millrace.ack($1::text, $2::text[]) as count', [ids]),
    nack: (ids, delayMs = 0) =>
      count("select millrace.nack($1::text, $2::text[], $3::integer * interval '1 ms') as count", [ids, delayMs]),
  };
}
