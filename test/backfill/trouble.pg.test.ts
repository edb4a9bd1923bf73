/** What a backfill refuses, waits for and survives; each with the words that a person sees. */
import { expect } from 'chai';
import { backfilled, backfillsOf } from '../support/fixtures/backfilled.ts';
import {
  type Captured,
  type CapturedOptions,
  captured,
  PULL,
  SEARCH,
  sinkSettings,
} from '../support/fixtures/captured.ts';
import { byWay } from '../support/postgres/capture-way.ts';
import { damageFirstLargeValue } from '../support/postgres/damage.ts';
import { until } from '../support/until.ts';

const ONLY = (tables: string[]) => ({
  include_schemas: null,
  exclude_schemas: null,
  include_tables: tables,
  exclude_tables: null,
});

/** SQL that gives the role what triggers need, and no right to read the table `closed`. */
const owned = (role: string): string => `
  do $$ begin execute format('grant create on database %I to ${role}', current_database()); end $$;
  alter table items owner to ${role}; alter table closed owner to ${role}; revoke select on closed from ${role}`;

describe('a backfill in trouble', function () {
  this.timeout(120_000);
  let on: Captured;
  afterEach(() => on.close());

  async function begin(schema: string, options: CapturedOptions = {}): Promise<number> {
    on = await captured(schema, options);
    const sinkNo = await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
    on.start();
    await on.streaming();
    return sinkNo;
  }
  const call = (sql: string) => on.messages.db.query(sql);
  const refusal = async (sql: string): Promise<string> => {
    const error: unknown = await call(sql).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const { message, hint, code } = error as { message: string; hint: string; code: string };
    return `${code} ${message} | ${hint}`;
  };

  it('refuses what cannot be, when it is asked for', async () => {
    await begin('create table items (id int primary key)');
    await on.addSink(
      sinkSettings({
        name: 'history',
        destination: {
          type: 'change_table',
          database: 'shop',
          table_schema: 'public',
          table_name: 'items_events',
          create_if_not_exists: true,
          retention: null,
        },
      }),
    );
    await on.addSink(sinkSettings({ name: 'off', status: 'disabled', destination: PULL }));
    const said = [
      await refusal(`select millrace.backfill('nobody')`),
      await refusal(`select millrace.backfill('history', 'items')`),
      await refusal(`select millrace.backfill('off', 'items')`),
      await refusal(`select millrace.backfill('worker', 'items', 'id')`),
      await refusal(`select millrace.backfill('worker', sort_column => 'id', start_position => '1')`),
      await refusal(`select millrace.backfill('worker', 'a.b.c')`),
      await refusal(`select millrace.backfill('worker', 'a b')`),
      await refusal(`select millrace.pause_backfill('00000000-0000-0000-0000-000000000000')`),
    ];
    expect(said).to.deep.equal([
      `MR404 there is no sink 'nobody' | select sink_name from millrace.sink_status`,
      `MR400 sink 'history': a change table takes changes only, not rows that are there already | Name a sink that is no change retention.`,
      `MR400 sink 'off' is disabled: it keeps no messages | Set its status to active or paused first.`,
      `MR400 sort_column and start_position belong together | Give both, or neither: millrace.backfill('index', 'public.orders', 'updated_at', '2026-01-01').`,
      'MR400 sort_column needs a table | Name the table whose column it is.',
      `MR400 'a.b.c' names no table | Write the table as schema.table, with double quotes around names that have capitals or spaces.`,
      `MR400 'a b' names no table | Write the table as schema.table, with double quotes around names that have capitals or spaces.`,
      'MR404 there is no backfill 00000000-0000-0000-0000-000000000000 | select id from millrace.backfill_status',
    ]);
  });

  it('fails with the reason and the remedy, and touches nothing', async () => {
    const sinkNo = await begin(`create table items (id int primary key, at timestamptz default now());
      create table keyless (id int); create table other (id int primary key); insert into items values (1)`);
    await on.addSink(sinkSettings({ name: 'items', destination: PULL, source: ONLY(['items']) }));
    const why = async (args: string) => {
      const { state, reason, remedy } = await backfilled(on.messages.db, args);
      return `${state}: ${reason} | ${remedy}`;
    };
    expect([
      await why(`'worker', 'nowhere'`),
      await why(`'worker', 'keyless'`),
      await why(`'items', 'other'`),
      await why(`'worker', 'items', 'made', '2026-01-01'`),
      await why(`'worker', 'items', 'at', 'yesterday evening'`),
    ]).to.deep.equal([
      'failed: there is no table public.nowhere in the source | Write it as schema.table; names are case-sensitive, double quotes keep capitals.',
      byWay({
        replication:
          'failed: public.keyless is not in publication millrace_test: its changes would not follow | alter publication "millrace_test" add table "public"."keyless"',
        triggers:
          'failed: public.keyless has no primary key, so its rows have no order and no _id | alter table "public"."keyless" add primary key (...)',
      }),
      'failed: sink items does not take in public.other | Name a table of its source, or add it there.',
      'failed: public.items has no published column made | Name one of: id, at.',
      'failed: start_position is not a value of the column at | Write it as Postgres writes the type, e.g. 2026-01-31.',
    ]);
    expect(await on.received(sinkNo, 0)).to.deep.equal([]);
  });

  it('says that a table is damaged, and goes on when it is repaired', async () => {
    await begin(
      `create table papers (id int primary key, body text); alter table papers alter body set storage external;
       insert into papers select n, repeat('x', 9000) from generate_series(1, 3) n`,
      { as: 'superuser' },
    );
    await damageFirstLargeValue(on.source, 'papers');
    await call("select millrace.backfill('worker', 'papers')");
    const { remedy } = await until('it says so', async () =>
      (await backfillsOf(on.messages.db)).find(({ reason }) =>
        /^public.papers cannot be read: missing chunk/.test(reason ?? ''),
      ),
    );
    expect(remedy).to.match(/damaged: restore the rows from a backup, or delete them/);
    // A trigger cannot note a row that cannot be read.
    await on.source.query(
      `${byWay({ replication: '', triggers: 'set millrace.capture = off;' })} delete from papers where id = 1`,
    );
    await until('it goes on', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
  });

  it('tells of a table without a key', async () => {
    const sinkNo = await begin('create table keyless (id int); create table items (id int primary key)', {
      as: 'superuser',
      settings: {
        publication: { name: 'mine', create_if_not_exists: true, init_sql: 'create publication mine for all tables' },
      },
    });
    expect(await backfilled(on.messages.db, `'worker', 'keyless'`)).to.include({
      state: 'failed',
      reason: 'public.keyless has no primary key, so its rows have no order and no _id',
      remedy: 'alter table "public"."keyless" add primary key (...)',
    });
    expect(await backfilled(on.messages.db, `'worker'`)).to.include({
      state: 'done',
      reason: 'one backfill per table, 1 in all; without a primary key, and left out: public.keyless',
    });
    expect(await on.received(sinkNo, 0)).to.deep.equal([]);
  });

  it('of all tables, that runs already, is named by its sink', async () => {
    await begin('create table items (id int primary key)');
    await call(`select millrace.backfill('worker')`);
    expect(await refusal(`select millrace.backfill('worker')`)).to.match(
      /^MR409 a backfill of all tables of sink 'worker' runs already \|/,
    );
  });

  it('runs once at a time for a table; pauses, goes on, and ends for good', async () => {
    const sinkNo = await begin(`create table items (id int primary key, note text);
      insert into items select n, repeat('x', 300) from generate_series(1, 15000) n`);
    await call(`select millrace.backfill('worker', 'items')`);
    expect(await refusal(`select millrace.backfill('worker', 'public.items')`)).to.match(
      /^MR409 a backfill of 'public.items' to sink 'worker' runs already \| .*cancel_backfill/,
    );
    await until('it waits for its sink', async () => (await backfillsOf(on.messages.db))[0]?.reason !== null);
    const { id } = (await backfillsOf(on.messages.db))[0]!;
    const answer = async (what: string) => (await call(`select millrace.${what}('${id}') as done`)).rows[0];
    expect(await answer('pause_backfill')).to.deep.equal({ done: true });
    expect(await answer('pause_backfill')).to.deep.equal({ done: false });
    await call(`delete from millrace_private.messages where sink_no = ${sinkNo}`);
    const before = (await backfillsOf(on.messages.db))[0]!;
    expect(before).to.include({ state: 'paused' });
    expect(await answer('resume_backfill')).to.deep.equal({ done: true });
    await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
    expect((await backfillsOf(on.messages.db))[0]).to.include({ rows_done: 15_000, rows_sent: 15_000 });
    expect(await on.received(sinkNo, 1)).to.have.length(15_000 - before.rows_done);
    expect(await answer('cancel_backfill')).to.deep.equal({ done: false });
    await call(`select millrace.backfill('worker', 'items')`);
    const second = (await backfillsOf(on.messages.db)).find(({ state }) => state !== 'done')!;
    expect((await call(`select millrace.cancel_backfill('${second.id}') as done`)).rows).to.deep.equal([
      { done: true },
    ]);
    expect((await backfillsOf(on.messages.db)).map(({ state }) => state)).to.have.members(['done', 'cancelled']);
  });

  it('sends all rows of all tables, also of one of which a part waits already', async () => {
    const sinkNo = await begin('create table items (id int primary key); insert into items values (1), (2), (3)');
    await on.messages.db.transaction(async (tx) => {
      const { rows } = await tx.query(`select millrace.backfill('worker', 'items', 'id', '3') as id`);
      await tx.query('select millrace.pause_backfill($1)', [rows[0]!.id]);
    });
    await backfilled(on.messages.db, `'worker'`);
    expect((await on.received(sinkNo, 3)).map(({ record_pks }) => record_pks)).to.deep.equal([
      '["1"]',
      '["2"]',
      '["3"]',
    ]);
    const states = (await backfillsOf(on.messages.db)).map(({ kind, state, reason }) => [kind, state, reason]);
    expect(states).to.deep.equal([
      ['table', 'cancelled', 'a backfill of all tables sends all its rows'],
      ['all', 'done', 'one backfill per table, 1 in all'],
      ['table', 'done', null],
    ]);
  });

  it('sends rows from a value on, by a column of any kind', async () => {
    const sinkNo = await begin(`create table items (id int primary key, at timestamptz, kind text);
      insert into items select n, case when n % 10 <> 0 then '2026-01-01'::timestamptz + n % 7 * interval '1 day' end, 'k'
        from generate_series(1, 100) n`);
    const ended = await backfilled(on.messages.db, `'worker', 'items', 'at', '2026-01-05 00:00:00+00'`);
    const wanted = await on.source.query<{ pk: string }>(
      `select '["' || id || '"]' as pk from items where at >= '2026-01-05 00:00:00+00' order by at, id`,
    );
    expect(ended.rows_sent).to.equal(wanted.rows.length);
    const sent = await on.received(sinkNo, wanted.rows.length);
    expect(sent.map(({ record_pks }) => record_pks)).to.deep.equal(wanted.rows.map(({ pk }) => pk));
  });

  it('keeps the key of a row that is too large, parked with the reason, and the rows around it', async () => {
    const sinkNo = await begin(
      `create table items (id int primary key, note text, more jsonb);
       alter table items alter note set storage external;
       insert into items select n, case when n % 3 = 0 then repeat('x', 300000) else 'small' end from generate_series(1, 20) n`,
      { settings: { max_row_bytes: 200_000 } },
    );
    expect(await backfilled(on.messages.db, `'worker', 'items'`)).to.include({ state: 'done', rows_sent: 20 });
    const sent = await on.received(sinkNo, 20);
    expect(sent.filter(({ record }) => record.length < 20).map(({ record }) => record)).to.deep.equal(
      [3, 6, 9, 12, 15, 18].map((id) => `{"id":${id}}`),
    );
    const parked = await call('select record_pk, error from millrace.parked_messages order by id');
    expect(parked.rows).to.deep.equal(
      [3, 6, 9, 12, 15, 18].map((id) => ({
        record_pk: String(id),
        error: 'the row of about 300064 bytes is larger than max_row_bytes: only its key was kept',
      })),
    );
  });

  it('passes over what filters refuse', async () => {
    on = await captured(`create table items (id int primary key, price numeric);
      insert into items select n, n from generate_series(1, 10) n`);
    const filters = [
      { column_name: 'price', field_path: null, field_type: null, operator: '>' as const, comparison_value: 7 },
    ];
    const sinkNo = await on.addSink(sinkSettings({ name: 'index', destination: SEARCH, filters }));
    on.start();
    await on.streaming();
    expect(await backfilled(on.messages.db, `'index', 'items'`)).to.include({ rows_done: 10, rows_sent: 3 });
    expect((await on.received(sinkNo, 3)).map(({ record_pks }) => record_pks).sort()).to.deep.equal([
      '["10"]',
      '["8"]',
      '["9"]',
    ]);
  });

  it('says what its role may not read, and never takes a part of the rows for all of them', async () => {
    const role = `reader_${process.pid}`;
    on = await captured(
      `create role ${role} login replication password 'test-password';
       create table items (id int primary key); create table closed (id int primary key);
       insert into items values (1), (2);
       grant select on items to ${role}; create publication mine for table items, closed;
       alter table items enable row level security;
       create policy one on items for select to ${role} using (id = 1);
       ${byWay({ replication: '', triggers: `alter table items force row level security; ${owned(role)}` })}`,
      {
        settings: { publication: { name: 'mine', create_if_not_exists: false, init_sql: null } },
        as: 'superuser',
        through: (address) => {
          const url = new URL(address);
          url.username = role;
          return url.href;
        },
      },
    );
    const sinkNo = await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
    on.start();
    await on.streaming();
    expect(await backfilled(on.messages.db, `'worker', 'closed'`)).to.include({
      state: 'failed',
      reason: 'permission denied for table closed',
      remedy: `grant usage on schema "public" to "${role}"; grant select on "public"."closed" to "${role}"`,
    });
    expect(await backfilled(on.messages.db, `'worker', 'items'`)).to.include({
      state: 'failed',
      reason: 'query would be affected by row-level security policy for table "items"',
      remedy: `alter role "${role}" bypassrls; -- a policy would hide rows`,
    });
    expect(await on.received(sinkNo, 0)).to.deep.equal([]);
    await on.stop();
    await on.source.query(`drop owned by ${role}; drop role ${role}`);
  });
});
