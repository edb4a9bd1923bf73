/** Traps in a change table: each is set, found without a worker, and gone when what is printed was run in its database. */
import { expect } from 'chai';
import { openPool } from '../../../src/db/pool.ts';
import { createChangeTable } from '../../../src/sinks/change-table/table.ts';
import { sinkSettings } from '../../support/fixtures/captured.ts';
import { type Examined, examined } from '../../support/fixtures/examined.ts';
import { plainRoleOf } from '../../support/postgres/plain-role.ts';

describe('millrace doctor: change tables', function () {
  this.timeout(120_000);
  let by: Examined;

  before(async () => {
    by = await examined('create table orders (id int primary key)', { as: 'plain' });
    const destination = {
      ...{ type: 'change_table', database: 'shop', table_schema: 'public', table_name: 'history' },
      ...{ create_if_not_exists: false, retention: null },
    };
    await by.on.addSink(sinkSettings({ name: 'orders-history', destination }));
  });
  after(async () => await by?.close());
  const query = (sql: string) => by.on.source.query(sql);

  const traps: [string, string | undefined, object][] = [
    ['change_table_missing', undefined, { status: 'ERROR' }],
    ['columns', 'alter table history drop column action', { status: 'ERROR' }],
    ['columns', 'alter table history alter column record type text', { status: 'ERROR' }],
    ['rights', 'alter table history owner to postgres; revoke all on history from public', { status: 'ERROR' }],
    ['unlogged', 'alter table history set unlogged', { status: 'WARNING' }],
    [
      'serial_ends',
      `alter table history alter column id type integer; alter sequence history_id_seq as integer;
       select setval('history_id_seq', 2000000000)`,
      { status: 'WARNING' },
    ],
    ['annotations_not_kept', 'alter table history add column transaction_annotations text', { status: 'WARNING' }],
  ];
  for (const [id, set, expected] of traps) {
    it(`finds ${id}${set === undefined ? '' : ` (${set.replaceAll(/\s+/g, ' ')})`}`, async () => {
      if (set !== undefined) await query(set);
      // Several faults at once take several rounds.
      for (let round = 0; round < 3 && (await by.finding(id)) !== undefined; round += 1)
        expect(await by.repair(id)).to.include({ subject: 'sink orders-history', place: 'database shop', ...expected });
      expect(await by.finding(id)).to.equal(undefined);
      expect((await by.doctor()).text).to.match(/^OK {2}sink orders-history: "public"."history" fits/m);
    });
  }

  it('prints a table that is missing as its policy needs it', async () => {
    await query('alter table history rename to kept_history');
    const declare = async (retention: object | null) =>
      await by.on.messages.db.query(
        `update millrace_private.sinks set settings = jsonb_set(settings, '{destination,retention}', $1::jsonb)
          where name = 'orders-history'`,
        [JSON.stringify(retention)],
      );
    const every = { keep_seconds: 86_400, every_seconds: 600 };
    for (const policy of [
      { by: 'job', ...every },
      { by: 'pg_cron', ...every },
    ]) {
      await declare(policy);
      await by.repair('change_table_missing');
      const { rows } = await query(
        `select indexdef from pg_indexes where tablename = 'history' and indexdef ~ 'committed_at'`,
      );
      expect(rows, policy.by).to.have.length(1);
      await query('drop table history');
    }
    await declare({ by: 'pg_partman', keep_seconds: 86_400, interval_seconds: 86_400 });
    const { sql } = (await by.finding('change_table_missing'))!;
    expect(sql).to.match(
      /create extension if not exists pg_partman .*partition by range .*create_parent.*part_config/s,
    );
    await declare(null);
    await query('alter table kept_history rename to history');
  });

  it('finds that no partition takes entries of now', async () => {
    await query('alter table history rename to former');
    for (const [partitions, isFew] of [
      ['', true],
      [`create table history_old partition of history for values from ('2020-01-01') to ('2020-01-02')`, true],
      // What the others leave free of today.
      [
        `do $$ begin
           execute format('create table history_before partition of history for values from (%L) to (%L)',
                          now() - interval '3 days', now() - interval '1 min');
           execute format('create table history_after partition of history for values from (%L) to (maxvalue)',
                          now() + interval '1 hour');
         end $$`,
        false,
      ],
    ] as const) {
      await query(
        `create table history (like former including defaults, primary key (id, committed_at)) partition by range (committed_at);
         ${partitions}`,
      );
      expect(await by.repair('partition_missing')).to.include({ status: 'WARNING', place: 'database shop' });
      expect(await by.finding('partition_missing')).to.equal(undefined);
      expect((await by.finding('few_partitions')) !== undefined, partitions).to.equal(isFew);
      await query('drop table history');
    }
    await query('alter table former rename to history');
  });

  it('finds that no partition of a partition takes entries of now', async () => {
    await query('alter table history rename to former');
    const parted = `create table history (like former including defaults, primary key (id, committed_at)) partition by range (committed_at)`;
    const outer = `create table history_outer partition of history for values from (minvalue) to (maxvalue) partition by range (committed_at)`;
    for (const inner of [
      '',
      `create table history_old partition of history_outer for values from ('2020-01-01') to ('2020-01-02') partition by range (committed_at)`,
      `do $$ begin
         execute format('create table history_today partition of history_outer for values from (%L) to (%L) partition by range (committed_at)',
                        now() - interval '1 min', now() + interval '1 hour');
         execute format('create table history_next partition of history_outer for values from (%L) to (maxvalue)',
                        now() + interval '1 hour');
       end $$`,
    ]) {
      await query(`${parted}; ${outer}; ${inner}`);
      const { sql } = await by.repair('partition_missing');
      const of = inner.includes('history_today') ? 'history_today' : 'history_outer';
      expect(sql).to.contain(`partition of "public"."${of}" for values from`);
      expect(await by.finding('partition_missing')).to.equal(undefined);
      await query(`insert into history (seq, source_database_id, source_table_oid, source_table_schema, source_table_name,
                                        record_pk, record, action, committed_at)
                   values (1, gen_random_uuid(), 1, '', '', '', '{}', 'insert', now())`);
      await query('drop table history');
    }
    // What is divided by something else takes what it is there for.
    await query(`${parted}; create table history_all partition of history default partition by hash (id)`);
    expect(await by.finding('partition_missing')).to.equal(undefined);
    await query('drop table history; alter table former rename to history');
  });

  it('as the role that writes it', async () => {
    await query(
      `revoke usage on schema public from public; revoke usage on schema public from ${plainRoleOf({ name: new URL(by.on.sourceUrl).pathname.slice(1) })}`,
    );
    expect((await by.finding('rights'))?.summary).to.include('may not use schema "public"');
    await by.repair('rights');
    expect(await by.finding('rights')).to.equal(undefined);
  });

  it('as the role that is to make it', async () => {
    const table = { schema: 'Größe "L"', name: 'the history' };
    const role = plainRoleOf({ name: new URL(by.on.sourceUrl).pathname.slice(1) });
    await query(`create schema "Größe ""L"""; revoke all on schema "Größe ""L""" from ${role}`);
    await by.on.messages.db.query(
      `update millrace_private.sinks
          set settings = jsonb_set(settings, '{destination}', settings -> 'destination' || $1::jsonb) where name = 'orders-history'`,
      [JSON.stringify({ table_schema: table.schema, table_name: table.name, create_if_not_exists: true })],
    );
    await by.repair('rights');
    expect(await by.finding('rights')).to.equal(undefined);
    const { user, password } = by.on.declared.address;
    const address = Object.assign(new URL(by.on.sourceUrl), { username: user, password }).href;
    const own = openPool({ address, max: 1, applicationName: 'test' });
    await own.transaction((tx) => createChangeTable(tx, table)).finally(() => own.close());
    expect((await by.doctor()).text).to.match(/^OK {2}sink orders-history: "Größe ""L"""."the history" fits/m);
  });
});
