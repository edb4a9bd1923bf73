/**
 * Rows of the message database as capture and the catalog would have written them, without either of them.
 */
import type { Database, Queryable } from '../../src/db/pool.ts';
import { COPY_MESSAGES } from '../../src/messages/copy-rows.ts';

export interface PullSinkFixture {
  name: string;
  type?: 'pull' | 'sequin_stream';
  status?: 'active' | 'paused' | 'disabled';
  visibilityTimeoutMs?: number;
  maxAckPending?: number;
  maxWaiting?: number;
  maxPerGroup?: number;
  /** Deliveries after the first; without end when left out. */
  maxRetryCount?: number;
  /** 1: a consumer with functions, whose messages arrive in lane 1. */
  lanes?: number;
}

export interface AddedSink {
  no: number;
  id: string;
  name: string;
}

export interface MessageFixture {
  /** Null: no order. A number, as capture's hash of table and key would be. */
  group?: number | null;
  group2?: number | null;
  lane?: number;
  action?: 'insert' | 'update' | 'delete' | 'read';
  /** JSON texts. */
  record?: string;
  changes?: string | null;
  payload?: string | null;
  recordPks?: string[];
}

// Ids increase over all databases of a test process, as they do in one database.
let lastId = 1_790_000_000_000_000;

/** A declared database named `shop` with one table `public.orders`; the same one when it is there already. */
export async function addShop(db: Queryable): Promise<{ databaseNo: number; tableNo: number }> {
  const { rows } = await db.query<{ database_no: number; table_no: number }>(`
    with shop as (
      insert into millrace_private.databases (name, settings, address, hostname, database_name)
      values ('shop', '{"annotations":{"team":"shop"}}', 'sealed', 'db.example.com', 'shop_production')
          on conflict (name) do update set name = excluded.name
      returning no
    ), position as (
      insert into millrace_private.positions (database_no, state) select no, 'streaming' from shop on conflict do nothing
    ), orders as (
      insert into millrace_private.source_tables as t (database_no, oid, schema_name, table_name, metadata)
      select no, 16400, 'public', 'orders', '"table_schema":"public","table_name":"orders"' from shop
          on conflict (database_no, oid, schema_name, table_name) do update set metadata = t.metadata
      returning no
    )
    select shop.no as database_no, orders.no as table_no from shop, orders`);
  const shop = rows[0]!;
  // Captured, by a schema that asks for signs of it.
  await db.query(`
    do $$
    begin
      if to_regclass('millrace_private.capture_beats') is not null then
        insert into millrace_private.capture_beats (database_no, seq, at, next_id)
        select d.no, 1, clock_timestamp(), 0 from millrace_private.databases d where d.name = 'shop'
            on conflict do nothing;
      end if;
    end $$`);
  return { databaseNo: shop.database_no, tableNo: shop.table_no };
}

/** A pull consumer with its storage, as the catalog leaves it. */
export async function addPullSink(db: Database, sink: PullSinkFixture): Promise<AddedSink> {
  const { databaseNo } = await addShop(db);
  const settings = {
    name: sink.name,
    database: 'shop',
    status: sink.status ?? 'active',
    annotations: { owner: 'billing' },
    max_retry_count: sink.maxRetryCount ?? null,
    destination: {
      type: sink.type ?? 'pull',
      visibility_timeout_ms: sink.visibilityTimeoutMs ?? 30_000,
      max_ack_pending: sink.maxAckPending ?? 10_000,
      max_waiting: sink.maxWaiting ?? 20,
      max_per_group: sink.maxPerGroup ?? 1,
    },
  };
  return await db.transaction(async (tx) => {
    const { rows } = await tx.query<{ no: number; id: string }>(
      `insert into millrace_private.sinks (name, kind, database_id, status, settings, lanes)
       select $1, 'pull', d.id, $2, $3::jsonb, $4 from millrace_private.databases d where d.no = $5 returning no, id`,
      [sink.name, settings.status, JSON.stringify(settings), sink.lanes ?? 0, databaseNo],
    );
    const added = rows[0]!;
    await tx.query('select millrace_private.add_sink_storage($1)', [added.no]);
    await tx.query('select millrace_private.publish_catalog()');
    return { ...added, name: sink.name };
  });
}

export interface PushSinkFixture {
  name: string;
  kind: 'search_index' | 'change_table';
  /** 1 */
  lanes?: number;
}

/** A push sink with its storage. */
export async function addPushSink(db: Database, sink: PushSinkFixture): Promise<AddedSink> {
  const { databaseNo } = await addShop(db);
  const settings = { name: sink.name, database: 'shop', status: 'active', destination: {} };
  return await db.transaction(async (tx) => {
    const { rows } = await tx.query<{ no: number; id: string }>(
      `insert into millrace_private.sinks (name, kind, database_id, status, settings, lanes)
       select $1, $2, d.id, 'active', $3::jsonb, $4 from millrace_private.databases d where d.no = $5 returning no, id`,
      [sink.name, sink.kind, JSON.stringify(settings), sink.lanes ?? 1, databaseNo],
    );
    const added = rows[0]!;
    await tx.query('select millrace_private.add_sink_storage($1)', [added.no]);
    await tx.query('select millrace_private.publish_catalog()');
    return { ...added, name: sink.name };
  });
}

/** Messages that arrived parked, as capture leaves what is too large. */
export async function parkOnArrival(db: Queryable, sinkNo: number, ids: readonly number[]): Promise<void> {
  await db.query(
    `insert into millrace_private.exceptions (sink_no, id, lane, group_key, state, attempts, stage, error, parked_at)
     select m.sink_no, m.id, m.lane, m.group_key, 'parked', 0, 'capture', 'too large', clock_timestamp()
       from millrace_private.messages m where m.sink_no = $1 and m.id = any ($2::bigint[])`,
    [sinkNo, ids],
  );
}

/** Appends messages in one transaction, in this order; returns their ids. Notifies nobody: see `notifyMessages`. */
export async function appendMessages(
  db: Queryable,
  sinkNo: number,
  messages: readonly MessageFixture[],
): Promise<number[]> {
  const { tableNo } = await addShop(db);
  const rows = messages.map((message) => {
    lastId += 1;
    const key = message.group ?? lastId;
    return {
      sink_no: sinkNo,
      lane: message.lane ?? 0,
      id: lastId,
      group_key: message.group ?? null,
      group_key2: message.group2 ?? null,
      source_table: tableNo,
      action: message.action ?? 'insert',
      record_pks: JSON.stringify(message.recordPks ?? [String(key)]),
      commit_lsn: lastId,
      commit_idx: 0,
      committed_at: '2026-11-21 08:00:00.123456+00',
      record: message.record ?? `{"id":${key},"no":${lastId}}`,
      changes: message.changes ?? null,
      payload: message.payload ?? null,
    };
  });
  // The columns of capture's COPY, and payload, which only shaping writes.
  const columns = `${COPY_MESSAGES.slice(COPY_MESSAGES.indexOf('(') + 1, COPY_MESSAGES.indexOf(')'))}, payload`;
  await db.query(
    `insert into millrace_private.messages (${columns})
     select ${columns} from json_populate_recordset(null::millrace_private.messages, $1::json) order by id`,
    [JSON.stringify(rows)],
  );
  return rows.map((row) => row.id);
}

/** What capture does after a batch: tells that these sinks have something new. */
export async function notifyMessages(db: Queryable, ...sinkNos: number[]): Promise<void> {
  await db.query(`select pg_notify('millrace_messages', $1)`, [sinkNos.join(',')]);
}
