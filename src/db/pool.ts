/**
 * Postgres' door: the one place that makes connections (replication connections are made in capture/replication/connection.ts).
 * Every session reads and writes UTC and ISO dates, and never waits for ever: statements, locks and idle transactions
 * have deadlines. A commit is durable when it returns, whatever the server's default. int8 arrives as a number when it is
 * exact as one (ids are), else as a bigint.
 */
import pg from 'pg';
import { readAddress } from '../model/database-address.ts';
import { MillraceError } from '../model/errors.ts';
import { maskOf } from '../model/mask.ts';
import { isSilent } from '../model/sqlstate.ts';
import { Client } from './client.ts';
import { guardedConnection, type Security } from './connection.ts';
import { keepShare } from './room.ts';
import { rowBytes } from './row-bytes.ts';
import { applySettings, type SessionOptions } from './session-settings.ts';
import { SharingPool } from './sharing-pool.ts';
import type { Statement } from './statement.ts';

/** A connection that was lent, with its session: for several statements of one transaction. */
export type Connection = pg.ClientBase;

export interface Queryable {
  query<Row = Record<string, unknown>>(
    statement: Statement | string,
    values?: readonly unknown[],
  ): Promise<{ rows: Row[]; rowCount: number }>;
}

export interface Transaction extends Queryable {
  /** The connection itself, for COPY. */
  readonly client: pg.PoolClient;
}

/** Statements on their own, and several in one transaction. */
export type Transacting = Pick<Database, 'query' | 'transaction'>;

/** Statements whose rows are only passed on. */
export interface BytesQueryable extends Queryable {
  /** Of a statement with one column, the text of each row, in the pieces in which it came; without one: null, or empty. */
  queryBytes(statement: Statement, values: readonly unknown[]): Promise<Buffer[][]>;
}

export interface Database extends BytesQueryable {
  /**
   * Runs `work` in one read-committed transaction: commits when it returns, rolls back when it throws. `first`: statements that come
   * before, in the round trip of its beginning.
   */
  transaction<Result>(work: (tx: Transaction) => Promise<Result>, first?: string): Promise<Result>;
  /** Lends a connection for COPY or LISTEN; `work` must leave it without an open transaction. */
  session<Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result>;
  /** The pool itself, for libraries that want one. */
  readonly pool: pg.Pool;
  /** Waits for borrowed connections and closes all. Safe to call twice. */
  close(): Promise<void>;
}

export interface PoolOptions extends Security, SessionOptions {
  /** Its parts, or a URL that says nothing about TLS. Where user or password is empty, libpq's variables count. */
  address: string | { host: string; port: number; database: string; user: string; password: string };
  /** For commands of the replication protocol. */
  replication?: 'database';
  max: number;
  /**
   * What the pool needs at least. Then it has between so many and `max`, as the limits of role, database and server allow,
   * and waits where they are reached. Absent: `max`, and a server that is full is an error.
   */
  least?: number;
  /** Milliseconds to wait for a server that is full, with `least`; `patienceMs` if absent. */
  fullMs?: number;
  /** Hears that the server had no further connection, and how many there are. */
  onFull?: (error: unknown, total: number) => void;
  applicationName: string;
  /**
   * Milliseconds; a connection on which a statement is not answered by then is dropped. More than the statement's own
   * deadline: this one is for a server that cannot be reached any more and never said so. Absent: for ever.
   */
  queryTimeoutMs?: number;
  /**
   * Milliseconds to wait for a connection of the pool that is free, 10,000 if absent. More where many share few: that they
   * wait for each other is no fault of the server's.
   */
  patienceMs?: number;
  onError?: (error: Error) => void;
}

const INT8 = 20;
const INT8_ARRAY = 1016;

function parseInt8(text: string): number | bigint {
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : BigInt(text);
}

const types: pg.CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return parseInt8;
    if (oid === INT8_ARRAY) return (text: string) => (text === '{}' ? [] : text.slice(1, -1).split(',').map(parseInt8));
    return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text');
  },
};

const CONNECT_MS = 10_000;

/** The pool has one deadline for both: its waiting, and making a connection. The latter stays short. */
function clientOf(options: PoolOptions) {
  return class extends Client {
    constructor(config: pg.ClientConfig = {}) {
      // With what cannot be enumerated: the pool hides the password so.
      const own: OneConnection = Object.defineProperties({}, Object.getOwnPropertyDescriptors(config));
      own.connectionTimeoutMillis = CONNECT_MS;
      own.connection = connectionOf(options);
      super(own);
    }
  };
}

/** The types of the library do not know that it takes one. */
interface OneConnection extends pg.ClientConfig {
  connection?: pg.Connection;
}

/**
 * The options of one connection, for whoever needs one of its own: they can be used once, and its settings
 * are to be applied then.
 */
export function clientConfig(options: PoolOptions): pg.ClientConfig {
  const config: OneConnection = { ...sharedConfig(options), connection: connectionOf(options) };
  return config;
}

/** What servers have said, and on a connection of which pool. */
const said = new WeakMap<object, PoolOptions>();
const opened = new WeakMap<Database, PoolOptions>();

/** Did the server of this database say so? For whoever works with several, and has to tell which one is in trouble. */
export const isSaidBy = (db: Database, error: unknown): boolean =>
  error instanceof Error && said.has(error) && said.get(error) === opened.get(db);

/** What a server says of this connection never shows its password. */
function connectionOf(options: PoolOptions): pg.Connection {
  const { host, database, user, password } = partsOf(options.address);
  const connection = guardedConnection(options, () => maskOf([{ text: password }], [host, database, user]));
  connection.on('errorMessage', (error: Error) => said.set(error, options));
  return connection;
}

function sharedConfig(options: PoolOptions): pg.ClientConfig {
  const replication = options.replication === undefined ? {} : { replication: options.replication };
  return {
    ...partsOf(options.address),
    ...replication,
    // Said in any case: what is not said, variables of the environment say.
    ssl: options.ssl ?? false,
    sslnegotiation: 'postgres',
    enableChannelBinding: options.channelBinding ?? false,
    types,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    ...(options.queryTimeoutMs === undefined ? {} : { query_timeout: options.queryTimeoutMs }),
  };
}

function partsOf(address: PoolOptions['address']): Exclude<PoolOptions['address'], string> {
  if (typeof address !== 'string') return address;
  const read = readAddress(address);
  if ('message' in read) throw new MillraceError('bad_setting', `the address ${read.message}`, { remedy: read.remedy });
  const { host, port, database, user = '', password = '', tls } = read;
  if (tls !== undefined) throw new MillraceError('internal', 'an address with an sslmode was used without it');
  return { host, port, database, user, password };
}

/** Opens a pool. Connects on first use; `close` ends it. */
export function openPool(options: PoolOptions): Database {
  const { least, max, patienceMs = CONNECT_MS } = options;
  const config = {
    ...sharedConfig(options),
    Client: clientOf(options),
    onConnect: (client: pg.ClientBase) => applySettings(client, options),
    connectionTimeoutMillis: patienceMs,
    max,
    // Once given up, it may go to somebody else.
    min: least ?? 0,
    idleTimeoutMillis: 30_000,
  };
  const sharing = { patienceMs: options.fullMs ?? patienceMs, onFull: options.onFull };
  const shared = least === undefined ? undefined : new SharingPool(config, sharing);
  const pool = shared ?? new pg.Pool(config);
  const endShare = shared && max > (least ?? max) ? keepShare(shared, { wanted: max, least: least ?? max }) : undefined;
  const lost = (error: Error): void => options.onError?.(error);
  pool.on('error', lost);
  // A borrowed connection that breaks says so to its own listeners too; without one the process would end.
  pool.on('connect', (client) => client.on('error', () => undefined));
  let closing: Promise<void> | undefined;

  const session: Database['session'] = async (work) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    try {
      return await work(client);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) broken ??= error as Error;
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  };

  const db: Database = {
    pool,
    session,
    query: (statement, values) => run(pool, statement, values),
    queryBytes: (statement, values) => bytesOf(pool, statement, values),
    transaction: (work, first) => session((client) => inTransaction(client, work, first)),
    close() {
      endShare?.();
      closing ??= pool.end();
      return closing;
    },
  };
  opened.set(db, options);
  return db;
}

/** What `Database.transaction` does, on a connection that was lent. */
export async function inTransaction<Result>(
  client: pg.PoolClient,
  work: (tx: Transaction) => Promise<Result>,
  first?: string,
): Promise<Result> {
  const begin = 'begin isolation level read committed';
  try {
    await client.query(first === undefined ? begin : `${begin}; ${first}`);
    const result = await work({ client, query: (statement, values) => run(client, statement, values) });
    await client.query('commit');
    return result;
  } catch (error) {
    // Who has not answered in time would be waited for as long once more.
    if (isSilent(error)) void client.end().catch(() => undefined);
    // A session that cannot roll back must not return to the pool with its transaction open.
    else await client.query('rollback').catch(() => client.end().catch(() => undefined));
    throw error;
  }
}

/** One connection that is no pool's. Throws what that says, and leaves nothing open then. */
export async function openClient(options: PoolOptions): Promise<pg.Client> {
  const client = new Client(clientConfig(options));
  // Whoever asks next hears it; without a listener the process would end.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await applySettings(client, options);
    return client;
  } catch (error) {
    void client.end().catch(() => undefined);
    throw error;
  }
}

/** As the pool does it for a statement, a connection on which one failed is not used again. */
async function bytesOf(pool: pg.Pool, statement: Statement, values: readonly unknown[]): Promise<Buffer[][]> {
  const client = await pool.connect();
  let failed: Error | undefined;
  try {
    // The types of the library do not know that it has one.
    const connection: pg.Connection = Reflect.get(client, 'connection');
    return await rowBytes(connection.stream, () => run(client, statement, values));
  } catch (error) {
    failed = error as Error;
    throw error;
  } finally {
    client.release(failed);
  }
}

/** One statement on a pool or a connection. */
export async function run<Row>(
  target: pg.Pool | pg.ClientBase,
  statement: Statement | string,
  values: readonly unknown[] = [],
): Promise<{ rows: Row[]; rowCount: number }> {
  const text = typeof statement === 'string' ? { text: statement } : { name: statement.name, text: statement.text };
  const result = await target.query({ ...text, values: [...values] });
  return { rows: result.rows as Row[], rowCount: result.rowCount ?? 0 };
}
