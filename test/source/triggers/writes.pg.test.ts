/** Whatever somebody writes, and however, is noted as it was; and no write fails or waits for that. */
import { expect } from 'chai';
import { eachMajor } from '../../support/postgres/postgres.ts';
import { type Noted, noted } from './noted.ts';

const PARTS = `create table parts (id int, at date, v text, primary key (id, at)) partition by range (at);
  create table parts_1 partition of parts for values from ('2024-01-01') to ('2025-01-01');
  create table parts_2 (v text, gone int, at date not null, id int not null);
  alter table parts_2 drop column gone;
  alter table parts attach partition parts_2 for values from ('2025-01-01') to ('2026-01-01');`;

describe('writes that triggers note', () => {
  eachMajor((cluster, major) => {
    let on: Noted;
    const start = async (sql: string, tables: readonly string[]): Promise<void> => {
      on = await noted(cluster(), sql);
      await on.ensure(tables);
    };
    afterEach(async () => await on.close());
    const write = async (sql: string): Promise<string[]> => {
      await on.writer.query(sql);
      return await on.lines();
    };
    /** Of each noted row, what its shape says of the columns. */
    const columns = async (): Promise<string[]> => {
      const { rows } = await on.source.query<{ names: string }>(
        `select (select string_agg(c ->> 'name', ',') from jsonb_array_elements(s.columns) c) as names
           from millrace_capture.changes n
           left join lateral (select h.def -> 'columns' as columns from millrace_capture.shapes h where h.no = n.shape limit 1) s on true
          order by n.seq`,
      );
      return rows.map(({ names }) => names);
    };

    it('are noted in every form that SQL has', async () => {
      await start(`create table t (id int primary key, v text, n int generated always as identity); ${PARTS}`, [
        't',
        'parts',
      ]);
      expect(
        await write(
          "insert into t values (1, 'a'), (2, null); update t set v = '' where id = 2; delete from t where id = 1",
        ),
      ).to.deep.equal(['I:  -> (1,a,1)', 'I:  -> (2,,2)', 'U: (2,,2) -> (2,"",2)', 'D: (1,a,1) -> ']);
      expect(
        await write(
          "insert into t values (2, 'b'), (3, 'c') on conflict (id) do update set v = excluded.v; insert into t values (3, 'x') on conflict do nothing",
        ),
      ).to.deep.equal(['U: (2,"",2) -> (2,b,3)'.replace(',3)', ',2)'), 'I:  -> (3,c,4)']);
      expect(
        await write(
          "begin; declare c cursor for select * from t where id = 3 for update; fetch c; update t set v = 'cursor' where current of c; commit",
        ),
      ).to.deep.equal(['U: (3,c,4) -> (3,cursor,4)']);
      expect(
        await write(
          "with gone as (delete from t where id = 3 returning id) insert into t select id + 1, 'cte' from gone",
        ),
      ).to.have.members(['D: (3,cursor,4) -> ', 'I:  -> (4,cte,6)']);
      if (major >= 15)
        expect(
          await write(
            "merge into t using (values (4), (5)) s (id) on s.id = t.id when matched then delete when not matched then insert values (s.id, 'merged')",
          ),
        ).to.have.members(['D: (4,cte,6) -> ', 'I:  -> (5,merged,7)']);
      expect(await write('truncate t')).to.deep.equal(['T:  -> ']);
      expect(
        await write(
          "insert into parts values (1, '2024-05-05', 'x'); update parts set at = '2025-05-05'; update parts_2 set v = 'leaf'; delete from parts",
        ),
      ).to.deep.equal([
        'I:  -> (1,2024-05-05,x)',
        'D: (1,2024-05-05,x) -> ',
        'I:  -> (x,2025-05-05,1)',
        'U: (x,2025-05-05,1) -> (leaf,2025-05-05,1)',
        'D: (leaf,2025-05-05,1) -> ',
      ]);
      expect((await columns()).slice(-3)).to.deep.equal(['v,at,id', 'v,at,id', 'v,at,id']);
    });

    it('roll back with their savepoint, and wait for their commit when they are prepared', async () => {
      await start('create table t (id int primary key)', ['t']);
      expect(
        await write(
          'begin; insert into t values (1); savepoint s; insert into t values (2); rollback to s; insert into t values (3); commit',
        ),
      ).to.deep.equal(['I:  -> (1)', 'I:  -> (3)']);
      await on.writer.query('begin; insert into t values (4); rollback');
      expect(
        await write(
          'do $$ begin insert into t values (5); begin insert into t values (6); raise; exception when others then end; end $$',
        ),
      ).to.deep.equal(['I:  -> (5)']);
      const { rows } = await on.source.query(
        'select count(distinct xid) as xids from millrace_capture.changes where new in ($1, $2)',
        ['(1)', '(3)'],
      );
      expect(rows).to.deep.equal([{ xids: 1 }]);
    });

    it('follow the table as it changes, also in the middle of their transaction', async () => {
      await start('create table t (id int primary key, a int, b text); alter table t owner to writer', ['t']);
      expect(
        await write(`begin; insert into t values (1, 2, 'x'); alter table t add column c int default 7; update t set a = 3;
          alter table t drop column a; update t set b = 'y'; alter table t rename b to bb; savepoint s; alter table t rename c to cc; update t set bb = 'z';
          rollback to s; update t set bb = 'w'; alter table t alter column c type text using 'n' || c; delete from t; commit`),
      ).to.deep.equal([
        'I:  -> (1,2,x)',
        'U: (1,2,x,7) -> (1,3,x,7)',
        'U: (1,x,7) -> (1,y,7)',
        'U: (1,y,7) -> (1,w,7)',
        'D: (1,w,n7) -> ',
      ]);
      expect(await columns()).to.deep.equal(['id,a,b', 'id,a,b,c', 'id,b,c', 'id,bb,c', 'id,bb,c']);
      await on.writer.query(`do $$ begin insert into t values (2, 'x', 'n'); alter table t add column d int; insert into t values (3, 'y', 'n', 4);
        alter table t rename to t_new; insert into t_new values (4); alter table t_new rename to t; end $$`);
      expect(await on.lines()).to.deep.equal(['I:  -> (2,x,n)', 'I:  -> (3,y,n,4)', 'I:  -> (4,,7,)']);
      const { rows } = await on.source.query<{ name: string }>(
        "select h.def ->> 'name' as name from millrace_capture.changes n join millrace_capture.shapes h on h.no = n.shape where n.new = '(4,,7,)'",
      );
      expect(rows[0]?.name).to.equal('t_new');
    });

    it("have the table's present shape in a transaction with an older snapshot", async () => {
      await start(
        'create table t (id int primary key, a text, b text); create table u (); alter table t owner to writer',
        ['t'],
      );
      for (const level of ['repeatable read', 'serializable']) {
        await on.writer.query(`begin isolation level ${level}; select from u`);
        const other = await on.connect();
        await other.query(
          'alter table t rename a to swap; alter table t rename b to a; alter table t rename swap to b; alter table t add column c date',
        );
        await on.writer.query(
          "insert into t (id, a, b) values (1, 'is a', 'is b'); commit; delete from t; alter table t drop column c",
        );
      }
      expect(await columns()).to.deep.equal(['id,b,a,c', 'id,b,a,c', 'id,a,b,c', 'id,a,b,c']);
      expect(await on.lines()).to.deep.equal([
        'I:  -> (1,"is b","is a",)',
        'D: (1,"is b","is a",) -> ',
        'I:  -> (1,"is a","is b",)',
        'D: (1,"is a","is b",) -> ',
      ]);
    });

    it('read the same whatever their session has set', async () => {
      await start(
        `create type pair as (n float8, at timestamptz); create domain amount as money;
         create table t (id int primary key, at timestamptz, d date, i interval, f float8, g float4, b bytea, m amount, r regclass, p pair, ps pair[], z timetz)`,
        ['t'],
      );
      await on.writer.query(`set timezone = 'Asia/Kolkata'; set datestyle = 'German'; set intervalstyle = 'iso_8601'; set extra_float_digits = -10;
        set bytea_output = 'escape'; set lc_monetary = 'C'; set search_path = public, pg_catalog; set quote_all_identifiers = on; set default_transaction_isolation = 'serializable'`);
      const [line] = await write(
        String.raw`insert into t values (1, '2024-01-01 12:00:00+00', '2024-02-03', '1 year 2 days 3.5 s', 0.1::float8 + 0.2, '1e10', '\x00ff', 1234.5, 't', (0.1, '-infinity'), array[(0.30000000000000004, '2024-01-01 12:00:00+00')::pair], '12:00+02')`,
      );
      expect(line).to.equal(
        'I:  -> (1,"2024-01-01 12:00:00+00",2024-02-03,"1 year 2 days 00:00:03.5",0.30000000000000004,1e+10,"\\\\x00ff","$1,234.50",public.t,"(0.1,-infinity)","{""(0.30000000000000004,\\\\""2024-01-01 12:00:00+00\\\\"")""}",12:00:00+02)',
      );
      // All settings but one that are compared are as they are wanted: the usual way.
      await on.writer.query('reset all; set timezone = "Asia/Tokyo"; delete from t');
      expect(await on.lines()).to.deep.equal([line?.replace(/^I: {2}-> (.*)$/, 'D: $1 -> ')]);
      expect((await on.writer.query('show timezone')).rows).to.deep.equal([{ TimeZone: 'Asia/Tokyo' }]);
    });

    it("run nobody else's casts, functions and operators", async () => {
      await start(
        `create schema bad; create type mood as enum ('sad', 'ok'); create table t (id int primary key, m mood); create table trace (who text);
         grant all on schema bad to public; grant all on trace to public`,
        ['t'],
      );
      const admin = await on.connect('superuser');
      const trap = (name: string, args: string, result: string): string =>
        `create function bad.${name}(${args}) returns ${result} language plpgsql as $$ begin raise 'a trap: ${name}'; end $$;`;
      await admin.query(`alter type mood owner to writer; alter table t owner to writer; set role writer;
        ${trap('row_text', 'public.t', 'text')} create cast (public.t as text) with function bad.row_text(public.t) as assignment;
        ${trap('mood_text', 'public.mood', 'text')} create cast (public.mood as text) with function bad.mood_text(public.mood) as implicit;
        ${trap('nextval', 'text', 'bigint')} ${trap('nextval', 'regclass', 'bigint')} ${trap('starts', 'text, text', 'boolean')}
        ${trap('pg_column_size', 'public.t', 'int')} 
        create operator bad.= (leftarg = text, rightarg = text, function = bad.starts); create operator bad.<> (leftarg = text, rightarg = text, function = bad.starts);
        ${trap('substr', 'text, int, int', 'text')} ${trap('current_setting', 'text, boolean', 'text')} ${trap('set_config', 'text, text, boolean', 'text')}
        create table bad.changes (); create domain bad.text as pg_catalog.text check (false); reset role`);
      await on.writer.query('set search_path = bad, public, pg_catalog; create temp table changes (seq bigint)');
      await on.writer.query("insert into public.t values (1, 'ok'); update public.t set m = 'sad'");
      expect(await on.lines()).to.deep.equal(['I:  -> (1,ok)', 'U: (1,ok) -> (1,sad)']);
    });

    it('believe in nothing that a session has set', async () => {
      await start('create table t (id int primary key)', ['t']);
      const { rows } = await on.source.query<{ oid: number }>("select 'public.t'::regclass::oid::bigint as oid");
      const name = `millrace.shape_${rows[0]!.oid}`;
      await on.writer.query('insert into t values (0)');
      const kept = (await on.writer.query('select current_setting($1) as kept', [name])).rows[0].kept as string;
      for (const value of [
        '',
        'x',
        "'",
        kept.slice(0, 36),
        `${kept.slice(0, 36)}abc`,
        `${kept.slice(0, 36)}99999999999999999999`,
        `${kept} `,
        `${kept.slice(0, 36)}-1`,
      ]) {
        await on.writer.query('select set_config($1, $2, false)', [name, value]);
        await on.writer.query(`insert into t select max(id) + 1 from t`);
      }
      // A number of nobody's: a reader finds no shape of it.
      await on.writer.query('select set_config($1, $2, false)', [name, `${kept.slice(0, 36)}1234`]);
      await on.writer.query('insert into t values (100); reset all; insert into t values (101)');
      const shapes = await on.source.query<{ shape: number }>(
        'select shape from millrace_capture.changes order by seq',
      );
      const number = Number(kept.slice(36));
      expect(shapes.rows.map(({ shape }) => shape)).to.deep.equal([...Array(9).fill(number), 1234, number]);
    });

    it('may be switched off in a session, which is told once a transaction', async () => {
      await start('create table t (id int primary key)', ['t']);
      expect(
        await write(
          'set millrace.capture = off; begin; insert into t values (1), (2); update t set id = 3 where id = 2; savepoint s; insert into t values (4); rollback to s; commit; insert into t values (5)',
        ),
      ).to.deep.equal(['X: off -> ', 'X: off -> ']);
      // Nor does it help to say that this was told before.
      await on.writer.query(
        `begin; select set_config('millrace.missed_' || 't'::regclass::oid, pg_current_xact_id() || 'off', false); insert into t values (7); commit`,
      );
      expect(await on.lines()).to.deep.equal(['X: off -> ']);
      expect(await write('set millrace.capture = on; insert into t values (6)')).to.deep.equal(['I:  -> (6)']);
    });

    it('are noted whoever writes, and nobody else can say that a table changed', async () => {
      await start(
        `create table t (id int primary key); alter table t enable row level security; alter table t force row level security; create policy p on t to writer using (id < 5);
         create function put(n int) returns void language sql security definer set search_path = '' as 'insert into public.t values (n)';
         grant execute on function put(int) to public;
         create table mine (id int); alter table mine owner to writer`,
        ['t'],
      );
      expect(
        await write(
          'select put(9); insert into t values (1); set role writer; update t set id = 2; delete from t; reset role',
        ),
      ).to.deep.equal(['I:  -> (9)', 'I:  -> (1)', 'U: (1) -> (2)', 'D: (2) -> ']);
      const { rows } = await on.source.query<{ oid: number }>("select 'public.t'::regclass::oid::bigint as oid");
      await on.writer.query(`create trigger fake after insert or truncate on mine for each statement execute function millrace_capture.table_${rows[0]!.oid}();
        create trigger fake_row after insert on mine for each row execute function millrace_capture.table_${rows[0]!.oid}(); insert into mine values (1); truncate mine`);
      expect(await on.lines()).to.deep.equal([]);
      for (const sql of [
        'insert into millrace_capture.changes (seq, part, rel, op) values (1, 1, 1, null)',
        'table millrace_capture.changes',
        'truncate millrace_capture.shapes',
        'table millrace_capture.reader',
        "select nextval('millrace_capture.changes_seq')",
        'create table millrace_capture.x ()',
      ])
        expect(
          await on.writer.query(sql).then(
            () => 'may',
            (error: { code: string }) => error.code,
          ),
          sql,
        ).to.equal('42501');
      await on.writer.query("select millrace_capture.message('note', 'it''s me')");
      expect(await on.lines()).to.deep.equal(["M: note -> it's me"]);
      await on.writer.query("select millrace_capture.message(repeat('p', 1000000), repeat('x', 1000000))");
      expect(await on.lines()).to.deep.equal([`M: ${'p'.repeat(100)} -> ${'x'.repeat(65_537)}`]);
      const admin = await on.connect('superuser');
      await admin.query('set session_replication_role = replica; insert into t values (3)');
      expect(await on.lines()).to.deep.equal(['I:  -> (3)']);
    });

    it('let another role make partitions of its own table', async () => {
      await start(
        `${PARTS} alter table parts owner to writer; alter table parts_1 owner to writer; alter table parts_2 owner to writer`,
        ['parts'],
      );
      await on.writer.query("create table parts_3 partition of parts for values from ('2026-01-01') to ('2027-01-01')");
      expect(await write("insert into parts values (1, '2026-05-05', 'x')")).to.deep.equal(['I:  -> (1,2026-05-05,x)']);
    });

    it('have every value as it is', async () => {
      await start(
        `create schema elsewhere; create type elsewhere.mood as enum ('it''s, "so"', '(ok)'); create domain elsewhere.short as varchar(5) check (length(value) > 0);
         create type elsewhere.span as range (subtype = numeric); create table nothing ();
         create table t (id int primary key, txt text, m elsewhere.mood, ms elsewhere.mood[], d elsewhere.short, r elsewhere.span, x xml, j json, jb jsonb, f float8, n numeric, i interval,
           at timestamptz, arr text[][], g int generated always as (id * 2) stored, c char(4), u uuid, bits bit(3))`,
        ['t', 'nothing'],
      );
      const admin = await on.connect('superuser');
      await admin.query('grant usage on schema elsewhere to writer; grant all on nothing to writer');
      const { rows } = await admin.query<{ text: string }>("select E'q\" \\\\ \\'\\n,()\\t' as text");
      await on.writer.query(
        "insert into t values (1, $1, 'it''s, \"so\"', '{(ok),\"it''s, \\\"so\\\"\"}', 'five', '[1,2.50)', '<a/>', '{ \"a\" : 1.0}', '{\"b\": null}', 'NaN', '-Infinity'::float8::text::numeric, '-1 mon +2 days', 'infinity', '{{a,NULL},{\"NULL\",\"\"}}', default, 'x', '00000000-0000-0000-0000-000000000001', '101')",
        [rows[0]!.text],
      );
      await on.writer.query('insert into nothing default values; delete from nothing');
      const { rows: same } = await on.source.query<{ same: boolean }>(
        `select exists (select from public.t where textin(record_out(t)) = n.new) as same from millrace_capture.changes n where op = 'I' order by seq limit 1`,
      );
      expect(same).to.deep.equal([{ same: true }]);
      expect((await on.lines()).slice(1)).to.deep.equal(['I:  -> ()', 'D: () -> ']);
    });
  });
});
