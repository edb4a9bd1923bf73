/** Sessions, rights and statements that are as odd as Postgres lets them be: what they write is noted as anywhere else, and nothing fails for it. */
import { expect } from 'chai';
import type pg from 'pg';
import { eachMajor } from '../../support/postgres/postgres.ts';
import { type Noted, noted } from './noted.ts';

const TABLES = `create type mood as enum ('sad', 'ok'); create domain short as text check (length(value) < 9);
  create table t (id int primary key, v text, at timestamptz, n numeric, m mood, d short, list int[], x xml, g int generated always as (id * 2) stored)`;

/** Each form of writing that has a way of its own through what we made. */
const WRITES = [
  `insert into t values (1, 'it''s ' || chr(92) || ' "a"', '2024-01-01 12:00+00', 1.50, 'ok', 'five', array[1, null], '<a/>')`,
  'insert into t (id) values (2)',
  'update t set v = null where id = 1',
  "begin; insert into t (id, v) values (3, repeat('x', 100000)); savepoint s; delete from t where id = 2; rollback to s; commit",
  'begin isolation level serializable; update t set id = 4 where id = 3; commit',
  'set millrace.capture = off; insert into t values (9); set millrace.capture = on; delete from t where id = 9',
  "insert into t values (1, 'again') on conflict (id) do update set v = excluded.v",
  'do $$ begin for n in 10..12 loop insert into t values (n, n::text); end loop; end $$',
  'truncate t',
];

/** Of the session that writes. */
const SETTINGS = [
  'plan_cache_mode = force_custom_plan',
  'plan_cache_mode = force_generic_plan',
  "plpgsql.extra_errors = 'all'",
  'plpgsql.variable_conflict = use_column',
  'plpgsql.variable_conflict = use_variable',
  'plpgsql.check_asserts = off',
  'standard_conforming_strings = off',
  'array_nulls = off',
  'transform_null_equals = on',
  'row_security = off',
  'jit = on; set jit_above_cost = 0; set jit_inline_above_cost = 0; set jit_optimize_above_cost = 0',
  'enable_seqscan = off; set enable_indexscan = off; set enable_bitmapscan = off',
  'enable_partition_pruning = off',
  'xmloption = document',
  'client_encoding = LATIN1',
  'client_min_messages = debug1',
  'check_function_bodies = off',
  'max_stack_depth = 100',
  "work_mem = '64kB'",
  "search_path = ''; set search_path = public",
  'search_path = public, pg_temp, pg_catalog',
  'lock_timeout = 1',
  'default_transaction_isolation = serializable',
  'default_transaction_deferrable = on',
  'synchronous_commit = off',
  'session_replication_role = replica',
  'session_replication_role = local',
  "lc_numeric = 'C'; set lc_time = 'C'",
  "timezone = 'Asia/Kolkata'; set datestyle = 'German'; set intervalstyle = 'sql_standard'",
  'quote_all_identifiers = on; set extra_float_digits = -15; set bytea_output = escape',
  'join_collapse_limit = 1; set from_collapse_limit = 1',
  'vacuum_freeze_min_age = 0',
];

describe('hostile sessions that triggers note', () => {
  eachMajor((cluster, major) => {
    let on: Noted;
    afterEach(async () => await on.close());
    const written = async (client: pg.Client): Promise<string[]> => {
      for (const sql of WRITES) await client.query(sql);
      return await on.lines();
    };

    it('are noted alike, whatever they have set', async () => {
      on = await noted(cluster(), TABLES);
      await on.ensure(['t']);
      const usual = await written(on.writer);
      expect(usual).to.have.length(12);
      const parallel = `${major >= 16 ? 'debug_parallel_query' : 'force_parallel_mode'} = on`;
      for (const setting of [...SETTINGS, parallel]) {
        const client = await on.connect('superuser');
        await client.query(`set ${setting}`);
        expect(await written(client), setting).to.deep.equal(usual);
        await client.end();
      }
    });

    it('need no right but that to write', async () => {
      on = await noted(
        cluster(),
        `create table t (id int primary key, v text, hidden text); revoke all on t from writer; grant insert (id, v), update (v) on t to writer;
         create table gone (id int primary key); revoke all on gone from writer; grant delete on gone to writer; insert into gone values (1), (2)`,
      );
      await on.ensure(['t', 'gone']);
      const admin = await on.connect('superuser');
      for (const sql of [
        'revoke all on schema millrace_capture from public',
        'revoke all on all functions in schema millrace_capture from public',
        'revoke all on schema public from public',
      ])
        await admin.query(sql);
      const fresh = await on.connect();
      await fresh.query(
        "insert into public.t (id, v) values (1, 'a'); update public.t set v = 'b'; delete from public.gone",
      );
      expect(await on.lines()).to.deep.equal(['I:  -> (1,a,)', 'U: (1,a,) -> (1,b,)', 'D: (1) -> ', 'D: (2) -> ']);
    });

    it('may change types and tables in the middle of what they write', async () => {
      on = await noted(cluster(), `${TABLES}; alter table t owner to writer; alter type mood owner to writer`);
      await on.ensure(['t']);
      await on.writer.query(`begin; insert into t (id, m) values (1, 'ok'); alter type mood rename value 'ok' to 'fine'; update t set v = 'x';
        alter table t alter column v type varchar(5); update t set v = 'y'; alter table t drop column x; delete from t; commit`);
      await on.writer.query("alter type mood add value 'new'; insert into t (id) values (2)");
      await on.writer.query("update t set m = 'new'");
      expect(await on.lines()).to.deep.equal([
        'I:  -> (1,,,,ok,,,,2)',
        'U: (1,,,,fine,,,,2) -> (1,x,,,fine,,,,2)',
        'U: (1,x,,,fine,,,,2) -> (1,y,,,fine,,,,2)',
        'D: (1,y,,,fine,,,2) -> ',
        'I:  -> (2,,,,,,,4)',
        'U: (2,,,,,,,4) -> (2,,,,new,,,4)',
      ]);
    });

    it('may freeze what they copy, cascade, and move partitions', async () => {
      on = await noted(
        cluster(),
        `create table parent (id int primary key); create table child (id int primary key, parent int references parent);
         create table parts (id int primary key, v text) partition by list (id); create table parts_1 partition of parts for values in (1);
         create table apart (id int primary key, v text); alter table parts owner to writer; alter table parts_1 owner to writer; alter table apart owner to writer;
         alter table parent owner to writer; alter table child owner to writer;
         create view shown as select id from parent where id < 5 with check option;
         create view instead as select id from parent; grant all on shown, instead to writer;
         create function put() returns trigger language plpgsql as $$ begin insert into public.parent values (new.id); return new; end $$;
         create trigger put instead of insert on instead for each row execute function put()`,
      );
      await on.ensure(['parent', 'child', 'parts', 'apart']);
      const write = async (sql: string): Promise<string[]> => {
        await on.writer.query(sql);
        return await on.lines();
      };
      expect(
        await write('insert into shown values (1); insert into instead values (2); insert into child values (1, 1)'),
      ).to.deep.equal(['I:  -> (1)', 'I:  -> (2)', 'I:  -> (1,1)']);
      expect((await write('truncate parent cascade')).toSorted()).to.deep.equal(['T:  -> ', 'T:  -> ']);
      expect(
        await write(
          "insert into parts values (1, 'a'); alter table parts detach partition parts_1; update parts_1 set v = 'b'; truncate parts_1; insert into apart values (2, 'c')",
        ),
      ).to.deep.equal(['I:  -> (1,a)', 'I:  -> (2,c)']);
      expect(
        await write(
          "alter table parts attach partition apart for values in (2); update parts set v = 'd'; update apart set v = 'e'; drop table parts_1",
        ),
      ).to.have.members(['U: (2,c) -> (2,d)', 'U: (2,c) -> (2,d)', 'U: (2,d) -> (2,e)', 'U: (2,d) -> (2,e)']);
      const admin = await on.connect('superuser');
      const { rows } = await admin.query<{ dir: string }>("select current_setting('data_directory') as dir");
      await admin.query(`copy (select g from generate_series(1, 3) g) to '${rows[0]!.dir}/frozen'`);
      await admin.query(
        `begin; truncate parent cascade; copy parent from '${rows[0]!.dir}/frozen' with (freeze); commit`,
      );
      expect((await on.lines()).filter((line) => line.startsWith('I'))).to.deep.equal([
        'I:  -> (1)',
        'I:  -> (2)',
        'I:  -> (3)',
      ]);
    });
  });
});
