/** What a publication left out while nobody looked: its tables say so, though all is as before again. */
import { expect } from 'chai';
import { noteAdded } from '../../src/capture/table-notices.ts';
import { openPool } from '../../src/db/pool.ts';
import { ensurePublication } from '../../src/source/publication.ts';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { until } from '../support/until.ts';

const publishing = ofReplication('triggers note what a publication leaves out');

const TIMING = { checkMs: 100, recheckMs: 100 };
const AGAIN = 'was taken out of the publication and put in again: changes that were made meanwhile may be missing';
const AWAY = 'was out of the publication for a while: changes that were made meanwhile may be missing';

publishing.describe('what a publication leaves out for a while', () => {
  let on: Captured;
  let sink: number;

  const open = async (schema: string, name: string): Promise<void> => {
    on = await captured(schema, {
      timing: TIMING,
      as: 'superuser',
      settings: { publication: { name, create_if_not_exists: false, init_sql: null } },
    });
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
  };
  const left = async () => (await on.notices(sink)).filter(({ code }) => code === 'changes_left_out');
  /** Waits until it is said of so many tables, then dismisses it. */
  const told = async (tables: number): Promise<string[]> => {
    const found = await until(`it is said of ${tables} tables`, async () => {
      const notices = await left();
      return notices.length >= tables && notices;
    });
    await on.messages.db.query("select millrace.dismiss('all', 'changes_left_out')");
    return found.map(({ message }) => message).sort();
  };
  /** How table t is noted to be published: waited for until it has changed. */
  const looked = async (isSo: (as: string | null) => boolean): Promise<void> => {
    await until('it was looked at', async () => {
      const { rows } = await on.messages.db.query<{ published_as: string | null }>(
        `select p.published_as from millrace_private.published_tables p
           join millrace_private.source_tables t on t.database_no = p.database_no and t.oid = p.oid and t.table_name = 't'`,
      );
      return rows.some((row) => isSo(row.published_as));
    });
  };

  describe('of a list of tables', () => {
    before(async () => {
      await open(
        `create table t (id int primary key); create table u (id int primary key);
         create table parts (id int primary key) partition by range (id);
         create table parts_1 partition of parts for values from (0) to (9);
         create schema s; create table s.x (id int primary key);
         create publication own for table t, u, parts, tables in schema s with (publish_via_partition_root = true)`,
        'own',
      );
    });
    after(async () => await on.close());

    it('is said of a table that was taken out and put in again between two looks', async () => {
      await on.source.query(
        'alter publication own drop table t; insert into t values (1); alter publication own add table t',
      );
      const [{ remedy } = { remedy: null }] = await until('it is said', async () => {
        const notices = await left();
        return notices.length > 0 && notices;
      });
      expect(remedy).to.equal('bin/millrace backfill all public.t # remove there what it has of rows that are gone');
      expect(await told(1)).to.deep.equal([`public.t ${AGAIN}`]);
      await on.source.query('insert into t values (2)');
      expect((await on.received(sink, 1)).map(({ record }) => record)).to.deep.equal(['{"id":2}']);
    });

    it('is said of all tables of a schema that was, and of no table that stayed in', async () => {
      await on.source.query(
        `alter publication own add table s.x; alter publication own drop tables in schema s;
         alter publication own drop table s.x; alter publication own add tables in schema s`,
      );
      expect(await told(1)).to.deep.equal([`s.x ${AGAIN}`]);
    });

    it('is said of a table that was moved to another schema and back', async () => {
      await on.source.query(
        `create schema elsewhere; alter table s.x set schema elsewhere; insert into elsewhere.x values (1);
         alter table elsewhere.x set schema s`,
      );
      expect(await told(1)).to.deep.equal([`s.x ${AGAIN}`]);
    });

    it('is said of a row filter that came and went, seen or unseen', async () => {
      await on.source.query('alter publication own set table t where (id > 5), u, parts, tables in schema s');
      const SOME =
        'was published with a row filter or a list of columns, and now is otherwise: what was left out until then is missing';
      expect(await told(1)).to.deep.equal([`public.t ${SOME}`]);
      await on.source.query('alter publication own set table t, u, parts, tables in schema s');
      expect(await told(1)).to.deep.equal([`public.t ${SOME}`]);
      await on.source.query(
        `alter publication own set table t where (id > 6), u, parts, tables in schema s;
         alter publication own set table t, u, parts, tables in schema s`,
      );
      expect(await told(1)).to.deep.equal([`public.t ${AGAIN}`]);
    });

    it('is said of kinds of changes, also while capture stands still for it', async () => {
      const BACK =
        'is in a publication that was altered, and altered back: changes that were made meanwhile may be missing';
      const all = ['public.parts', 'public.t', 'public.u', 's.x'];
      await on.source.query(
        `alter publication own set (publish = 'insert'); alter publication own set (publish = 'insert, update, delete, truncate')`,
      );
      expect(await told(4)).to.deep.equal(all.map((table) => `${table} ${BACK}`));
      await on.source.query(`alter publication own set (publish = 'insert')`);
      const { remedy } = await on.becomes('error');
      await on.source.query(remedy);
      expect(await told(4)).to.deep.equal(all.map((table) => `${table} ${BACK}`));
      await on.source.query(`alter publication own set (publish = 'insert, update, delete')`);
      await looked((as) => as?.includes('"actions":"iud"') ?? false);
      const missed = await until('its truncates are missed', async () => (await on.state()).remedy);
      expect(missed).to.equal(`alter publication "own" set (publish = 'insert, update, delete, truncate')`);
      await on.source.query(`alter publication own set (publish = 'insert, update, delete, truncate')`);
      const TRUNCATES = 'was published without truncates until now: those that were made are missing';
      expect(await told(4)).to.deep.equal(all.map((table) => `${table} ${TRUNCATES}`));
    });

    it('is said of a partitioned table whose changes came under other names', async () => {
      await on.source.query('alter publication own set (publish_via_partition_root = false)');
      await looked((as) => as?.includes('"viaRoot":false') ?? false);
      expect(await left()).to.deep.equal([]);
      await on.source.query('alter publication own set (publish_via_partition_root = true)');
      expect(await told(1)).to.deep.equal([
        'public.parts was published under the names of its partitions until now: changes that were made may be missing',
      ]);
    });

    it('is said of partitions that are unlogged, and were', async () => {
      await on.source.query('alter table parts_1 set unlogged');
      const unlogged = await until('it is said', async () =>
        (await on.notices(sink)).find(({ code }) => code === 'not_published'),
      );
      expect(unlogged.message).to.equal(
        'public.parts: changes in public.parts_1 are not captured: an unlogged partition tells nobody of its changes',
      );
      await on.source.query(unlogged.remedy!);
      expect(await told(1)).to.deep.equal([
        'public.parts had partitions that were unlogged until now: changes that were made in them are missing',
      ]);
    });

    it('is said after a restart of capture too', async () => {
      await on.stop();
      await on.source.query('alter publication own drop table u');
      await on.source.query('insert into u values (1)');
      await on.source.query('alter publication own add table u');
      on.start();
      expect(await told(1)).to.deep.equal([`public.u ${AGAIN}`]);
      await on.source.query('alter publication own drop table t');
      await looked((as) => as === null);
      await on.stop();
      await on.source.query('alter publication own add table t');
      on.start();
      expect(await told(1)).to.deep.equal([`public.t ${AWAY}`]);
    });

    it('is said of a table to a sink that names it as it was called before', async () => {
      const source = { include_schemas: null, exclude_schemas: null, include_tables: ['u'], exclude_tables: null };
      const bound = await on.addSink(sinkSettings({ name: 'bound', destination: PULL, source }));
      await on.source.query('alter table u rename to w');
      await until('its new name is known', async () =>
        (await on.notices(bound)).some(({ message }) => message.includes('is called public.w now')),
      );
      await on.source.query('alter publication own drop table w; alter publication own add table w');
      const isTold = async () => (await on.notices(bound)).some(({ code }) => code === 'changes_left_out');
      await until('it is told', isTold);
      expect(await told(1)).to.deep.equal([`public.w ${AGAIN}`]);
      await on.source.query('alter table w rename to u');
    });

    it('is said of a table that came in again while it was looked at', async () => {
      await on.stop();
      const source = openPool({ address: on.sourceUrl, max: 1, applicationName: 'millrace test' });
      try {
        const wanted = { name: 'own', create_if_not_exists: false, init_sql: null };
        const settings = sinkSettings({ name: 'all', destination: PULL });
        const database = { no: on.databaseNo, sinks: [{ no: sink, settings }] };
        const look = async () => ({ publication: await ensurePublication(source, wanted, 180000), begun: true });
        const note = async (looked: Awaited<ReturnType<typeof look>>) =>
          await noteAdded({ source, messages: on.messages.db }, database, looked);
        await on.source.query('alter publication own drop table t');
        const without = await look();
        await note(without);
        await on.source.query('alter publication own add table t');
        await note(without);
        await note(await look());
        expect(await told(1)).to.deep.equal([`public.t ${AWAY}`]);
      } finally {
        await source.close();
        on.start();
      }
    });

    it('is not said of a publication that another owner got, that lists more, or is stored anew', async () => {
      for (const stored of ['pg_publication', 'pg_publication_rel', 'pg_publication_namespace'])
        await on.source.query(`vacuum (full, freeze) ${stored}`);
      await on.source.query(
        `create role another_owner_of_own superuser; create table late (id int primary key);
         alter publication own add table late; alter publication own owner to another_owner_of_own`,
      );
      await on.source.query('alter publication own drop table u; alter publication own add table u');
      expect(await told(1)).to.deep.equal([`public.u ${AGAIN}`]);
      await on.source.query('alter publication own owner to current_user; drop role another_owner_of_own');
    });

    it('is not said again behind a gap that was accepted', async () => {
      await on.stop();
      await on.source.query('alter publication own drop table t; alter publication own add table t');
      await on.messages.db.query("select millrace.accept_gap('shop')");
      on.start();
      await on.streaming();
      await on.source.query('alter publication own drop table u; alter publication own add table u');
      expect(await told(1)).to.deep.equal([`public.u ${AGAIN}`]);
    });
  });

  it('is said of a table that was unlogged, though capture began anew meanwhile', async () => {
    await open('create table t (id int primary key); create publication every for all tables', 'every');
    try {
      await on.source.query('alter table t set unlogged');
      await looked((as) => as === null);
      await on.stop();
      await on.source.query('insert into t values (1); alter table t set logged');
      on.start();
      expect(await told(1)).to.deep.equal([`public.t ${AWAY}`]);
    } finally {
      await on.close();
    }
  });
});
