/** Triggers that note changes are made, kept up and removed, and nobody is waited for. */
import { expect } from 'chai';
import { statement } from '../../../src/db/statement.ts';
import { removeTriggers } from '../../../src/source/triggers/ensure.ts';
import { readTriggers } from '../../../src/source/triggers/facts.ts';
import { triggersSql } from '../../../src/source/triggers/scripts.ts';
import { VERSION } from '../../../src/source/triggers/texts.ts';
import { truncateRead } from '../../../src/source/triggers/truncate-read.ts';
import { eachMajor } from '../../support/postgres/postgres.ts';
import { type Noted, noted } from './noted.ts';

const TABLES = `create table t (id int primary key, v text); create table other (id int primary key);
  create table parts (id int, at date) partition by range (at);
  create table parts_1 partition of parts for values from ('2024-01-01') to ('2025-01-01');`;

describe('triggers that note changes', () => {
  eachMajor((cluster) => {
    let on: Noted;
    const start = async (sql = TABLES): Promise<void> => {
      on = await noted(cluster(), sql);
    };
    afterEach(async () => await on.close());
    const admin = async (sql: string): Promise<void> => {
      await on.source.session(
        async (client) => await client.query(`set search_path = public; ${sql}; set search_path = pg_catalog, pg_temp`),
      );
    };
    const names = ({ tables }: { tables: { name: string }[] }): string[] => tables.map(({ name }) => name);

    it('are made once, with everything that they need', async () => {
      await start();
      const first = await on.ensure(['t', 'parts']);
      expect([first.added.size, first.locked, names(first.facts)]).to.deep.equal([2, [], ['parts', 't']]);
      const second = await on.ensure(['t', 'parts']);
      expect([second.added.size, second.locked]).to.deep.equal([0, []]);
      expect(second.facts).to.deep.equal(first.facts);
      expect(second.facts.schema?.version).to.equal(VERSION);
      expect(
        second.facts.tables.map(({ without, without_truncate, least }) => [without, without_truncate, least]),
      ).to.deep.equal([
        [[], [], 'A'],
        [[], [], 'A'],
      ]);
    });

    it('keep large rows in a way that whoever writes them need not wait for', async () => {
      await start();
      await on.ensure(['t']);
      await on.writer.query("insert into t values (1, repeat('a text that repeats itself, ', 1000))");
      const { rows } = await on.source.query<{ way: string | null; has_lz4: boolean; length: number }>(
        `select pg_column_compression(c.new) as way, length(c.new) as length,
                (select 'lz4' = any (enumvals) from pg_settings where name = 'default_toast_compression') as has_lz4
           from millrace_capture.changes c`,
      );
      expect(rows).to.have.lengthOf(1);
      expect(rows[0]!.length).to.be.above(26_000);
      expect(rows[0]!.way).to.equal(rows[0]!.has_lz4 ? 'lz4' : null);
    });

    it('have the turn of the reader on what nothing vacuums, also where a release of before has made a table of it', async () => {
      await start();
      await on.ensure(['t']);
      await admin('drop view millrace_capture.reader; create table millrace_capture.reader ()');
      const { facts } = await on.ensure(['t']);
      expect(facts.schema?.version).to.equal(VERSION);
      const { rows } = await on.source.query(
        "select c.relkind, c.relfrozenxid::text as frozen from pg_class c where c.oid = 'millrace_capture.reader'::regclass",
      );
      expect(rows).to.deep.equal([{ relkind: 'v', frozen: '0' }]);
    });

    it("are made and kept up beside somebody's publication of all tables", async () => {
      await start(`${TABLES} create publication everything for all tables`);
      await on.ensure(['t']);
      await on.writer.query("insert into t values (1, 'x'); delete from t");
      await on.ensure(['t']);
      await on.source.query(statement('source/triggers/forget-foreign'));
      expect(await on.lines()).to.deep.equal(['I:  -> (1,x)', 'D: (1,x) -> ']);
    });

    it('are made where a dump that was restored has brought others of the same names', async () => {
      await start();
      await on.ensure(['t']);
      await admin(
        `do $$ begin execute format('create trigger "!millrace_truncate" after truncate on other execute function millrace_capture.table_%s()', 't'::regclass::oid);
           execute format('create trigger "!millrace_%s" after insert on other for each row execute function millrace_capture.table_%s()', 'other'::regclass::oid, 't'::regclass::oid); end $$`,
      );
      const { facts } = await on.ensure(['t', 'other']);
      expect(
        facts.tables.map(({ without, without_truncate, stray }) => [without, without_truncate, stray]),
      ).to.deep.equal([
        [[], [], []],
        [[], [], []],
      ]);
    });

    it('go from a table that is not of the list any more, with their function', async () => {
      await start();
      await on.ensure(['t', 'parts', 'other']);
      const { facts } = await on.ensure(['t']);
      expect(names(facts)).to.deep.equal(['t']);
      await on.writer.query(
        "insert into other values (1); insert into parts values (1, '2024-02-02'); insert into t values (1)",
      );
      expect(await on.lines()).to.deep.equal(['I:  -> (1,)']);
      const { rows } = await on.source.query(
        "select from pg_proc where proname like 'table\\_%' and pronamespace = 'millrace_capture'::regnamespace",
      );
      expect(rows).to.have.length(1);
    });

    it('are not waited for: a table that somebody has locked is told, and tried again', async () => {
      await start();
      await on.writer.query('begin; insert into t values (1)');
      const { locked, added, facts } = await on.ensure(['t', 'other']);
      expect([locked.map(({ name }) => name), added.size]).to.deep.equal([['t'], 1]);
      expect(facts.tables.find(({ name }) => name === 't')?.without).to.deep.equal(['public.t']);
      await on.writer.query('commit');
      expect((await on.ensure(['t', 'other'])).added.size).to.equal(1);
    });

    it('are made and removed whatever advisory locks somebody has taken, by one at a time', async () => {
      await start();
      await on.writer.query("select pg_advisory_lock(hashtextextended('millrace_capture', 0))");
      const both = await Promise.allSettled([on.ensure(['t', 'parts']), on.ensure(['t', 'parts'])]);
      const made = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(made).to.have.length.of.at.least(1);
      expect(made.map(({ refused }) => refused.size)).to.deep.equal(made.map(() => 0));
      await on.ensure(['t', 'parts']);
      expect((await on.ensure(['t', 'parts', 'other'])).added.size).to.equal(1);
      await removeTriggers(on.source);
      const { rows } = await on.source.query("select from pg_trigger where tgname like '!millrace%'");
      expect(rows).to.have.length(0);
    });

    it('stay off where somebody has switched them off, and the facts say so', async () => {
      await start();
      const { facts } = await on.ensure(['t', 'parts']);
      const [parts, t] = facts.tables;
      await admin(
        `alter table t disable trigger "!millrace_${t?.oid}"; alter table parts_1 enable replica trigger "!millrace_${parts?.oid}"`,
      );
      const after = (await on.ensure(['t', 'parts'])).facts.tables;
      expect(after.map(({ not_always, least, row_trigger }) => [not_always, least, row_trigger])).to.deep.equal([
        [['public.parts_1'], 'R', 'A'],
        [['public.t'], 'D', 'D'],
      ]);
      await on.writer.query('insert into t values (1)');
      expect(await on.lines()).to.deep.equal([]);
    });

    it('are there for partitions of later, also for TRUNCATE after the next look', async () => {
      await start();
      await on.ensure(['parts']);
      await admin("create table parts_2 partition of parts for values from ('2025-01-01') to ('2026-01-01')");
      const [now] = (
        await readTriggers(on.source, [
          Number(
            (
              await on.source.query<{ oid: number }>("select 'public.parts'::regclass::oid::bigint as oid")
            ).rows[0]!.oid,
          ),
        ])
      ).tables;
      expect([now?.without, now?.without_truncate, now?.not_always]).to.deep.equal([[], ['public.parts_2'], []]);
      const { added, facts } = await on.ensure(['parts']);
      expect([added.size, facts.tables[0]?.without_truncate]).to.deep.equal([0, []]);
    });

    it('let a table that has one become a partition of another one that has one', async () => {
      await start(`${TABLES} create table coming (at date, gone text, id int); alter table coming drop column gone;`);
      await on.ensure(['parts', 'coming']);
      await admin("alter table parts attach partition coming for values from ('2026-01-01') to ('2027-01-01')");
      await on.writer.query("insert into parts values (7, '2026-05-05')");
      expect((await on.changes()).map((one) => [one.table, one.new])).to.deep.include(['parts', '(2026-05-05,7)']);
      await on.ensure(['parts']);
      await on.writer.query('update parts set id = 8; truncate coming');
      expect((await on.changes()).map((one) => [one.table, one.op, one.new])).to.deep.equal([
        ['parts', 'U', '(2026-05-05,8)'],
        ['parts', 'T', 'public.coming'],
      ]);
      await admin('alter table parts detach partition coming');
      await on.writer.query("insert into coming values ('2026-05-06', 9); truncate coming");
      expect(await on.changes()).to.deep.equal([]);
    });

    it('are made by printed SQL too, twice if need be, for a role that may not', async () => {
      await start();
      await admin("create role modest login password 'x' ; grant usage on schema public to modest");
      try {
        const script = await on.source.transaction(async (tx) => {
          await tx.query('set local role modest');
          const { rows } = await tx.query<{ oid: number; name: string }>(
            "select oid::bigint as oid, relname::text as name from pg_class where relname in ('t', 'parts') and relnamespace = 'public'::regnamespace",
          );
          // biome-ignore lint/suspicious/noExplicitAny: the pool of one transaction
          return await triggersSql(tx as any, { tables: rows.map((row) => ({ ...row, schema: 'public' })) });
        });
        // Whoever runs it may be a superuser, under a path where anybody can make an operator that fits better.
        await admin(
          "create function trap(oid, regnamespace) returns boolean language plpgsql as $$ begin raise 'a trap'; end $$; create operator public.= (leftarg = oid, rightarg = regnamespace, function = trap)",
        );
        await admin(script);
        await admin(script);
        await on.writer.query(
          "insert into t values (1, 'x'); insert into parts values (1, '2024-03-03'); truncate parts",
        );
        expect(await on.lines()).to.deep.equal([
          'I:  -> (1,x)',
          'I:  -> (1,2024-03-03)',
          'T:  -> ',
          'T:  -> public.parts_1',
        ]);
        const { rows } = await on.source.query(
          "select distinct pg_get_userbyid(relowner)::text as owner from pg_class where relnamespace = 'millrace_capture'::regnamespace",
        );
        expect(rows).to.deep.equal([{ owner: 'modest' }]);
      } finally {
        await admin('drop schema if exists millrace_capture cascade; drop owned by modest; drop role modest');
      }
    });

    it('leave nothing behind where their schema is dropped, as the doctor prints it', async () => {
      await start();
      await on.ensure(['t', 'parts']);
      await admin('drop schema millrace_capture cascade');
      const { rows } = await on.source.query(
        "select from pg_trigger where tgname like '!millrace%' union all select from pg_namespace where nspname = 'millrace_capture'",
      );
      expect(rows).to.deep.equal([]);
      await on.writer.query('insert into t values (1)');
    });

    it('write each shape once, and keep no double of one', async () => {
      await start();
      await on.ensure(['t']);
      for (let n = 0; n < 3; n += 1)
        await (await on.connect()).query(`insert into t values (${n}); update t set v = 'x'`);
      await admin('alter table t add column w int');
      for (let n = 3; n < 6; n += 1) await (await on.connect()).query(`insert into t values (${n})`);
      const count = async (): Promise<unknown> =>
        (await on.source.query('select count(*) as rows, count(distinct no) as numbers from millrace_capture.shapes'))
          .rows[0];
      expect(await count()).to.deep.equal({ rows: 4, numbers: 2 });
      await on.ensure(['t']);
      expect(await count()).to.deep.equal({ rows: 2, numbers: 2 });
      await (await on.connect()).query('delete from t');
      expect(await count()).to.deep.equal({ rows: 2, numbers: 2 });
    });

    it('empties partitions that are read, and no other', async () => {
      await start();
      await on.ensure(['t']);
      const now = async (): Promise<string> =>
        (await on.source.query<{ s: string }>('select pg_current_snapshot()::text as s')).rows[0]!.s;
      const emptied = async (snapshot: string): Promise<number[]> =>
        (await truncateRead(on.source, { snapshot })).emptied;
      await on.writer.query('insert into t select g from generate_series(1, 10) g');
      const read = await now();
      expect(await emptied(read)).to.deep.equal([]);
      await on.source.query("select setval('millrace_capture.changes_seq', 65536)");
      const open = await on.connect();
      await open.query('begin; insert into t values (100)');
      await on.source.query("select setval('millrace_capture.changes_seq', 131072)");
      // It holds a row of an open transaction, which may be in a partition whose turn is over.
      expect(await emptied(read)).to.deep.equal([0]);
      await open.query('commit');
      expect(await emptied(read)).to.deep.equal([]);
      // A vacuum has it for as long as it takes: it is not waited for, and is told.
      const everything = await now();
      await on.source.transaction(async (vacuum) => {
        await vacuum.query('lock table millrace_capture.changes_1 in share update exclusive mode');
        expect(await truncateRead(on.source, { snapshot: everything })).to.deep.equal({ emptied: [], locked: [1] });
      });
      expect(await emptied(await now())).to.deep.equal([1]);
      const { rows } = await on.source.query('select from millrace_capture.changes');
      expect(rows).to.deep.equal([]);
      // Its turn lasts for as long as few changes come.
      await on.writer.query("insert into t values (200, repeat('x', 1000))");
      const current = async (currentBytes: number): Promise<number[]> =>
        (await truncateRead(on.source, { snapshot: await now(), currentBytes })).emptied;
      expect(await current(100_000)).to.deep.equal([]);
      expect(await current(1_000)).to.deep.equal([2]);
    });
  });
});
