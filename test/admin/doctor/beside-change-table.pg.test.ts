/** Traps in what a change table has beside it: each is set, found without a worker, and gone when what is printed was run. */
import { expect } from 'chai';
import pg from 'pg';
import { type Database, openPool } from '../../../src/db/pool.ts';
import { createLog } from '../../../src/runtime/log.ts';
import type { ChangeTableDestination } from '../../../src/sinks/change-table/section.ts';
import { openChangeTable } from '../../../src/sinks/change-table/sink.ts';
import { sinkSettings } from '../../support/fixtures/captured.ts';
import { delivery } from '../../support/fixtures/delivery.ts';
import { type Examined, examined } from '../../support/fixtures/examined.ts';
import { appendMessages } from '../../support/fixtures/fixtures.ts';
import { hasExtension15 } from '../../support/postgres/extensions.ts';
import { AS_PLAIN, plainRoleOf } from '../../support/postgres/plain-role.ts';
import { type Cluster, startCluster } from '../../support/postgres/postgres.ts';
import { until } from '../../support/until.ts';

const DESTINATION: ChangeTableDestination = {
  ...{ type: 'change_table', database: 'shop', table_schema: 'public', table_name: 'history' },
  ...{ create_if_not_exists: false, retention: null },
};
const SOURCE = {
  include_schemas: null,
  exclude_schemas: null,
  include_tables: ['public.orders'],
  exclude_tables: null,
};
const COLUMNS = `seq bigint not null, source_database_id uuid not null, source_table_oid bigint not null,
  source_table_schema text not null, source_table_name text not null, record_pk text not null, record jsonb not null,
  changes jsonb, action text not null, committed_at timestamptz not null, inserted_at timestamptz not null default now()`;
const SCHEMA = `create table orders (id int primary key);
  create table history (id bigserial primary key, ${COLUMNS})`;

describe('millrace doctor: beside a change table', function () {
  this.timeout(120_000);
  let by: Examined;
  let sinkNo: number;
  const retention = sinkSettings({ name: 'orders-history', destination: DESTINATION, source: SOURCE });

  before(async () => {
    by = await examined(SCHEMA, { as: 'plain' });
    sinkNo = await by.on.addSink(retention);
  });
  after(async () => await by?.close());
  const query = async (sql: string) => await by.on.source.query(sql);
  const gone = async (id: string): Promise<void> => void expect((await by.finding(id))?.text).to.equal(undefined);
  const IS_WARNED = { status: 'WARNING', subject: 'sink orders-history', place: 'database shop' };
  const wholeTable = async (): Promise<void> => {
    await gone('no_seq_index');
    expect((await by.doctor()).text).to.match(/^OK {2}sink orders-history: "public"."history" fits/m);
  };

  it('has the index on (seq, id) made without keeping writers waiting, also after an attempt that was broken off', async () => {
    const printed = await by.repair('no_seq_index');
    expect(printed).to.include({ ...IS_WARNED, sql: 'create index concurrently on "public"."history" (seq, id);' });
    await wholeTable();
    await query(`update pg_index set indisvalid = false where indexrelid = 'history_seq_id_idx'::regclass`);
    expect((await by.repair('no_seq_index')).sql).to.match(
      /^drop index concurrently if exists public.history_seq_id_idx; create/,
    );
    await wholeTable();
    const { rows } = await query(`select indexname from pg_indexes where tablename = 'history' order by 1`);
    expect(rows.map(({ indexname }) => indexname)).to.deep.equal(['history_pkey', 'history_seq_id_idx']);
  });

  it('takes an index that is being made for no leftover', async () => {
    await query('drop index history_seq_id_idx');
    const [writer, maker] = [new pg.Client(by.on.sourceUrl), new pg.Client(by.on.sourceUrl)];
    await Promise.all([writer.connect(), maker.connect()]);
    try {
      await writer.query('begin; lock table history in row exclusive mode');
      const making = maker.query('create index concurrently history_seq_id_idx on history (seq, id)');
      await until('the index is waited for', async () => {
        const { rows } = await query(`select from pg_index where indrelid = 'history'::regclass and not indisvalid`);
        return rows.length === 1;
      });
      const found = (await by.finding('no_seq_index'))!;
      expect(found).to.include({ status: 'NOTICE', subject: 'sink orders-history' }).and.not.have.property('sql');
      expect(found.summary).to.include('is being made right now');
      await writer.query('commit');
      await making;
      await wholeTable();
    } finally {
      await Promise.all([writer.end(), maker.end()]);
    }
  });

  it('has it made in each partition, and in those to come', async () => {
    await query(
      `alter table history rename to former;
       create table history (id bigserial, ${COLUMNS}, primary key (id, committed_at)) partition by range (committed_at);
       create table history_1 partition of history for values from (minvalue) to ('2026-01-01');
       create table history_2 partition of history for values from ('2026-01-01') to (maxvalue);
       create index millrace_1_seq_idx on history_2 (seq, id)`,
    );
    // One that was broken off: the whole is not valid, and one partition has it.
    await query(
      `do $$ declare oid oid := 'history_1'::regclass; begin
         execute format('create index millrace_%s_seq_idx on only history (seq, id)', 'history'::regclass::oid);
         execute format('create index millrace_%s_seq_idx on history_1 (seq, id)', oid);
       end $$`,
    );
    expect(await by.repair('no_seq_index')).to.include(IS_WARNED);
    await wholeTable();
    await query(`drop table history; alter table former rename to history`);
    await wholeTable();
  });

  it('makes it at once where a partition is partitioned itself', async () => {
    await query(
      `alter table history rename to former;
       create table history (id bigserial, ${COLUMNS}, primary key (id, committed_at)) partition by range (committed_at);
       create table history_1 partition of history for values from (minvalue) to (maxvalue) partition by range (committed_at);
       create table history_11 partition of history_1 default`,
    );
    expect((await by.repair('no_seq_index')).sql).to.equal('create index on "public"."history" (seq, id);');
    await wholeTable();
    await query(`drop table history; alter table former rename to history`);
  });

  it('knows when progress is older than what was written, and its remedy lets nothing be written twice', async () => {
    const pool = openPool({ address: by.on.sourceUrl, max: 1, applicationName: 'millrace test' });
    try {
      const [retentionId, sourceDatabaseId] = await storedIds(by.on.messages.db, sinkNo);
      const deps = { log: createLog({ level: 'silent' }), destination: pool, messages: by.on.messages.db };
      const sink = await openChangeTable(deps, { retentionId, sourceDatabaseId, destination: DESTINATION });
      const ids = await appendMessages(by.on.messages.db, sinkNo, [{}, {}, {}]);
      const batch = ids.map((id) => delivery(id, String(id), { tableName: 'orders' }));
      const send = async () => await sink.send(batch, new AbortController().signal);
      await send();
      await gone('progress_behind');
      // Restored from a copy that is older than the last batch, which was not settled.
      await query(`update millrace_progress set seq = ${ids[0]}, written = '{}'`);
      // Of a sink as old as this entries may be another one's.
      await gone('progress_behind');
      await by.on.messages.db.query(`update millrace_private.sinks set created_at = created_at - interval '1 hour'`);
      expect(await by.repair('progress_behind')).to.include(IS_WARNED);
      await gone('progress_behind');
      await query(`delete from millrace_progress`);
      await by.repair('progress_behind');
      await gone('progress_behind');
      await send();
      expect((await query('select count(*)::int as entries from history')).rows).to.deep.equal([{ entries: 3 }]);
    } finally {
      await pool.close();
    }
  });

  it('says when progress may not be noted', async () => {
    await query('alter table millrace_progress owner to postgres; revoke all on millrace_progress from public');
    expect((await by.repair('rights')).summary).to.include('may not write "public"."millrace_progress"');
    await gone('rights');
    const role = plainRoleOf({ name: new URL(by.on.sourceUrl).pathname.slice(1) });
    await query(`drop table millrace_progress; revoke create on schema public from ${role}`);
    expect(await by.repair('no_progress_table')).to.include({ ...IS_WARNED, status: 'ERROR' });
    await gone('no_progress_table');
    await by.repair('progress_behind');
    await wholeTable();
  });
});

async function storedIds(messages: Database, sinkNo: number): Promise<[string, string]> {
  const { rows } = await messages.query<{ id: string; database_id: string }>(
    'select id, database_id from millrace_private.sinks where no = $1',
    [sinkNo],
  );
  return [rows[0]!.id, rows[0]!.database_id];
}

describe('millrace doctor: pg_cron in another database', function () {
  this.timeout(120_000);
  let cluster: Cluster;
  let cron: pg.Client;
  let by: Examined;

  before('needs postgresql-15-cron', async function () {
    if (!hasExtension15('pg_cron')) this.skip();
    const settings = { shared_preload_libraries: 'pg_cron', 'cron.database_name': 'postgres', wal_level: 'logical' };
    cluster = await startCluster({ major: 15, settings });
    cron = new pg.Client({ connectionString: cluster.adminUrl });
    await cron.connect();
    // Who may not read cron.database_name finds pg_cron where it is installed.
    if (AS_PLAIN) await cron.query('create extension pg_cron');
    by = await examined(`${SCHEMA}; create index on history (seq, id)`, { cluster });
    const policy = { by: 'pg_cron', keep_seconds: 86_400, every_seconds: 600 } as const;
    const destination: ChangeTableDestination = { ...DESTINATION, retention: policy };
    await by.on.addSink(sinkSettings({ name: 'orders-history', destination, source: SOURCE }));
  });
  after(async () => {
    await by?.close();
    await cron?.end();
    await cluster?.stop();
  });

  it('has the statement that schedules the job there', async () => {
    for (const spoil of ['', 'update cron.job set active = false', `update cron.job set schedule = '5 5 * * *'`]) {
      if (spoil !== '') await cron.query(spoil);
      const printed = await by.finding('cron_elsewhere');
      expect(printed, spoil).to.include({
        ...{ status: 'WARNING', subject: 'sink orders-history' },
        place: 'database postgres of the server of database shop',
      });
      await cron.query(printed!.sql!);
      expect((await by.finding('cron_elsewhere'))?.text, spoil).to.equal(undefined);
    }
    const { rows } = await cron.query('select database, schedule, active from cron.job');
    const database = new URL(by.on.sourceUrl).pathname.slice(1);
    expect(rows).to.deep.equal([{ database, schedule: '*/10 * * * *', active: true }]);
  });
});
