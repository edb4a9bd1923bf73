/** A pull consumer's SQL functions, as tests call them. Time passes by moving leases into the past. */
import type { Queryable } from '../../../src/db/pool.ts';

export interface Batch {
  token: string | null;
  ids: number[];
  ackIds: string[];
}

export interface Pull {
  receive(batch?: number, visibility?: string | null): Promise<Batch>;
  ack(ackIds: readonly string[]): Promise<number>;
  nack(ackIds: readonly string[], delay?: string): Promise<number>;
  extend(ackIds: readonly string[], visibility: string): Promise<number>;
  release(ackIds: readonly string[]): Promise<number>;
  /** The visibility timeout of everything that this lease still holds has passed. */
  expire(token: string | null): Promise<void>;
  /** Backing off is over for all. */
  fastForward(): Promise<void>;
  /** Ids of the messages that exist, in order. */
  stored(): Promise<number[]>;
  deliveryStates(): Promise<{ id: number; state: string; attempts: number; error: string | null }[]>;
}

/** `db` may be a pool, or one session, inside a transaction of the test's. */
export function pullFrom(db: Queryable, sinkNo: number): Pull {
  const count = async (sql: string, values: readonly unknown[]): Promise<number> => {
    const { rows } = await db.query<{ count: number }>(`select ${sql} as count`, [sinkNo, ...values]);
    return rows[0]!.count;
  };
  const putBack = async (what: string, ackIds: readonly string[], delay: string): Promise<number> =>
    await count('millrace_private.put_back($1, $2, $3::text[], $4::interval)', [what, ackIds, delay]);
  return {
    async receive(batch = 1, visibility = null) {
      const { rows } = await db.query<{ token: string | null; ids: number[] }>(
        `select c.tokens[1] as token, c.ids
           from millrace_private.lease_batches($1, array[$2::integer], $3::interval, 1e9::bigint) c`,
        [sinkNo, batch, visibility],
      );
      const { token, ids } = rows[0]!;
      return { token, ids, ackIds: ids.map((id) => `${token}-${id}`) };
    },
    ack: async (ackIds) => await count('millrace_private.acknowledge($1, $2::text[])', [ackIds]),
    nack: async (ackIds, delay = '0') => await putBack('nack', ackIds, delay),
    extend: async (ackIds, visibility) => await putBack('extend', ackIds, visibility),
    release: async (ackIds) => await putBack('release', ackIds, '0'),
    async expire(token) {
      const past = 'clock_timestamp()';
      // Between two receives, as time passes: the next one looks at what has ended since the last one looked.
      await db.query(
        `with locked as materialized (select millrace_private.lock_consumer($1, 'turn'))
         update millrace_private.leases l set until = ${past} from locked where l.sink_no = $1 and l.token = $2`,
        [sinkNo, token],
      );
      await db.query(
        `update millrace_private.delivery_states set due_at = ${past} where sink_no = $1 and token = $2 and state = 'leased'`,
        [sinkNo, token],
      );
    },
    async fastForward() {
      await db.query(
        `update millrace_private.delivery_states set due_at = clock_timestamp() - interval '1 ms'
          where sink_no = $1 and due_at is not null and state in ('retrying', 'waiting')`,
        [sinkNo],
      );
    },
    async stored() {
      const { rows } = await db.query<{ id: number }>(
        'select id from millrace_private.messages where sink_no = $1 order by id',
        [sinkNo],
      );
      return rows.map((row) => row.id);
    },
    async deliveryStates() {
      const { rows } = await db.query<{ id: number; state: string; attempts: number; error: string | null }>(
        'select id, state, attempts, error from millrace_private.delivery_states where sink_no = $1 order by id',
        [sinkNo],
      );
      return rows;
    },
  };
}
