/**
 * What holds in every session of ours, whatever the role, the database or the server says. It is sent once the session is
 * there: a pooler refuses settings in the startup packet that it does not know, and hands out sessions that others have used.
 */
import type { PoolOptions } from './pool.ts';

/** Another TimeZone or DateStyle would change the texts of values. */
const SETTINGS: Record<string, string> = {
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  default_transaction_read_only: 'off',
};

/**
 * A queue's statistics are always wrong: what was never analysed looks empty, what was just drained looks full. Its rows
 * are found by index, in order, whatever the planner believes.
 */
const QUEUE_SETTINGS: Record<string, string> = {
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_mergejoin: 'off',
  enable_hashjoin: 'off',
};

/**
 * What a commit of ours has said must outlive the server: where role, database or server ask for less, it is asked for all
 * the same. What they ask for beyond that, a standby's word, stays.
 */
const DURABLE = `select pg_catalog.set_config('synchronous_commit', 'on', false)
                  where pg_catalog.current_setting('synchronous_commit') operator(pg_catalog.=) 'off'`;

/** A SQL_ASCII database holds bytes of any encoding: Postgres would refuse to answer with what is no UTF-8. */
const AS_STORED = `select pg_catalog.set_config('client_encoding', 'SQL_ASCII', false)
                    where pg_catalog.current_setting('server_encoding') operator(pg_catalog.=) 'SQL_ASCII'`;

/** A pooler that clears nothing up would leave us the prepared statements and locks of whoever had the session before. */
const CLEAR = 'deallocate all; select pg_catalog.pg_advisory_unlock_all()';

const ANSWER_MS = 10_000;

interface Asked {
  query(question: { text: string; query_timeout: number }): Promise<unknown>;
}

export type SessionOptions = Pick<PoolOptions, 'queue' | 'statementTimeoutMs' | 'idleInTransactionMs'>;

/** To be called once, before anything else is asked. One round trip; throws what Postgres or the network says. */
export async function applySettings(client: Asked, options: SessionOptions): Promise<void> {
  const deadlines = {
    statement_timeout: `${options.statementTimeoutMs ?? 30_000}ms`,
    idle_in_transaction_session_timeout: `${options.idleInTransactionMs ?? 30_000}ms`,
  };
  const settings = { ...SETTINGS, ...(options.queue ? QUEUE_SETTINGS : {}), ...deadlines };
  await send(client, [CLEAR, ...assignments(settings), AS_STORED]);
}

/** The same for a replication connection: no deadline holds there, and a stream never ends. */
export async function applyStreamSettings(client: Asked): Promise<void> {
  await send(client, assignments(SETTINGS));
}

const assignments = (settings: Record<string, string>): string[] =>
  Object.entries(settings).map(([name, value]) => `set ${name} = '${value}'`);

async function send(client: Asked, statements: string[]): Promise<void> {
  await client.query({ text: [...statements, DURABLE].join('; '), query_timeout: ANSWER_MS });
}
