/**
 * A source database that is captured for real into a message database, for tests of capture and of everything after it.
 */
import pg from 'pg';
import { openBackfills } from '../../src/backfill/service.ts';
import { captureDatabase } from '../../src/capture/database.ts';
import type { DatabaseSettings, Destination, SinkSettings } from '../../src/model/declared.ts';
import { createLog } from '../../src/runtime/log.ts';
import type { PageBudget } from '../../src/source/read-page.ts';
import { catalogued, type DeclaredSource } from './catalogued.ts';
import { type MessageDatabase, messageDatabase } from './message-database.ts';
import { AS_PLAIN, asPlainSource } from './plain-role.ts';
import { type Cluster, sharedSource, type TestDatabase } from './postgres.ts';
import { until } from './until.ts';

export const PULL: Destination = {
  type: 'pull',
  visibility_timeout_ms: 30_000,
  max_ack_pending: 10_000,
  max_waiting: 20,
  max_per_group: 1,
};

export const SEARCH: Destination = {
  type: 'elasticsearch',
  endpoint_url: 'http://127.0.0.1:9',
  index_name: 'products',
  auth_type: 'none',
  batch_size: 100,
  batch_bytes: 8_388_608,
  compression: 'none',
  versioning: 'external',
  tls: { ca: null, verify: true },
};

/** A sink's settings as the catalog stores them, every default filled in. */
export function sinkSettings(
  changes: Partial<SinkSettings> & { name: string; destination: Destination },
): SinkSettings {
  return {
    database: 'shop',
    status: 'active',
    source: { include_schemas: null, exclude_schemas: null, include_tables: null, exclude_tables: null },
    actions: ['insert', 'update', 'delete'],
    filters: [],
    filter_leave: 'delete',
    filter: null,
    transform: null,
    routing: null,
    message_grouping: true,
    tables: [],
    annotations: {},
    max_retry_count: null,
    ...changes,
  };
}

export interface Captured {
  source: pg.Client;
  sourceUrl: string;
  messages: MessageDatabase;
  databaseNo: number;
  slot: string;
  settings: DatabaseSettings;
  /** What a capture in another process must know. */
  declared: DeclaredSource;
  /** Adds a sink; a running capture notices at its next change. */
  addSink(settings: SinkSettings): Promise<number>;
  start(): void;
  stop(): Promise<void>;
  state(): Promise<{ state: string; reason: string | null; remedy: string | null }>;
  streaming(): Promise<void>;
  /** Until the database is in this state. */
  becomes(state: string, deadlineMs?: number): Promise<{ reason: string; remedy: string }>;
  /** Codes and texts of a sink's notices. */
  notices(sinkNo: number): Promise<{ code: string; table: string; message: string; remedy: string | null }[]>;
  /** Finished messages of a sink in id order, when there are `count` of them. */
  received(sinkNo: number, count: number): Promise<CapturedMessage[]>;
  close(): Promise<void>;
}

export interface CapturedMessage {
  id: number;
  lane: number;
  group_key: number | null;
  group_key2: number | null;
  action: string;
  record: string;
  changes: string | null;
  record_pks: string;
  commit_lsn: string;
  commit_idx: number;
  annotations: string | null;
  unchanged_toast: string | null;
  text: string;
}

export interface CapturedOptions {
  cluster?: Cluster;
  settings?: Partial<DatabaseSettings>;
  /** Of the regular checks and of statements, milliseconds. */
  timing?: { checkMs?: number; recheckMs?: number; statementMs?: number; silentMs?: number };
  /** Where capture connects to, in place of the database itself: a relay, another role. */
  through?: (url: string) => string;
  /** As which role capture connects: a superuser, or one with the rights of the documentation alone (plain-role.ts). */
  as?: 'superuser' | 'plain';
  /** A source that is there already; it is not dropped. */
  database?: TestDatabase;
  messages?: MessageDatabase;
  /** How large a page of a backfill may be, where it is not as usual. */
  page?: Partial<PageBudget>;
  /** Of a backfill's query to the source, milliseconds. */
  queryMs?: number;
}

let made = 0;

/** A fresh source database with `schema` in it, and a message database that knows it. Nothing runs before `start`. */
export async function captured(schema: string, on: CapturedOptions = {}): Promise<Captured> {
  made += 1;
  const cluster = on.cluster ?? (await sharedSource());
  const messages = on.messages ?? (await messageDatabase());
  const database = on.database ?? (await cluster.createDatabase());
  const source = new pg.Client({ connectionString: database.url });
  source.on('error', () => undefined);
  await source.connect();
  const plain = (on.as ?? (AS_PLAIN ? 'plain' : 'superuser')) === 'plain';
  const reached = plain ? await asPlainSource(database) : database.url;
  if (schema) await source.query(schema);
  const slot = `millrace_test_${process.pid}_${made}`;
  const settings: DatabaseSettings = {
    name: 'shop',
    slot: { name: slot, create_if_not_exists: true },
    publication: { name: 'millrace_test', create_if_not_exists: true, init_sql: null },
    ssl: false,
    pool_size: 3,
    max_row_bytes: 16_777_216,
    invalid_utf8: 'replace',
    await_database: { timeout_ms: 30_000, interval_ms: 3_000 },
    annotations: { team: 'shop' },
    ...on.settings,
  };
  const { rows } = await messages.db.query<{ no: number; id: string }>(
    `insert into millrace_private.databases (name, settings, address, hostname, database_name)
     values ('shop', $1::jsonb, 'sealed', '127.0.0.1', $2::text) returning no, id`,
    [JSON.stringify(settings), database.name],
  );
  const { no: databaseNo, id: databaseId } = rows[0]!;
  await messages.db.query('insert into millrace_private.positions (database_no) values ($1::integer)', [databaseNo]);
  const url = new URL(on.through?.(reached) ?? reached);
  const address = {
    host: url.hostname,
    port: Number(url.port),
    database: url.pathname.slice(1),
    user: url.username,
    password: url.password,
  };
  const log = createLog({ level: process.env.TEST_LOG ? 'debug' : 'silent', role: 'test' });
  let abort = new AbortController();
  let running: Promise<void> = Promise.resolve();

  const declared: DeclaredSource = { no: databaseNo, settings, address };

  const self: Captured = {
    source,
    sourceUrl: database.url,
    messages,
    databaseNo,
    slot,
    settings,
    declared,
    async addSink(sink) {
      const kind = { pull: 'pull', sequin_stream: 'pull', elasticsearch: 'search_index', change_table: 'change_table' }[
        sink.destination.type
      ];
      const functions = sink.filter ?? sink.transform ?? sink.routing;
      const lanes = kind === 'pull' ? (functions ? 1 : 0) : kind === 'search_index' ? 2 : 1;
      return await messages.db.transaction(async (tx) => {
        const added = await tx.query<{ no: number }>(
          `insert into millrace_private.sinks (name, kind, database_id, status, settings, lanes)
           values ($1::text, $2::text, $3::uuid, $4::text, $5::jsonb, $6::smallint) returning no`,
          [sink.name, kind, databaseId, sink.status, JSON.stringify(sink), lanes],
        );
        const { no } = added.rows[0]!;
        await tx.query('select millrace_private.add_sink_storage($1::integer)', [no]);
        await tx.query('select millrace_private.publish_catalog()');
        return no;
      });
    },
    start() {
      abort = new AbortController();
      running = captureDatabase(
        {
          messages: messages.db,
          log,
          current: () => catalogued(messages.db, declared),
          onPersisted: () => undefined,
          beside: openBackfills({
            messages: messages.db,
            log,
            lookMs: 20,
            ...(on.page ? { page: on.page } : {}),
            ...(on.queryMs ? { queryMs: on.queryMs } : {}),
          }),
          ...on.timing,
        },
        databaseNo,
        abort.signal,
      );
    },
    async stop() {
      abort.abort();
      await running;
    },
    async state() {
      const state = await messages.db.query<{ state: string; reason: string | null; remedy: string | null }>(
        'select state, reason, remedy from millrace.database_status',
      );
      return state.rows[0]!;
    },
    async streaming() {
      // Also when no sink reads from it yet.
      const sql = 'select p.state from millrace_private.positions p';
      await until('capture streams', async () => (await messages.db.query(sql)).rows[0]?.state === 'streaming');
    },
    async becomes(state, deadlineMs) {
      return await until(
        `the state ${state}`,
        async () => {
          const now = await self.state();
          return now.state === state && { reason: now.reason ?? '', remedy: now.remedy ?? '' };
        },
        deadlineMs,
      ).catch(async (error: unknown) => {
        throw new Error(`${String(error)}; it is ${JSON.stringify(await self.state())}`);
      });
    },
    async notices(sinkNo) {
      const { rows } = await messages.db.query<{ code: string; table: string; message: string; remedy: string | null }>(
        `select n.code, n.table_name as table, n.message, n.remedy from millrace_private.notices n
          where n.sink_no = $1::integer order by n.table_name, n.code`,
        [sinkNo],
      );
      return rows;
    },
    async received(sinkNo, count) {
      const read = async () =>
        (
          await messages.db.query<CapturedMessage>(
            `select m.id, m.lane, m.group_key, m.group_key2, m.action, m.record, m.changes, m.record_pks,
                    m.commit_lsn::text as commit_lsn, m.commit_idx, m.annotations, m.unchanged_toast,
                    millrace_private.message_text(m, t.metadata, s.metadata) as text
               from millrace_private.messages m
               join millrace_private.source_tables t on t.no = m.source_table
               join millrace_private.sinks s on s.no = m.sink_no
              where m.sink_no = $1::integer order by m.id`,
            [sinkNo],
          )
        ).rows;
      let rows = await read();
      await until(`${count} messages of sink ${sinkNo}`, async () => {
        rows = await read();
        return rows.length >= count;
      });
      return rows;
    },
    async close() {
      await self.stop();
      await source
        .query('select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = $1', [slot])
        .catch(() => undefined);
      await source.end().catch(() => undefined);
      if (!on.messages) await messages.drop();
      if (!on.database) await database.drop().catch(() => undefined);
    },
  };
  return self;
}
