/** Publications under capture: ours, and those that users made. */
import { expect } from 'chai';
import { type Captured, type CapturedOptions, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { byWay, IS_CAPTURED, ofReplication } from '../support/postgres/capture-way.ts';
import { AS_PLAIN } from '../support/postgres/plain-role.ts';
import { sharedCluster } from '../support/postgres/postgres.ts';
import { until } from '../support/until.ts';

const TIMING = { checkMs: 150, recheckMs: 100 };

describe('publications under capture', () => {
  let on: Captured;
  let sink: number;

  const start = async (schema: string, options: CapturedOptions = {}): Promise<void> => {
    on = await captured(schema, { timing: TIMING, ...options });
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
  };
  const records = async (count: number): Promise<unknown[]> =>
    (await on.received(sink, count)).map((row) => JSON.parse(row.record));
  const notice = async (code: string, of = sink) =>
    await until(`the notice ${code}`, async () => (await on.notices(of)).find((one) => one.code === code)).catch(
      async (error: unknown) => {
        throw new Error(`${String(error)}: ${JSON.stringify(await on.notices(of))}`);
      },
    );
  const published = async (table: string): Promise<void> => {
    await until(`${table} is published`, async () => (await on.source.query(IS_CAPTURED, [table])).rows.length > 0);
  };
  afterEach(async () => await on.close());

  it('publishes a table of ours again that was dropped and created, and says what is missing', async () => {
    await start('create table t (id int primary key)');
    await on.source.query('insert into t values (1)');
    await on.received(sink, 1);
    await on.source.query('drop table t; create table t (id int primary key, v int); insert into t values (2, 2)');
    await published('t');
    await on.source.query('insert into t values (3, 3)');
    expect(await records(2)).to.deep.equal([{ id: 1 }, { id: 3, v: 3 }]);
    expect((await notice('table_detached')).message).to.contain('dropped and created again');
    await on.source.query('create table late (id int primary key); insert into late values (1)');
    expect((await notice('added_late')).table).to.equal('public.late');
    await on.messages.db.query("select millrace.accept_gap('shop')");
    expect(await on.notices(sink)).to.satisfy((all: { code: string }[]) =>
      all.every((one) => one.code === 'no_old_values'),
    );
  });

  it('says what a table held also if whoever let it in died before he could say so', async () => {
    await start('create table t (id int primary key)');
    await on.stop();
    await on.source.query('create table late (id int primary key); insert into late values (1)');
    // As he left it.
    await on.source.query('alter publication millrace_test add table only late');
    on.start();
    expect((await notice('added_late')).table).to.equal('public.late');
  });

  it('says nothing of what tables held that only changed their names', async () => {
    await start('create table t (id int primary key); create table t_new (id int primary key)');
    await on.source.query('insert into t values (1); insert into t_new values (2)');
    await on.received(sink, 2);
    await on.source.query('begin; alter table t rename to t_old; alter table t_new rename to t; commit');
    // Comes in after them, and is told in the same look or a later one.
    await on.source.query('create table late (id int primary key); insert into late values (3)');
    await notice('added_late');
    const told = (await on.notices(sink)).filter(({ code }) => code !== 'no_old_values');
    expect(told.map(({ code, table }) => [code, table])).to.deep.equal([['added_late', 'public.late']]);
  });

  it('says of a table that was out of it for a while that changes may be missing', async function () {
    // Only a superuser may make a publication of all tables.
    if (AS_PLAIN) return this.skip();
    const all = 'create publication millrace_test for all tables with (publish_via_partition_root = true)';
    const publication = { name: 'millrace_test', create_if_not_exists: true, init_sql: all };
    await start(
      `create table t (id int primary key); create table u (id int primary key); create view v as select 1;
       create materialized view m as select 1; create sequence q; create foreign data wrapper nothing;
       create server none foreign data wrapper nothing; create foreign table f (id int) server none;
       create table whole (id int primary key) partition by range (id);
       create table half partition of whole for values from (0) to (9) partition by range (id);
       create table part partition of half for values from (0) to (5)`,
      { settings: { publication } },
    );
    const others = ['public.v', 'public.m', 'public.q', 'public.f', 'public.part', 'pg_catalog.pg_class', 'public.w'];
    const names = ['public.t', ...others];
    const source = { include_schemas: null, exclude_schemas: null, include_tables: names, exclude_tables: null };
    const named = await on.addSink(sinkSettings({ name: 'named', destination: PULL, source }));
    await on.source.query('alter table t set unlogged; insert into t values (1)');
    const missing = await until('t is missed', async () =>
      (await on.notices(named)).find(({ code, table }) => code === 'table_missing' && table === 'public.t'),
    );
    expect(missing.message).to.equal('public.t is unlogged: Postgres tells nobody of its changes');
    expect((await notice('not_published')).remedy).to.equal(missing.remedy);
    const told = (await on.notices(named)).filter(({ table }) => others.includes(table));
    expect(told.map(({ message }) => message).sort()).to.deep.equal([
      "pg_catalog.pg_class is a table of Postgres' own or of Millrace's own, which is never captured",
      'public.f is a foreign table: its rows are in another database',
      'public.m is a materialized view: only tables have changes',
      'public.part is a partition of public.whole: its changes come under that name',
      'public.q is not a table',
      'public.v is a view: only tables have changes',
      'there is no table public.w',
    ]);
    await on.source.query(missing.remedy!);
    for (const no of [sink, named]) {
      const { table, message } = await notice('changes_left_out', no);
      expect([table, message]).to.deep.equal([
        'public.t',
        byWay({
          replication:
            'public.t was out of the publication for a while: changes that were made meanwhile may be missing',
          triggers:
            'public.t was out of the publication, or its triggers were disabled, for a while: changes that were made meanwhile may be missing',
        }),
      ]);
    }
  });

  /** The user's own guard, as platforms have it. */
  const GUARD = `create function refuse() returns event_trigger language plpgsql as $$ begin raise '% is not for you', tg_tag; end $$;
    create event trigger guard on ddl_command_start when tag in ('ALTER PUBLICATION', 'CREATE PUBLICATION') execute function refuse()`;

  it('captures what is published while an event trigger of the user lets no table come in or go out, and says so', async () => {
    await start('create table t (id int primary key)', { as: 'superuser' });
    await on.source.query(`${GUARD}; create table late (id int primary key)`);
    const { table, message, remedy } = await notice('not_published');
    expect([table, message]).to.deep.equal([
      'public.late',
      'public.late is to come into the publication, and its database refuses that: ALTER PUBLICATION is not for you',
    ]);
    await on.source.query('insert into t values (1)');
    expect(await records(1)).to.deep.equal([{ id: 1 }]);
    expect(await on.state()).to.deep.equal({ state: 'streaming', reason: null, remedy: null });
    await on.stop();
    on.start();
    await on.streaming();
    await on.source.query('insert into t values (2)');
    expect(await records(2)).to.deep.equal([{ id: 1 }, { id: 2 }]);
    await on.source.query('alter event trigger guard disable');
    await on.source.query(remedy!);
    await published('late');
    await until('nothing is said of it any more', async () =>
      (await on.notices(sink)).every(({ code }) => code !== 'not_published'),
    );
  });

  it('prints what makes the publication where an event trigger of the user refuses that', async () => {
    on = await captured(`create table t (id int primary key); ${GUARD}`, { timing: TIMING, as: 'superuser' });
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    const { reason, remedy } = await on.becomes('error');
    expect(reason).to.equal('the publication could not be made: CREATE PUBLICATION is not for you');
    await on.source.query('alter event trigger guard disable');
    await on.source.query(remedy!);
    await on.streaming();
  });

  it("prints the statement for a user's publication that lost its table", async () => {
    await start('create table t (id int primary key); create publication own for table t', {
      settings: { publication: { name: 'own', create_if_not_exists: false, init_sql: null } },
    });
    await on.source.query('insert into t values (1)');
    await on.received(sink, 1);
    await on.source.query('drop table t; create table t (id int primary key); insert into t values (2)');
    const { remedy } = await notice('table_detached');
    expect(remedy).to.match(
      /^alter publication "own" add table only "public"."t"; then: bin\/millrace backfill \w+ public.t #/,
    );
    const status = async () =>
      (await on.messages.db.query('select state, reason, remedy from millrace.database_status')).rows[0];
    await until('its database says so', async () => (await status())?.state === 'table_detached');
    expect(await status()).to.deep.equal({
      state: 'table_detached',
      reason:
        'public.t was dropped and created again, and the publication does not list it: its changes are not captured',
      remedy,
    });
    await on.source.query(remedy!.split(';')[0]!);
    await until('it is asked no more', async () =>
      (await notice('table_detached')).remedy?.startsWith('bin/millrace backfill'),
    );
    await until('all is well', async () => (await status())?.state === 'streaming');
    expect(await status()).to.deep.equal({ state: 'streaming', reason: null, remedy: null });
    await on.source.query('insert into t values (3)');
    expect(await records(2)).to.deep.equal([{ id: 1 }, { id: 3 }]);
  });

  it('notices a table that is dropped and created before any change of it came', async () => {
    await start('create table t (id int primary key); create publication own for table t', {
      settings: { publication: { name: 'own', create_if_not_exists: false, init_sql: null } },
    });
    await until('it was looked at', async () => {
      const { rows } = await on.messages.db.query('select from millrace_private.source_tables');
      return rows.length > 0;
    });
    await on.source.query('drop table t; create table t (id int primary key); insert into t values (1)');
    expect((await notice('table_detached')).message).to.contain('was dropped and created again');
  });

  ofReplication('what the list publishes is nothing to triggers').it(
    "refuses a user's publication of inserts alone with the statement that completes it, and then takes a table without a key",
    async () => {
      on = await captured(
        `create table keyless (a int); create publication own for table keyless with (publish = 'insert')`,
        {
          timing: TIMING,
          settings: { publication: { name: 'own', create_if_not_exists: false, init_sql: null } },
        },
      );
      sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      const { remedy } = await on.becomes('error');
      expect(remedy).to.equal(`alter publication "own" set (publish = 'insert, update, delete, truncate')`);
      await on.source.query(remedy);
      await on.streaming();
      await on.source.query('insert into keyless values (1), (1)');
      await on.source.query('alter table keyless replica identity full');
      await on.source.query('update keyless set a = 2; delete from keyless');
      const rows = await on.received(sink, 6);
      expect(rows.map((row) => [row.action, row.record, row.record_pks, row.group_key])).to.deep.equal([
        ['insert', '{"a":1}', '[]', null],
        ['insert', '{"a":1}', '[]', null],
        ['update', '{"a":2}', '[]', null],
        ['update', '{"a":2}', '[]', null],
        ['delete', '{"a":2}', '[]', null],
        ['delete', '{"a":2}', '[]', null],
      ]);
    },
  );

  ofReplication('triggers need no replica identity').it(
    'keeps its hands off tables whose own updates would fail, and says why',
    async () => {
      await start(
        `create table keyless (a int);
      create table by_index (id int primary key, code text not null unique); alter table by_index replica identity using index by_index_code_key;
      create table computed (id int primary key, a int, b int generated always as (a * 2) stored); alter table computed replica identity full;
      create table shown (id int primary key, a int, b int generated always as (a * 2) virtual); alter table shown replica identity full`,
        { cluster: await sharedCluster() },
      );
      await on.source.query('insert into keyless values (1); update keyless set a = 2; delete from keyless');
      await on.source.query("insert into by_index values (1, 'a'); update by_index set id = 2; delete from by_index");
      await on.source.query('insert into shown (id, a) values (1, 1); update shown set a = 2');
      await on.source.query('insert into computed (id, a) values (1, 1); update computed set a = 2');
      expect(await records(2)).to.deep.equal([
        { id: 1, a: 1, b: 2 },
        { id: 1, a: 2, b: 4 },
      ]);
      const found = (await on.notices(sink)).filter((one) => one.code === 'not_published');
      expect(found.map((one) => one.table)).to.deep.equal(['public.by_index', 'public.keyless', 'public.shown']);
      for (const one of found) await on.source.query(one.remedy!);
      await until('all are published', async () =>
        (await on.notices(sink)).every((one) => one.code !== 'not_published'),
      );
      await on.source.query('insert into keyless values (1); update keyless set a = 2; delete from keyless');
      await on.source.query("insert into by_index values (1, 'a'); update by_index set id = 2; delete from by_index");
      await on.source.query('update shown set a = 2');
    },
  );

  it("names what a user's publication breaks, with the statement that fixes it", async () => {
    await start(
      `create table keyless (a int); create table listed (id int primary key, a int, b int); alter table listed replica identity full;
       create table unlisted (id int primary key, a int);
       create table computed (id int primary key, a int, b int generated always as (a * 2) stored); alter table computed replica identity full;
       create table by_index (id int primary key, code text not null unique); alter table by_index replica identity using index by_index_code_key;
       create table parts (id int primary key) partition by range (id);
       create table parts_1 partition of parts for values from (1) to (9);
       create publication own for table keyless, listed (id, a), unlisted (a), computed, by_index, parts`,
      {
        cluster: await sharedCluster(),
        settings: { publication: { name: 'own', create_if_not_exists: false, init_sql: null } },
      },
    );
    const broken = async () => (await on.notices(sink)).filter((one) => one.code === 'breaks_updates');
    await until('all of them', async () => (await broken()).length === 4);
    for (const [table, sql] of [
      ['keyless', 'update keyless set a = 1'],
      ['listed', 'update listed set a = 1'],
      ['unlisted', 'update unlisted set a = 1'],
      ['computed', 'update computed set a = 1'],
    ] as const) {
      await on.source.query(
        `insert into ${table} (${table === 'keyless' ? 'a' : 'id, a'}) values (${table === 'keyless' ? '1' : '1, 1'})`,
      );
      const refused = await on.source.query(sql).then(
        () => undefined,
        (error: unknown) => (error instanceof Error && 'code' in error ? error.code : 'other'),
      );
      expect(refused, table).to.be.oneOf(['55000', '42P10']);
    }
    for (const { table, remedy } of await broken()) {
      const identity = table === 'public.keyless' ? 'replica identity full' : 'alter publication "own"';
      expect(remedy).to.contain(byWay({ replication: identity, triggers: `set (publish = 'insert')` }));
      await on.source.query(remedy!);
    }
    await on.source.query(
      'update keyless set a = 2; update listed set a = 2; update unlisted set a = 2; update computed set a = 2',
    );
    await until('nothing breaks any more', async () => (await broken()).length === 0);
    const doubtful = async (): Promise<void> => {
      expect((await notice('identity_misses_key')).table).to.equal('public.by_index');
      await on.source.query((await notice('partitions_apart')).remedy!);
    };
    // They see whole rows, and tell them under the table's name.
    const certain = async (): Promise<void> => {
      const codes = (await on.notices(sink)).map(({ code }) => code);
      expect(codes.filter((code) => /identity_misses_key|partitions_apart/.test(code))).to.deep.equal([]);
    };
    await byWay({ replication: doubtful, triggers: certain })();
  });
});
