/**
 * Stored generated columns where it is not as usual: values that cannot be computed, expressions that were replaced since, rows
 * that are large, keys, locks. Servers before 18 alone, which do not send them, but where it is the same with those that do.
 */
import { expect } from 'chai';
import pg from 'pg';
import { backfilled } from '../support/fixtures/backfilled.ts';
import {
  type Captured,
  type CapturedOptions,
  captured,
  PULL,
  SEARCH,
  sinkSettings,
} from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { plainRoleOf } from '../support/postgres/plain-role.ts';
import { eachMajor } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

const identity = ofReplication('triggers need no replica identity');

const TIMING = { checkMs: 150, recheckMs: 100 };

eachMajor((cluster, major) => {
  describe('stored generated columns', function () {
    this.timeout(120_000);
    let on: Captured;
    let sink: number;
    const start = async (schema: string, options: CapturedOptions = {}): Promise<void> => {
      on = await captured(schema, { timing: TIMING, cluster: cluster(), ...options });
      sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
    };
    const other = async (): Promise<pg.Client> => {
      const client = new pg.Client({ connectionString: on.sourceUrl });
      client.on('error', () => undefined);
      await client.connect();
      return client;
    };
    const noticed = async (code: string) => {
      await until(code, async () => (await on.notices(sink)).some((one) => one.code === code), 40_000);
      return (await on.notices(sink)).filter((one) => one.code === code);
    };
    const told = async (count: number) =>
      (await on.received(sink, count)).map(({ record, unchanged_toast: left }) => [JSON.parse(record), left]);
    afterEach(async () => await on?.close());

    it('that are large are computed in parts, and park the rows that they make too large', async () => {
      await start(`create table t (id int primary key, n int, g text generated always as (repeat('é', n)) stored)`, {
        settings: { max_row_bytes: 150_000 },
      });
      await on.source.query(
        'insert into t select n, case when n = 100 then 90000 else 30000 end from generate_series(1, 200) n',
      );
      const rows = await on.received(sink, 200);
      for (const { record } of rows) {
        const { id, n, g } = JSON.parse(record);
        if (id === 100) expect(n, 'the row that is too large').to.equal(undefined);
        else expect(g).to.equal('é'.repeat(30_000));
      }
      expect(rows.filter(({ record }) => record === '{"id":100}')).to.have.length(1);
      const parked = 'select count(*)::int4 as count from millrace_private.delivery_states';
      expect((await on.messages.db.query<{ count: number }>(parked)).rows[0]!.count).to.equal(1);
    });

    if (major === 18) return;

    it('are not known where the expression fails, of that row alone, and it is said', async () => {
      await start(
        'create table t (id int primary key, a int, g int generated always as (a) stored, h int generated always as (a + 1) stored)',
      );
      await on.stop();
      // It has its id before the others, and comes after them.
      const later = await other();
      await later.query('begin; select txid_current()');
      await on.source.query('insert into t values (1, 0), (2, 5)');
      await on.source.query('update t set a = 1 where id = 1');
      await later.query(
        'alter table t drop column g; alter table t add g int generated always as (10 / a) stored; commit',
      );
      await later.end();
      await on.source.query('insert into t values (3, 10)');
      on.start();
      expect(await told(4)).to.deep.equal([
        [{ id: 1, a: 0, h: 1 }, '["g"]'],
        [{ id: 2, a: 5, h: 6, g: 2 }, null],
        [{ id: 1, a: 1, h: 2, g: 10 }, null],
        [{ id: 3, a: 10, h: 11, g: 1 }, null],
      ]);
      const [notice] = await noticed('values_left_out');
      expect(notice!.message).to.contain('could not be computed (22012)');
    });

    it('are not known in changes from before their expression', async () => {
      await start('create table t (id int primary key, a int, g int generated always as (a) stored)');
      await on.source.query('insert into t values (1, 1)');
      await on.received(sink, 1);
      await on.stop();
      await on.source.query('insert into t values (2, 2)');
      await on.source.query(
        major === 17
          ? 'alter table t alter column g set expression as (a * 100)'
          : 'alter table t drop column g; alter table t add g int generated always as (a * 100) stored',
      );
      await on.source.query('insert into t values (3, 3)');
      on.start();
      expect(await told(3)).to.deep.equal([
        [{ id: 1, a: 1, g: 1 }, null],
        [{ id: 2, a: 2 }, '["g"]'],
        [{ id: 3, a: 3, g: 300 }, null],
      ]);
    });

    it('that are the key are known with a full identity', async () => {
      on = await captured(
        `create table t (a int, g int generated always as (abs(a) * 2) stored primary key, b text);
         alter table t replica identity full`,
        { timing: TIMING, cluster: cluster() },
      );
      sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      const index = await on.addSink(sinkSettings({ name: 'index', destination: SEARCH }));
      on.start();
      await on.streaming();
      await on.source.query(
        "insert into t values (1), (2); update t set a = 5, b = 'b' where a = 1; delete from t where a = 2",
      );
      const rows = await on.received(sink, 4);
      expect(rows.map(({ action, record, record_pks: key }) => `${action} ${key} ${record}`)).to.deep.equal([
        'insert ["2"] {"a":1,"g":2,"b":null}',
        'insert ["4"] {"a":2,"g":4,"b":null}',
        'update ["10"] {"a":5,"g":10,"b":"b"}',
        'delete ["4"] {"a":2,"g":4,"b":null}',
      ]);
      expect(rows[2]!.group_key2, 'in order with the former key').to.equal(rows[0]!.group_key);
      const sent = await on.received(index, 5);
      expect(sent.map(({ action, record_pks: key }) => `${action} ${key}`)).to.deep.equal([
        'insert ["2"]',
        'insert ["4"]',
        'delete ["2"]',
        'update ["10"]',
        'delete ["4"]',
      ]);
      expect((await backfilled(on.messages.db, "'index', 't'")).rows_sent).to.equal(1);
      expect((await on.notices(index)).map(({ code }) => code)).to.deep.equal([]);
    });

    identity.it('that are the key park what does not tell which row, until the remedy was run', async () => {
      await start(`create table t (a int, g int generated always as (a * 2) stored primary key);
        insert into t values (7)`);
      const [notice] = await noticed('identity_misses_key');
      expect(notice!.message).to.contain('computed from a');
      await on.source.query('insert into t values (1); update t set a = 2 where a = 1; delete from t where a = 2');
      const rows = await on.received(sink, 3);
      expect(rows.map(({ record_pks: key }) => key)).to.deep.equal(['["2"]', '["4"]', '[]']);
      const parked = await on.messages.db.query<{ id: number; error: string }>(
        'select id, error from millrace_private.delivery_states order by id',
      );
      expect(parked.rows.map(({ id }) => id)).to.deep.equal(rows.slice(1).map(({ id }) => id));
      for (const { error } of parked.rows) expect(error).to.contain('the replica identity must cover it');
      await on.source.query(notice!.remedy!);
      await until('it goes', async () => (await on.notices(sink)).every(({ code }) => code !== 'identity_misses_key'));
      await on.source.query('delete from t');
      expect((await on.received(sink, 4))[3]).to.include({ record_pks: '["14"]', record: '{"a":7,"g":14}' });
    });

    it("are left out, with the reason, where they are not made of what is Postgres' own", async () => {
      await start(`create schema app; create domain app.small as int check (value < 100); create type app.pair as (a int, b int);
        create collation app.german (provider = icu, locale = 'de');
        create function app.plus(a text, b int) returns text immutable language sql as 'select a || b';
        create operator app.+! (leftarg = text, rightarg = int, function = app.plus);
        create table t (id int primary key, a int, s text, p app.pair,
          g_plain int generated always as (a + 1) stored,
          g_function text generated always as (app.plus(s, a)) stored,
          g_operator text generated always as (s operator(app.+!) a) stored,
          g_domain app.small generated always as (a) stored,
          g_type int generated always as ((p).a) stored,
          g_collation boolean generated always as (s < 'b' collate app.german) stored,
          g_table oid generated always as (tableoid) stored)`);
      const [notice] = await noticed('generated_left_out');
      expect(notice!.message)
        .to.contain('columns g_function, g_operator, g_domain, g_type, g_collation, g_table,')
        .and.to.contain('g_function: it uses function app.plus(text,integer)')
        .and.to.contain('g_operator: it uses operator app.+!(text,integer)')
        .and.to.contain('g_domain: it uses type app.small')
        .and.to.contain('g_type: it uses column a of composite type app.pair')
        .and.to.contain('g_collation: it uses collation app.german')
        .and.to.contain('g_table: it uses column tableoid');
      await on.source.query("insert into t values (1, 1, 's', (1, 2))");
      await on.received(sink, 1);
      await backfilled(on.messages.db, "'all', 't'");
      const rows = await told(2);
      expect(rows).to.deep.equal(Array(2).fill([{ id: 1, a: 1, s: 's', p: { a: 1, b: 2 }, g_plain: 2 }, null]));
    });

    it('are left out where our role may not compute them', async () => {
      const enums = `create schema app; create type app.mood as enum ('sad', 'ok');
        create table t (id int primary key, m app.mood, g boolean generated always as (m = 'sad') stored)`;
      await start(enums, { as: 'plain' });
      await on.source.query(
        `revoke usage on schema app from ${plainRoleOf({ name: new URL(on.sourceUrl).pathname.slice(1) })}`,
      );
      const [notice] = await noticed('generated_left_out');
      expect(notice!.message).to.contain('permission denied for schema app');
    });

    if (major >= 15) {
      ofReplication('lists of columns are for it').it(
        'are left out where the publication has a list of columns',
        async () => {
          await start(
            `create table t (id int primary key, a int, b int, g int generated always as (a * 2) stored);
           create publication own for table t (id, a)`,
            { settings: { publication: { name: 'own', create_if_not_exists: false, init_sql: null } } },
          );
          const [notice] = await noticed('generated_left_out');
          expect(notice!.message).to.contain('list of columns');
          expect(notice!.remedy).to.contain('without a list of columns');
          await on.source.query('insert into t values (1, 1, 1)');
          await on.received(sink, 1);
          await backfilled(on.messages.db, "'all', 't'");
          expect(await told(2)).to.deep.equal(Array(2).fill([{ id: 1, a: 1 }, null]));
        },
      );
    }

    if (major >= 16) {
      it('are left out where a partition has another expression', async () => {
        await start(`create table parts (id int primary key, a int, g int generated always as (a * 2) stored) partition by range (id);
          create table parts_1 (a int, g int generated always as (a * 3) stored, id int not null);
          alter table parts attach partition parts_1 for values from (0) to (10)`);
        const [notice] = await noticed('generated_left_out');
        expect(notice!.message).to.contain('a partition has another expression for it');
        await on.source.query('insert into parts values (1, 1)');
        expect(await told(1)).to.deep.equal([[{ id: 1, a: 1 }, null]]);
      });
    }

    if (major >= 17) {
      it('of a table that somebody keeps locked are left out after a while, and it is said', async () => {
        await start(
          'create table t (id int primary key, a int, g int generated always as (a * 2) stored); create table free (id int primary key)',
        );
        await on.stop();
        const locker = await other();
        await locker.query('insert into t values (1, 1)');
        await locker.query('begin; lock table t in access exclusive mode');
        on.start();
        await noticed('values_left_out');
        expect(await told(1)).to.deep.equal([[{ id: 1, a: 1 }, '["g"]']]);
        await on.source.query('insert into free values (1)');
        await on.received(sink, 2);
        await locker.query('rollback');
        await locker.query('update t set a = 2');
        await locker.end();
        expect((await told(3))[2]).to.deep.equal([{ id: 1, a: 2, g: 4 }, null]);
      });
    }
  });
});
