/**
 * A name that passes from one table to another, as a deploy swaps them: a sink that names it has what the former one held, and nothing of
 * what the other one held when it took the name. It is told so.
 */
import { expect } from 'chai';
import { type Captured, captured, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { until } from '../support/until.ts';

const SCHEMA = `create schema former; create table t (id int primary key, v text); create table t_new (id int primary key, v text);
  create table last (id int primary key)`;

const named = (table: string) => ({
  ...{ include_schemas: null, exclude_schemas: null, exclude_tables: null },
  include_tables: [table],
});

const WAYS: Record<string, string> = {
  'two tables swap their names': 'begin; alter table t rename to t_old; alter table t_new rename to t; commit',
  'a table is renamed, and a new one has its name':
    'begin; alter table t rename to t_old; create table t (id int primary key, v text); commit',
  'a table is dropped, and another one has its name': 'begin; drop table t; alter table t_new rename to t; commit',
  'a table is moved, and another one has its name':
    'begin; alter table t set schema former; alter table t_new rename to t; commit',
};

describe('capture: names that other tables take', function () {
  this.timeout(60_000);
  let on: Captured;
  let sink: number;
  let all: number;
  let moved: number;
  let renamed: number;
  let here: number;
  let apart: number;
  beforeEach(async () => {
    on = await captured(SCHEMA, { timing: { checkMs: 100 } });
    sink = await on.addSink(sinkSettings({ name: 'named', destination: SEARCH, source: named('public.t') }));
    all = await on.addSink(sinkSettings({ name: 'all', destination: SEARCH }));
    const former = { ...named('public.t'), include_schemas: ['former'], include_tables: null };
    moved = await on.addSink(sinkSettings({ name: 'moved', destination: SEARCH, source: former }));
    renamed = await on.addSink(sinkSettings({ name: 'renamed', destination: SEARCH, source: named('public.nobody') }));
    here = await on.addSink(
      sinkSettings({ name: 'here', destination: SEARCH, source: { ...former, include_schemas: ['public'] } }),
    );
    const elsewhere = { ...former, include_schemas: null, exclude_schemas: ['public'] };
    apart = await on.addSink(sinkSettings({ name: 'apart', destination: SEARCH, source: elsewhere }));
    on.start();
    await on.streaming();
    await looked('last');
    await on.source.query("insert into t values (1, 'a'); insert into t_new values (2, 'b')");
    await on.received(all, 2);
  });
  afterEach(() => on.close());

  /** Until a table that was made just now is seen: what was done before it is too. */
  async function looked(table: string): Promise<void> {
    await until(`${table} is looked at`, async () => {
      const { rows } = await on.source.query<{ oid: number }>('select $1::regclass::oid::int8 as oid', [table]);
      const sql = 'select from millrace_private.published_tables where oid = $1 and published_as is not null';
      return (await on.messages.db.query(sql, [rows[0]!.oid])).rowCount > 0;
    });
  }

  async function lookedNow(): Promise<void> {
    await on.source.query('create table later (id int primary key)');
    await looked('later');
  }

  /** What the sink misses; that a name was free for a while is told, and taken back, in another step of the look. */
  const told = async (no: number): Promise<string[]> =>
    (await on.notices(no))
      .filter(({ code }) => code !== 'table_missing')
      .map(({ code, table, remedy }) => `${code} ${table} ${remedy}`);

  const OTHER = ['table_detached public.t bin/millrace verify named --repair'];

  for (const [way, sql] of Object.entries(WAYS)) {
    it(`says so where ${way}`, async () => {
      await on.source.query(sql);
      await lookedNow();
      expect(await told(sink)).to.deep.equal(OTHER);
    });

    it(`says so where ${way} while nobody looks`, async () => {
      await on.stop();
      await on.source.query(sql);
      await on.source.query("insert into t values (9, 'z')");
      on.start();
      await lookedNow();
      expect((await told(sink)).filter((one) => one.startsWith('table_detached'))).to.deep.equal(OTHER);
    });
  }

  it('says so where the name was free for a while, and where it goes back', async () => {
    await on.source.query('alter table t rename to t_old; create table between (id int primary key)');
    await looked('between');
    expect(await told(sink)).to.deep.equal([]);
    await on.source.query('alter table t_new rename to t');
    await lookedNow();
    expect(await told(sink)).to.deep.equal(OTHER);
    await on.messages.db.query('delete from millrace_private.notices');
    await on.source.query('begin; alter table t rename to t_new; alter table t_old rename to t; commit');
    await on.source.query('create table latest (id int primary key)');
    await looked('latest');
    expect(await told(sink)).to.deep.equal(OTHER);
  });

  it('says nothing to who has the changes of both, or of a table that only gets its name back', async () => {
    await on.source.query('begin; alter table t rename to t_old; alter table t_new rename to t; commit');
    await lookedNow();
    expect(await told(all)).to.deep.equal([]);
    await on.messages.db.query('delete from millrace_private.notices');
    const other = await on.addSink(sinkSettings({ name: 'other', destination: SEARCH, source: named('public.later') }));
    await on.source.query('insert into later values (1)');
    await on.received(other, 1);
    await on.source.query('alter table later rename to aside; create table between (id int primary key)');
    await looked('between');
    await on.source.query('alter table aside rename to later; create table latest (id int primary key)');
    await looked('latest');
    expect(await told(other)).to.deep.equal([]);
  });

  for (const way of ['between two looks', 'longer', 'while nobody looks'] as const)
    it(`says that changes are missing of a table that had another name ${way}`, async () => {
      if (way === 'while nobody looks') await on.stop();
      await on.source.query('alter table t set schema former; create table between (id int primary key)');
      if (way === 'longer') await looked('between');
      await on.source.query("update former.t set v = 'b'; alter table former.t set schema public");
      if (way === 'while nobody looks') on.start();
      await on.received(all, 3);
      await lookedNow();
      expect(await told(here)).to.deep.equal(['changes_left_out public.t bin/millrace verify here --repair']);
      expect(await told(sink)).to.deep.equal([]);
      expect(await told(all)).to.deep.equal([]);
    });

  it('says that changes are missing of a table that had several other names', async () => {
    await on.stop();
    await on.source.query(`alter table t set schema former; update former.t set v = 'b'; create schema further;
      alter table former.t set schema further; update further.t set v = 'c'; alter table further.t set schema public;
      alter table t rename to t_two; insert into t_two values (3, 'c')`);
    on.start();
    await on.received(all, 5);
    await lookedNow();
    expect(await told(here)).to.deep.equal(['changes_left_out public.t_two bin/millrace verify here --repair']);
  });

  it('says what is too much where two tables had swapped their names for a while', async () => {
    await on.stop();
    await on.source.query(`alter table t rename to t_old; alter table t_new rename to t; update t set v = 'z';
      update t_old set v = 'y'; alter table t rename to t_new; alter table t_old rename to t`);
    on.start();
    await on.received(all, 4);
    await lookedNow();
    expect(await told(sink)).to.deep.equal(OTHER);
    expect(await told(here)).to.deep.equal([]);
    expect(await told(all)).to.deep.equal([]);
  });

  for (const isStopped of [false, true])
    it(`says which rows are missing of a table that takes a name nobody had${isStopped ? ' while nobody looks' : ''}`, async () => {
      if (isStopped) await on.stop();
      await on.source.query('alter table t set schema former; alter table t_new rename to nobody');
      await on.source.query("insert into former.t values (8, 'y'); insert into nobody values (9, 'z')");
      if (isStopped) on.start();
      await lookedNow();
      await on.received(renamed, 1);
      await on.received(moved, 1);
      expect(await told(moved)).to.deep.equal(['added_late former.t bin/millrace backfill moved former.t']);
      expect(await told(apart)).to.deep.equal(['added_late former.t bin/millrace backfill apart former.t']);
      expect(await told(renamed)).to.deep.equal([
        'added_late public.nobody bin/millrace backfill renamed public.nobody',
      ]);
      expect(await told(all)).to.deep.equal([]);
    });
});
