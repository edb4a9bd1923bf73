/**
 * What holds in every session of ours, whatever the role, the database or the server says. It is sent once the session is
 * there: a pooler refuses settings in the startup packet that it does not know, and hands out sessions that others have used.
 */
import { quoteLiteral } from '../model/quote.ts';

/**
 * A name in a statement of ours means Postgres' own function, operator or type, whatever others put into the schemas of our
 * role's path: their code would run with our rights. Temporary objects come last, for a type or table of theirs is found
 * first otherwise. Set in the session, not at its start: `default` still means the path of the role.
 */
const OUR_PATH = 'search_path = pg_catalog, pg_temp';

/**
 * For what users' own objects do under our statement (triggers, defaults, generated columns of a change table; `init_sql`):
 * the path that the role has anywhere else, until the transaction ends. Every name in the statement itself is qualified then.
 */
export const USERS_PATH = 'set local search_path to default';

/**
 * For a statement that is to see every row, until the transaction ends: a policy of row security would leave rows out silently,
 * and a role that it binds gets an error instead.
 */
export const EVERY_ROW = 'set local row_security = off';

/** After USERS_PATH, for the rest of the transaction. */
export const BACK_TO_OUR_PATH = `set local ${OUR_PATH}`;

/**
 * Another TimeZone or DateStyle would change the texts of values, another of the rest the meaning of our statements; but for jit: the
 * planner takes what we ask of the catalogs of many tables for so dear that compiling it takes ten times as long as running it.
 */
const SETTINGS: Record<string, string> = {
  jit: 'off',
  standard_conforming_strings: 'on',
  array_nulls: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  client_min_messages: 'warning',
  default_transaction_isolation: 'read committed',
  lock_timeout: '0',
  TimeZone: 'UTC',
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  extra_float_digits: '1',
  bytea_output: 'hex',
  default_transaction_read_only: 'off',
};

/**
 * A queue's statistics are always wrong: what was never analysed looks empty, what was just drained looks full. Its rows
 * are found by index, in order, whatever the planner believes; with many sinks it believes in parallel workers, whose start takes six times
 * as long as a small acknowledgement.
 */
const QUEUE_SETTINGS: Record<string, string> = {
  max_parallel_workers_per_gather: '0',
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

/** Deadlines that not every release has. Nobody else's end our sessions or transactions. */
const NO_OTHER_DEADLINES = `select pg_catalog.set_config(s.name, '0', false)
                              from pg_catalog.unnest(array['idle_session_timeout', 'transaction_timeout']) s (name)
                             where pg_catalog.current_setting(s.name, true) operator(pg_catalog.<>) '0'`;

/** A SQL_ASCII database holds bytes of any encoding: Postgres would refuse to answer with what is no UTF-8. */
const AS_STORED = `select pg_catalog.set_config('client_encoding', 'SQL_ASCII', false)
                    where pg_catalog.current_setting('server_encoding') operator(pg_catalog.=) 'SQL_ASCII'`;

/** A pooler that clears nothing up would leave us the prepared statements and locks of whoever had the session before. */
const CLEAR = 'deallocate all; select pg_catalog.pg_advisory_unlock_all()';

const ANSWER_MS = 10_000;

interface Asked {
  query(question: { text: string; query_timeout: number }): Promise<unknown>;
}

export interface SessionOptions {
  /** Milliseconds; 0 for none. */
  statementTimeoutMs?: number;
  /** Milliseconds; Postgres ends a transaction whose client says nothing for so long, 30,000 if absent. */
  idleInTransactionMs?: number;
  /** Where names are looked up: `ours`, if absent, or as anywhere else the role does, for SQL that a person wrote. */
  path?: 'ours' | 'role';
  /** For reading the message table: its rows are found by index. */
  queue?: boolean;
  /**
   * For sources: what is committed is on the server's own disk, and no standby is waited for. One that does not answer would
   * stop capture, and locks that we have meanwhile would stop writers who asked for no standby.
   */
  local?: boolean;
  /** Who acts in this session, for the audit log (sql/schema/audit/record_change.sql): `cli root`. */
  actor?: string | undefined;
}

/** To be called once, before anything else is asked. One round trip; throws what Postgres or the network says. */
export async function applySettings(client: Asked, options: SessionOptions): Promise<void> {
  const deadlines = {
    statement_timeout: `${options.statementTimeoutMs ?? 30_000}ms`,
    idle_in_transaction_session_timeout: `${options.idleInTransactionMs ?? 30_000}ms`,
  };
  const settings = {
    ...SETTINGS,
    ...(options.queue ? QUEUE_SETTINGS : {}),
    ...(options.local ? { synchronous_commit: 'local' } : {}),
    ...deadlines,
    ...(options.actor === undefined ? {} : { 'millrace.actor': options.actor }),
  };
  const path = options.path === 'role' ? [] : [`set ${OUR_PATH}`];
  await send(client, [CLEAR, ...path, ...assignments(settings), NO_OTHER_DEADLINES, AS_STORED]);
}

/**
 * The same for a replication connection. A stream never ends, so it needs no deadline of ours; those of others are taken off,
 * for to the server each transaction that it sends is one of the session's.
 */
export async function applyStreamSettings(client: Asked): Promise<void> {
  await send(client, [`set ${OUR_PATH}`, ...assignments(SETTINGS), NO_OTHER_DEADLINES]);
}

const assignments = (settings: Record<string, string>): string[] =>
  Object.entries(settings).map(([name, value]) => `set ${name} = ${quoteLiteral(value)}`);

async function send(client: Asked, statements: string[]): Promise<void> {
  await client.query({ text: [...statements, DURABLE].join('; '), query_timeout: ANSWER_MS });
}
