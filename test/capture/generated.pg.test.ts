/** Generated columns that Postgres does not send: left out by the stream and by backfills alike, and said on the sinks. */
import { expect } from 'chai';
import { backfilled } from '../support/fixtures/backfilled.ts';
import {
  type Captured,
  type CapturedOptions,
  captured,
  PULL,
  SEARCH,
  sinkSettings,
} from '../support/fixtures/captured.ts';
import { byWay, ofReplication } from '../support/postgres/capture-way.ts';
import { type Cluster, hasPostgres15, sharedCluster, startCluster } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

const lists = ofReplication('lists of columns are for it');

const TIMING = { checkMs: 150, recheckMs: 100 };
const DOUBLE = "create function double(a int) returns int immutable language sql as 'select a * 2';";
const TABLES = `${DOUBLE}
  create table plain (id int primary key, a int);
  create table whole (id int primary key, a int, "Twice it" int generated always as (double(a)) stored, b text);
  alter table whole replica identity full;
  create table parts (id int primary key, a int, twice int generated always as (double(a)) stored) partition by range (id);
  create table parts_1 partition of parts for values from (1) to (9);`;
const OWN = { publication: { name: 'own', create_if_not_exists: false, init_sql: null } };

describe('generated columns', function () {
  this.timeout(120_000);
  let on: Captured;
  let sink: number;

  const start = async (schema: string, options: CapturedOptions): Promise<void> => {
    on = await captured(schema, { timing: TIMING, ...options });
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
  };
  const leftOut = async () => (await on.notices(sink)).filter(({ code }) => code === 'generated_left_out');
  const said = async (count: number) => {
    await until('it is said', async () => (await leftOut()).length === count).catch(async (error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify(await on.notices(sink))}`);
    });
    return await leftOut();
  };
  /** What the stream brought of each row last, and what a backfill brings of it now. */
  const agree = async (table: string, changes: number): Promise<object[]> => {
    const streamed = await on.received(sink, changes);
    const { rows_sent: rows } = await backfilled(on.messages.db, `'all', '${table}'`);
    const read = (await on.received(sink, changes + rows)).slice(changes);
    for (const one of read) {
      const last = streamed.findLast(({ record_pks: key }) => key === one.record_pks);
      expect(one.record, `${table} ${one.record_pks}`).to.equal(last!.record);
    }
    return read.map(({ record }) => JSON.parse(record));
  };
  afterEach(async () => await on.close());

  describe('of Postgres 15', () => {
    let cluster: Cluster;
    before(async function () {
      if (!hasPostgres15()) return this.skip();
      cluster = await startCluster({ major: 15 });
    });
    after(async () => await cluster?.stop());

    it('are left out alike, with a notice that goes with the column', async () => {
      await start(TABLES, { cluster });
      const [parts, whole] = (await said(2)).toSorted((a, b) => a.table!.localeCompare(b.table!));
      expect([parts!.table, whole!.table]).to.deep.equal(['public.parts', 'public.whole']);
      expect(whole!.message)
        .to.contain('generated column Twice it')
        .and.to.contain('it uses function public.double(integer)');
      expect(whole!.remedy).to.contain('from version 18 on').and.to.contain('trigger');
      await on.source.query("insert into whole values (1, 1, default, 'b'); update whole set a = 2");
      expect(await agree('whole', 2)).to.deep.equal([{ id: 1, a: 2, b: 'b' }]);
      await on.source.query(
        'alter table whole drop column "Twice it"; alter table parts alter column twice drop expression',
      );
      await said(0);
      await on.source.query('update whole set a = 3; insert into parts values (2, 1, 7)');
      const rows = (await on.received(sink, 5)).slice(3);
      expect(rows.map(({ record }) => JSON.parse(record))).to.deep.equal([
        { id: 1, a: 3, b: 'b' },
        { id: 2, a: 1, twice: 7 },
      ]);
    });

    it('are said to be missing from the primary key, and to a search index that leaves the table out', async () => {
      on = await captured(
        `${DOUBLE} create table t (a int, twice int generated always as (double(a)) stored primary key);
         create table pair (a int, twice int generated always as (double(a)) stored, primary key (a, twice))`,
        { timing: TIMING, cluster },
      );
      sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      const index = await on.addSink(sinkSettings({ name: 'index', destination: SEARCH }));
      on.start();
      await on.streaming();
      for (const { message } of await said(2)) expect(message).to.contain('its primary key needs twice');
      await on.source.query('insert into t values (1); update t set a = 2; delete from t; insert into pair values (1)');
      const rows = await on.received(sink, 4);
      expect(rows.map(({ action, record, record_pks: key }) => `${action} ${record} ${key}`)).to.deep.equal([
        'insert {"a":1} []',
        'update {"a":2} []',
        byWay({ replication: 'delete {} []', triggers: 'delete {"a":2} []' }),
        'insert {"a":1} []',
      ]);
      const notices = (await on.notices(index)).filter(({ code }) => code === 'no_primary_key');
      expect(notices.map(({ table }) => table)).to.deep.equal(['public.pair', 'public.t']);
      for (const { message, remedy } of notices) {
        expect(message).to.contain('has a primary key with twice, which its messages do not have');
        expect(remedy).to.contain('generated_left_out').and.not.to.contain('add primary key');
      }
      const { state, reason } = await backfilled(on.messages.db, "'all', 'pair'");
      expect(state).to.equal('failed');
      expect(reason).to.contain('primary key with twice');
    });
  });

  it('come when they are stored and published, and are said when they are virtual', async () => {
    await start(
      `${TABLES} create table shown (id int primary key, a int, twice int generated always as (a * 2) virtual, thrice int generated always as (a * 3) stored)`,
      { cluster: await sharedCluster() },
    );
    const [shown] = await said(1);
    expect(shown).to.include({ table: 'public.shown' });
    expect(shown!.message).to.contain('generated column twice,');
    expect(shown!.remedy).to.match(/^Create twice again as stored/);
    await on.source.query("insert into whole values (1, 1, default, 'b'); update whole set a = 2");
    expect(await agree('whole', 2)).to.deep.equal([{ id: 1, a: 2, 'Twice it': 4, b: 'b' }]);
    await on.source.query('insert into shown (id, a) values (1, 1)');
    expect(await agree('shown', 4)).to.deep.equal([{ id: 1, a: 1, thrice: 3 }]);
  });

  it('come as soon as the remedy was run, whoever made the publication', async () => {
    await start(
      `create table t (id int primary key, a int, twice int generated always as (a * 2) stored, half int generated always as (a / 2) virtual);
       create publication own for table t`,
      { cluster: await sharedCluster(), settings: OWN },
    );
    await on.source.query('insert into t (id, a) values (1, 1)');
    expect(await agree('t', 1)).to.deep.equal([{ id: 1, a: 1 }]);
    const [one] = await said(1);
    expect(one!.message).to.contain('generated columns twice, half');
    await on.source.query(one!.remedy!);
    await until('it is said of the virtual one alone', async () =>
      (await leftOut())[0]?.message.includes('column half,'),
    );
    await on.source.query('update t set a = 2');
    expect(await agree('t', 3)).to.deep.equal([{ id: 1, a: 2, twice: 4 }]);
  });

  lists.it('are said when a list of columns leaves them out, and come when it names them', async () => {
    await start(
      `create table t (id int primary key, a int, twice int generated always as (a * 2) stored);
       create publication own for table t (id, a)`,
      { cluster: await sharedCluster(), settings: OWN },
    );
    expect((await said(1))[0]!.remedy).to.contain('list of columns');
    expect((await on.notices(sink)).filter(({ code }) => code === 'breaks_updates')).to.deep.equal([]);
    await on.source.query('alter publication own set table t (id, twice)');
    await said(0);
    await on.source.query('insert into t (id, a) values (1, 1)');
    expect(await agree('t', 1)).to.deep.equal([{ id: 1, twice: 2 }]);
  });
});
