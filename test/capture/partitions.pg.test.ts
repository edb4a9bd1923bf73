/** What becomes of partitions is in no message: it is said on the sinks of their table, and on nothing else. */
import { expect } from 'chai';
import pg from 'pg';
import { type Captured, captured, PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { byWay, ofReplication } from '../support/postgres/capture-way.ts';
import { until } from '../support/until.ts';

const TIMING = { checkMs: 150, recheckMs: 100 };

describe('partitions under capture', () => {
  let on: Captured;
  let sink: number;

  beforeEach(async () => {
    on = await captured(
      `create table t (id int primary key, n int, v text) partition by range (id);
       create table t_1 partition of t for values from (0) to (10);
       create table t_2 partition of t for values from (10) to (20) partition by range (id);
       create table t_21 partition of t_2 for values from (10) to (20);
       insert into t select n, 0 from generate_series(1, 19) n`,
      { timing: TIMING },
    );
    sink = await on.addSink(sinkSettings({ name: 'index', destination: SEARCH }));
    on.start();
    await on.streaming();
    await until('they are known', async () => {
      const { rows } = await on.messages.db.query<{ n: number }>(
        'select count(*)::int4 as n from millrace_private.partitions',
      );
      return rows[0]?.n === 2;
    });
  });
  afterEach(() => on.close());

  const notice = async (code: string): Promise<string> => {
    const found = await until(`the notice ${code}`, async () =>
      (await on.notices(sink)).find((one) => one.code === code),
    );
    expect(found.table).to.equal('public.t');
    expect(found.remedy).to.match(/millrace (verify index --repair|backfill index public.t)/);
    return found.message;
  };

  it('one that is truncated', async () => {
    await on.source.query('truncate t_1');
    expect(await notice('truncated')).to.match(/^public.t_1 of public.t was dropped, detached or truncated/);
  });

  it('one that is truncated, filled and analyzed before anybody looks', async () => {
    await on.source.query('truncate t_21; insert into t values (12, 1); analyze t_21');
    expect(await notice('truncated')).to.match(/^public.t_21 of public.t was dropped, detached or truncated/);
  });

  it('nothing of one that is rewritten', async () => {
    await on.source.query('analyze t_1, t_21');
    await on.source.query('vacuum full t_21');
    await on.source.query(`cluster t_21 using t_21_pkey; alter table t alter n type bigint; alter table t_1 set unlogged;
      alter table t_1 set logged; truncate t_1`);
    expect(await notice('truncated')).to.match(/^public.t_1 of public.t was/);
  });

  it('one that is dropped, also with those below it', async () => {
    await on.source.query('drop table t_2');
    expect(await notice('truncated')).to.match(/^public.t_21 of public.t was/);
  });

  it('one that is detached', async () => {
    await on.source.query('alter table t detach partition t_1');
    expect(await notice('truncated')).to.match(/^public.t_1 of/);
  });

  it('one that is being detached concurrently, though that was broken off', async () => {
    const [reader, detacher] = [0, 1].map(() => new pg.Client({ connectionString: on.sourceUrl }));
    await reader!.connect();
    await detacher!.connect();
    await reader!.query('begin; select from t');
    const broken = detacher!.query('alter table t detach partition t_1 concurrently').catch(({ code }) => code);
    await until('it has begun', async () => {
      const { rows } = await on.source.query(
        `select inhdetachpending as begun from pg_inherits where inhrelid = 't_1'::regclass`,
      );
      return rows[0]?.begun === true;
    });
    await on.source.query(
      "select pg_cancel_backend(pid) from pg_stat_activity where query like 'alter table t detach partition%'",
    );
    expect(await broken).to.equal('57014');
    await reader!.end();
    await detacher!.end();
    expect(await notice('truncated')).to.match(/^public.t_1 of public.t was dropped, detached or truncated/);
  });

  it('one that is attached with rows; one that is made is nothing to speak of', async () => {
    await on.source.query(`create table t_3 partition of t for values from (20) to (30); insert into t values (21, 0);
      create table t_4 (like t including all)`);
    await on.source.query('insert into t_4 values (31, 0)');
    await on.source.query('alter table t attach partition t_4 for values from (30) to (40)');
    expect(await notice('added_late')).to.match(/^public.t_4 was attached to public.t/);
  });

  for (const [what, sql, told] of [
    [
      'is made, filled and attached in one transaction',
      `begin; create table t_5 (like t including all); insert into t_5 values (41, 0);
       alter table t attach partition t_5 for values from (40) to (50); commit`,
      'public.t_5',
    ],
    [
      'is made of rows, and attached in the same transaction',
      `begin; create table t_5 as select 41 as id, 0 as n, '' as v; alter table t_5 alter id set not null;
       alter table t attach partition t_5 for values from (40) to (50); commit`,
      'public.t_5',
    ],
    [
      'has partitions with rows itself',
      `create table t_6 (like t including all) partition by range (id);
       create table t_61 partition of t_6 for values from (40) to (50); insert into t_6 values (41, 0);
       alter table t attach partition t_6 for values from (40) to (50)`,
      'public.t_61',
    ],
  ] as const)
    it(`one that ${what}`, async () => {
      for (const statement of sql.startsWith('begin') ? [sql] : sql.split(';')) await on.source.query(statement);
      expect(await notice('added_late')).to.match(new RegExp(`^${told} was attached to public.t`));
    });

  it('nothing of one that is made and filled as a partition, or prepared without rows', async () => {
    await on.source.query(`begin; create table t_7 partition of t (n default 7, check (id > 3), check (n < 99))
        for values from (40) to (50); insert into t values (41, 0); commit`);
    await on.source.query(`begin; create table t_8 (like t including all);
        alter table t attach partition t_8 for values from (50) to (60); commit`);
    await on.source.query('create table t_9 (like t including all); insert into t_9 values (61, 0)');
    await on.source.query('alter table t attach partition t_9 for values from (60) to (70)');
    expect(await notice('added_late')).to.match(/^public.t_9 was attached to public.t/);
  });

  for (const [what, table, bounds, part] of [
    ['one', 't_1', 'from (0) to (10)', 't_1'],
    ['one with others below it', 't_2', 'from (10) to (20)', 't_21'],
  ] as const)
    it(`${what} that is changed while it is detached, and attached again before anybody looks`, async () => {
      await on.source.query(`begin; alter table t detach partition ${table}; update ${table} set n = 9;
        alter table t attach partition ${table} for values ${bounds}; commit`);
      expect(await notice('changes_left_out')).to.equal(
        `public.${part} was detached from public.t and attached again: changes that were made of it meanwhile are missing`,
      );
    });

  it('a partition that is announced beside its table has no notices of its own', async () => {
    const pull = await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
    await on.source.query('update t set n = 1');
    await on.received(pull, 19);
    // By triggers old values are always known, and nothing is said of the table.
    const tables = byWay({ replication: ['public.t'], triggers: [] });
    expect(new Set((await on.notices(pull)).map(({ table }) => table))).to.deep.equal(new Set(tables));
  });
});

ofReplication('it is about a slot').describe('a slot that was read before', () => {
  it('is said for as long as it is there', async () => {
    const on = await captured('create table t (id int primary key)', { timing: TIMING });
    try {
      await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await on.stop();
      const former = on.slot;
      on.declared.settings.slot.name = `${former}_b`;
      on.start();
      await on.becomes('needs_resync');
      await on.messages.db.query("select millrace.accept_gap('shop')");
      await on.streaming();
      const said = await until('it is said', async () => {
        const { reason, remedy } = await on.state();
        return reason?.includes(`replication slot ${former},`) && remedy;
      });
      await on.source.query(said);
      await until('it is said no more', async () => (await on.state()).reason === null);
    } finally {
      await on.stop();
      await on.source.query(
        'select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name like $1',
        [`${on.slot}%`],
      );
      await on.close();
    }
  });
});
