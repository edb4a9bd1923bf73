/** What a backfill refuses, waits for and survives; each with the words that a person sees. */
import { expect } from 'chai';
import { openPool } from '../../src/db/pool.ts';
import { backfilled, backfillsOf } from '../support/fixtures/backfilled.ts';
import {
  type Captured,
  type CapturedOptions,
  captured,
  PULL,
  SEARCH,
  sinkSettings,
} from '../support/fixtures/captured.ts';
import { messageDatabase } from '../support/postgres/message-database.ts';
import { until } from '../support/until.ts';

const ONLY = (tables: string[]) => ({
  include_schemas: null,
  exclude_schemas: null,
  include_tables: tables,
  exclude_tables: null,
});

describe('a backfill in trouble', function () {
  this.timeout(30_000);
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
      'failed: public.keyless is not in publication millrace_test: its changes would not follow | alter publication "millrace_test" add table "public"."keyless"',
      'failed: sink items does not take in public.other | Name a table of its source, or add it there.',
      'failed: public.items has no published column made | Name one of: id, at.',
      'failed: start_position is no value of the column at | Write it as Postgres writes the type, e.g. 2026-01-31.',
    ]);
    expect(await on.received(sinkNo, 0)).to.deep.equal([]);
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
      reason: 'one backfill for each of 1 tables; without a primary key, and left out: public.keyless',
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
      ['all', 'done', 'one backfill for each of 1 tables'],
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
        error: 'the row is larger than max_row_bytes: only its key was kept',
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
       create policy one on items for select to ${role} using (id = 1)`,
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

  it('follows columns that come and go, and types that change, between pages', async () => {
    const sinkNo = await begin(
      `create type pair as (a int); create table items (id int primary key, p pair);
       insert into items select n, row(n)::pair from generate_series(1, 12000) n`,
      { page: { rows: 500 } },
    );
    await call(`select millrace.backfill('worker', 'items')`);
    await until('it waits for its sink', async () => (await backfillsOf(on.messages.db))[0]?.reason !== null);
    await on.source.query('alter table items add column more text default $$new$$');
    await on.source.query('alter type pair add attribute b text');
    await on.source.query(`update items set p = row(1, 'x')::pair where id > 11000`);
    await on.received(sinkNo, 11_000);
    await call(`delete from millrace_private.messages where sink_no = ${sinkNo}`);
    await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
    const sent = await on.received(sinkNo, 1);
    const records = sent.filter(({ action }) => action === 'read').map(({ record }) => record);
    expect(records.length).to.be.greaterThan(900);
    expect(records.at(-1)).to.equal('{"id":12000,"p":{"a":1,"b":"x"},"more":"new"}');
    expect(records.every((record) => record.includes('"more":"new"') && record.includes('"b":'))).to.equal(true);
  });

  describe('of rows that take long to read', () => {
    /** Each row costs the source a hash of so many megabytes; a query may take a fifth of a second. */
    const filtered = (megabytes: string): CapturedOptions => ({
      queryMs: 200,
      settings: {
        publication: {
          name: 'filtered',
          create_if_not_exists: true,
          init_sql: `create publication filtered for table items where (length(md5(repeat(note, ${megabytes} * 1048576))) > 0)`,
        },
      },
    });

    it('reads fewer of them at once', async () => {
      const sinkNo = await begin(
        `create table items (id int primary key, note text); insert into items select n, 'x' from generate_series(1, 60) n`,
        filtered('4'),
      );
      expect(await backfilled(on.messages.db, `'worker', 'items'`)).to.include({ state: 'done', rows_sent: 60 });
      const sent = (await on.received(sinkNo, 60)).map(({ record_pks }) => record_pks);
      expect(sent).to.deep.equal(Array.from({ length: 60 }, (_, n) => `["${n + 1}"]`));
    });

    it('says so when one alone takes too long, and goes on when it does not any more', async () => {
      const sinkNo = await begin(
        `create table items (id int primary key, note text); alter table items replica identity full;
         insert into items values (1, 'x'), (2, repeat('x', 200)), (3, 'x')`,
        { ...filtered('1'), page: { rows: 1 } },
      );
      await call(`select millrace.backfill('worker', 'items')`);
      await until('it says why', async () => (await backfillsOf(on.messages.db))[0]?.reason !== null);
      expect((await backfillsOf(on.messages.db))[0]).to.include({
        state: 'running',
        rows_done: 1,
        reason: 'a row of public.items takes longer than 5 s to read',
        remedy: 'Create an index that begins with the primary key, or relieve the source.',
      });
      await on.source.query(`update items set note = 'short' where id = 2`);
      await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
      const read = (await on.received(sinkNo, 4)).filter(({ action }) => action === 'read');
      expect(read.map(({ record_pks }) => record_pks)).to.deep.equal(['["1"]', '["2"]', '["3"]']);
    });
  });

  /** Asks for a backfill by pages of two; its first one is not persisted before `work` is done, the second one is read. */
  async function whileFirstIsHeld(work: () => Promise<void>): Promise<void> {
    await call(`create function millrace_private.hold() returns trigger language plpgsql as
                  $$ begin perform pg_advisory_xact_lock(8); return new; end $$;
                create trigger hold before update on millrace_private.backfills for each row
                  when (new.rows_done = 2) execute function millrace_private.hold()`);
    await on.messages.db.session(async (client) => {
      await client.query('select pg_advisory_lock(8)');
      try {
        await call(`select millrace.backfill('worker', 'items')`);
        const second = `select from pg_stat_activity where application_name = 'millrace backfill shop'
          and state = 'idle in transaction' and query like '%pg_current_snapshot%' and datname = current_database()`;
        await until('the second page is read', async () => (await on.source.query(second)).rowCount === 1);
        await work();
      } finally {
        await client.query('select pg_advisory_unlock(8)');
      }
    });
  }

  it('does not wait for those whose sinks nobody empties', async () => {
    await begin(`create table items (id int primary key); insert into items select generate_series(1, 12000);
      create table few (id int primary key); insert into few values (1), (2)`);
    await on.addSink(sinkSettings({ name: 'idle', destination: PULL }));
    const eager = await on.addSink(sinkSettings({ name: 'eager', destination: PULL }));
    for (const sink of ['worker', 'idle']) await call(`select millrace.backfill('${sink}', 'items')`);
    await until('they wait', async () => (await backfillsOf(on.messages.db)).every(({ reason }) => reason !== null));
    for (const sink of ['worker', 'idle']) await call(`select millrace.backfill('${sink}', 'few')`);
    expect(await backfilled(on.messages.db, `'eager', 'few'`)).to.include({ state: 'done', rows_sent: 2 });
    const states = (await backfillsOf(on.messages.db)).map(({ table_name, state }) => `${table_name} ${state}`);
    expect(states, 'one of a sink waits').to.deep.equal([
      ...['items running', 'items running', 'few waiting', 'few waiting', 'few done'],
    ]);
    await on.received(eager, 2);
    await call('delete from millrace_private.messages');
    await until('all is done', async () => {
      await call('delete from millrace_private.messages');
      return (await backfillsOf(on.messages.db)).every(({ state }) => state === 'done');
    });
  });

  it('stops no capture when somebody keeps it locked', async () => {
    const messages = await messageDatabase(2);
    const other = openPool({ address: messages.url, max: 1, applicationName: 'millrace test', path: 'role' });
    try {
      on = await captured('create table a (id int primary key); create table b (id int primary key)', { messages });
      await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
      // A slot is not made beside an open transaction of the same server.
      on.start();
      await on.streaming();
      await on.stop();
      for (const table of ['a', 'b']) await call(`select millrace.backfill('worker', '${table}')`);
      await other.transaction(async (tx) => {
        await tx.query('select from millrace_private.backfills for update');
        on.start();
        for (let n = 1; n <= 10; n++) {
          await on.source.query(`insert into a values (${n})`);
          await until('the change is captured', async () => {
            return (await tx.query('select from millrace_private.messages')).rowCount === n;
          });
        }
      });
      await until('they are done', async () => (await backfillsOf(other)).every(({ state }) => state === 'done'));
    } finally {
      await on.close();
      await other.close();
      await messages.drop();
    }
  });

  it('lets go of its table when messages cannot be persisted', async () => {
    const sinkNo = await begin(
      `create table items (id int primary key); insert into items select generate_series(1, 5)`,
      {
        page: { rows: 2 },
      },
    );
    await whileFirstIsHeld(async () => {
      await on.source.query(`set lock_timeout = '10s'`);
      await on.source.query('alter table items add column more text');
    });
    await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
    const sent = (await on.received(sinkNo, 5)).map(({ record_pks }) => record_pks);
    expect(sent).to.deep.equal(['["1"]', '["2"]', '["3"]', '["4"]', '["5"]']);
  });

  it('follows a type that changes before its last page', async () => {
    const sinkNo = await begin(
      `create type pair as (a int); create table items (id int primary key, p pair);
       insert into items select n, row(n)::pair from generate_series(1, 5) n`,
      { page: { rows: 2 } },
    );
    await whileFirstIsHeld(async () => {
      await on.source.query('alter type pair add attribute b text');
    });
    await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
    expect((await on.received(sinkNo, 5)).at(-1)!.record).to.equal('{"id":5,"p":{"a":5,"b":null}}');
  });

  it('sends nothing of a table that is truncated under it', async () => {
    const sinkNo = await begin(
      `create table items (id int primary key); insert into items select generate_series(1, 3000)`,
      { page: { rows: 10 } },
    );
    await call(`select millrace.backfill('worker', 'items')`);
    await on.received(sinkNo, 20);
    await on.source.query('begin; truncate items; insert into items values (7), (5000); commit');
    await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
    const sent = await on.received(sinkNo, 1);
    const from = sent.findIndex(({ action }) => action === 'insert');
    expect(from).to.be.greaterThan(0);
    const after = sent.slice(from).map(({ action, record_pks }) => `${action} ${record_pks}`);
    expect(after.filter((one) => !one.endsWith('"5000"]'))).to.deep.equal(['insert ["7"]']);
  });
});
