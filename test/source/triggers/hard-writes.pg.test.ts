/** Writes that are large, nested, concurrent or odd: none fails, and none waits, for what we note of it. */
import { expect } from 'chai';
import type pg from 'pg';
import type { Wanted } from '../../../src/source/triggers/noting.ts';
import { damageFirstLargeValue } from '../../support/postgres/damage.ts';
import { type Cluster, eachMajor, execute } from '../../support/postgres/postgres.ts';
import { type Noted, noted } from './noted.ts';

describe('hard writes that triggers note', () => {
  eachMajor((cluster, major) => {
    let on: Noted;
    const start = async (
      sql: string,
      tables: readonly string[],
      options: Omit<Wanted, 'tables'> = {},
    ): Promise<void> => {
      on = await noted(cluster(), sql);
      await on.ensure(tables, options);
    };
    afterEach(async () => await on.close());
    const write = async (sql: string): Promise<string[]> => {
      await on.writer.query(sql);
      return await on.lines();
    };
    const inTwo = async (level: string): Promise<[pg.Client, pg.Client]> => {
      const two: [pg.Client, pg.Client] = [await on.connect(), await on.connect()];
      for (const one of two) await one.query(`begin isolation level ${level}`);
      return two;
    };

    it('have their key alone where the row is too large, however it is stored', async () => {
      await start(
        `create table t (id int, gone int, b bytea, name text, a text, primary key (name, id)); alter table t drop column gone;
         create table keyless (v text); alter table t alter column b set storage external`,
        ['t', 'keyless'],
        { mostBytes: 1_000_000 },
      );
      // 600 kB of bytes are 1.2 MB of text; 5 MB of one letter are some kB where they are stored.
      const lines =
        await write(`insert into t values (1, repeat('ab', 300000)::bytea, 'k''1', 'x'); update t set a = 'y'; update t set b = null; delete from t;
        insert into t values (2, null, 'k', repeat('x', 5000000)); update t set b = 'b'; insert into keyless values (repeat('x', 5000000)); delete from keyless;
        insert into t values (3, null, 'k', repeat('x', 100000))`);
      expect(lines.map((line) => line.slice(0, 30))).to.deep.equal([
        "i:  -> (1,,k'1,)",
        "u: (1,,k'1,) -> (1,,k'1,)",
        "u: (1,,k'1,) -> (1,,k'1,)",
        "D: (1,,k'1,y) -> ",
        'i:  -> (2,,k,)',
        'u: (2,,k,) -> (2,,k,)',
        'i:  -> ()',
        'd: () -> ',
        `I:  -> (3,,k,${'x'.repeat(17)}`,
      ]);
    });

    it('have their key alone where no text can be made of a large row', async () => {
      await start("create type mood as enum ('ok'); create table t (id int primary key, m mood, v text)", ['t']);
      const admin = await on.connect('superuser');
      await admin.query("insert into t values (1, 'ok', null)");
      // As more than 1 GB of text would, this has the output function fail.
      await admin.query('delete from pg_enum');
      await on.lines();
      expect(await write("update t set v = repeat(md5('x'), 300000)")).to.deep.equal(['u: (1,,) -> (1,,)']);
    });

    it('do not fail one another where they are serializable', async () => {
      await start('create table a (id int primary key); create table b (id int primary key)', ['a', 'b']);
      const alter = await on.connect('superuser');
      await alter.query(
        'alter table a add column v int; alter table b add column v int; insert into a values (0); insert into b values (0)',
      );
      // Both note shapes that nobody knows yet, and both write both tables.
      const [one, other] = await inTwo('serializable');
      await one.query('insert into a values (1)');
      await other.query('insert into b values (2)');
      await one.query('insert into b values (1)');
      await other.query('insert into a values (2)');
      await one.query('commit');
      await other.query('commit');
      const [third, fourth] = await inTwo('serializable');
      await third.query('insert into a values (3); insert into b values (3)');
      await fourth.query('insert into a values (4); insert into b values (4)');
      await third.query('commit');
      await fourth.query('commit');
      const { rows } = await on.source.query<{ shapes: number }>(
        'select count(distinct shape) as shapes from millrace_capture.changes',
      );
      expect(rows[0]!.shapes).to.equal(2);
    });

    it('wait for nobody whose transaction is open', async () => {
      await start('create table t (id int primary key)', ['t']);
      const admin = await on.connect('superuser');
      await admin.query('alter table t add column v int');
      const [one, other] = await inTwo('read committed');
      await one.query('insert into t values (1)');
      await other.query(
        "set local statement_timeout = '60s'; set local lock_timeout = '1ms'; insert into t values (2); commit",
      );
      expect(await on.lines()).to.deep.equal(['I:  -> (2,)']);
      await one.query('rollback');
    });

    it('are noted once each where triggers, keys and rules of the user write more', async () => {
      await start(
        `create table t (id int primary key, v int); create table child (id int primary key, t int references t on delete cascade on update cascade);
         create table audit (id serial primary key, what text);
         create function again() returns trigger language plpgsql as $$ begin if pg_trigger_depth() = 1 then update public.t set v = v + 10 where id = new.id; end if; return null; end $$;
         create trigger again after update of v on t for each row when (new.v < 10) execute function again();
         create function late() returns trigger language plpgsql as $$ begin insert into public.audit (what) values (tg_op || new.id); return null; end $$;
         create constraint trigger late after insert on t deferrable initially deferred for each row execute function late();
         create function no() returns trigger language plpgsql as $$ begin if new.v = 99 then return null; end if; new.v := coalesce(new.v, 7); return new; end $$;
         create trigger no before insert on t for each row execute function no(); create view shown as select * from t;
         create rule noted as on delete to audit do also insert into audit (what) values ('deleted')`,
        ['t', 'child', 'audit'],
      );
      expect(
        await write(
          'begin; insert into t values (1, 1), (2, null), (3, 99); insert into child values (1, 1); select 1; commit',
        ),
      ).to.deep.equal(['I:  -> (1,1)', 'I:  -> (2,7)', 'I:  -> (1,1)', 'I:  -> (1,INSERT1)', 'I:  -> (2,INSERT2)']);
      const nested = await write('update t set v = 5 where id < 3');
      expect(nested).to.have.members([
        'U: (1,1) -> (1,5)',
        'U: (1,5) -> (1,15)',
        'U: (2,7) -> (2,5)',
        'U: (2,5) -> (2,15)',
      ]);
      expect(
        await write(
          'update t set id = 10 where id = 1; delete from shown where id = 10; delete from audit where id = 1',
        ),
      ).to.deep.equal([
        'U: (1,15) -> (10,15)',
        'U: (1,1) -> (1,10)',
        'D: (10,15) -> ',
        'D: (1,10) -> ',
        'I:  -> (3,deleted)',
        'D: (1,INSERT1) -> ',
      ]);
    });

    it('have columns without limit, and generated ones', async () => {
      const many = Array.from({ length: 1_600 }, (_, n) => `c${n} int`).join(', ');
      const virtual = major >= 18 ? ', g int generated always as (id + 1) virtual' : '';
      await start(
        `create table wide (${many}); create table g (id int primary key, s int generated always as (id * 2) stored${virtual}, last text)`,
        ['wide', 'g'],
      );
      expect(
        await write(
          "insert into wide (c0, c1599) values (1, 2); insert into g (id, last) values (1, 'x'); update g set id = 2",
        ),
      ).to.deep.equal([
        `I:  -> (1${','.repeat(1_599)}2)`,
        major >= 18 ? 'I:  -> (1,2,,x)' : 'I:  -> (1,2,x)',
        major >= 18 ? 'U: (1,2,,x) -> (2,4,,x)' : 'U: (1,2,x) -> (2,4,x)',
      ]);
      const { rows } = await on.source.query<{ virtual: boolean[] }>(
        `select array(select (c ->> 'virtual')::boolean from jsonb_array_elements(h.def -> 'columns') c) as virtual
           from millrace_capture.shapes h where h.def ->> 'name' = 'g' limit 1`,
      );
      expect(rows[0]?.virtual).to.deep.equal(major >= 18 ? [false, false, true, false] : [false, false, false]);
    });

    it('of children by inheritance are those of the children, and temporary tables are nobody else', async () => {
      await start('create table parent (id int primary key); create table child (v text) inherits (parent)', [
        'parent',
        'child',
      ]);
      await on.writer.query(
        "insert into child values (1, 'x'); update parent set id = 2; create temp table parent (id int); insert into pg_temp.parent values (1)",
      );
      expect((await on.changes()).map(({ table, op, new: after }) => [table, op, after])).to.deep.equal([
        ['child', 'I', '(1,x)'],
        ['child', 'U', '(2,x)'],
      ]);
    });

    it('go on without being noted where they cannot be and that is asked for', async () => {
      await start('create table t (id int primary key)', ['t'], { onError: 'skip' });
      const admin = await on.connect('superuser');
      await admin.query(
        "create function public.refuse() returns trigger language plpgsql as $$ begin if new.op = 'I' then raise 'no room' using errcode = '53100'; end if; return new; end $$; create trigger refuse before insert on millrace_capture.changes_0 for each row execute function public.refuse()",
      );
      expect(
        await write(
          'begin; insert into t values (1); insert into t values (2); update t set id = 3 where id = 1; commit',
        ),
      ).to.deep.equal(['X: error -> 53100', 'U: (1) -> (3)']);
      await admin.query(
        "create or replace function public.refuse() returns trigger language plpgsql as $$ begin raise 'no room at all' using errcode = '53100'; end $$",
      );
      expect(await write('insert into t values (4)')).to.deep.equal([]);
      await on.ensure(['t'], { onError: 'fail' });
      expect(await on.writer.query('insert into t values (5)').catch((error: { code: string }) => error.code)).to.equal(
        '53100',
      );
    });

    it('go on where a value is damaged, and that is asked for', async () => {
      await start(
        'create table t (id int primary key, n int, v text); create table u (v text); alter table t alter v set storage external',
        ['t'],
        { onError: 'skip' },
      );
      const admin = await on.connect('superuser');
      await admin.query(`insert into t values (1, 1, repeat('x', 10000));
        update pg_class set relfilenode = pg_relation_filenode((select reltoastrelid from pg_class where relname = 'u'))
         where oid = (select reltoastrelid from pg_class where relname = 't')`);
      await on.lines();
      expect((await write('update t set n = 2')).join()).to.match(/^X: error -> \w{5}$/);
      expect((await on.writer.query('select n from t')).rows).to.deep.equal([{ n: 2 }]);
    });

    it('go on where a value is damaged, in a session that has noting switched off', async () => {
      await start('create table t (id int primary key, v text); alter table t alter v set storage external', ['t']);
      const admin = await on.connect('superuser');
      await admin.query("insert into t values (1, repeat('x', 10000))");
      await damageFirstLargeValue(admin, 't');
      await on.lines();
      for (const session of [on.writer, await on.connect()]) {
        const failure = await session.query('delete from t').catch((error: Error) => error.message);
        expect(failure).to.match(/^missing chunk/);
      }
      for (const session of [on.writer, await on.connect()]) {
        await session.query('set millrace.capture = off');
        await session.query('begin; delete from t; rollback');
      }
      expect(await write('delete from t')).to.deep.equal(['X: off -> ']);
    });

    it('of a copy and of many rows come in their order', async () => {
      await start('create table t (id int primary key)', ['t']);
      await on.writer.query('insert into t select g from generate_series(1, 2000) g; update t set id = -id');
      const changes = await on.changes();
      expect(changes.map(({ new: after }) => after)).to.deep.equal([
        ...Array.from({ length: 2_000 }, (_, n) => `(${n + 1})`),
        ...Array.from({ length: 2_000 }, (_, n) => `(${-n - 1})`),
      ]);
    });

    it('succeed in databases of any encoding, with bytes of none', async () => {
      for (const [encoding, bytes] of [
        ['SQL_ASCII', 'e9ff'],
        ['LATIN1', 'e9'],
      ] as const) {
        const admin = await cluster().createDatabase();
        const name = `${admin.name}_x`;
        await admin.drop();
        on = await noted(
          { ...cluster(), createDatabase: async () => await encoded(cluster(), name, encoding) },
          'create table ta (id int primary key, v text)',
        );
        await on.ensure(['ta']);
        await on.writer.query(`insert into ta select 1, convert_from(decode('${bytes}', 'hex'), '${encoding}')`);
        const { rows } = await on.source.query<{ same: boolean }>(
          'select n.new = textin(record_out(t)) as same from millrace_capture.changes n cross join public.ta t',
        );
        expect(rows, encoding).to.deep.equal([{ same: true }]);
        if (encoding === 'SQL_ASCII') await on.close();
      }
    });
  });
});

async function encoded(cluster: Cluster, name: string, encoding: string) {
  await execute(
    cluster.adminUrl,
    `create database ${name} encoding '${encoding}' lc_collate 'C' lc_ctype 'C' template template0`,
  );
  const url = new URL(cluster.adminUrl);
  url.pathname = `/${name}`;
  return {
    name,
    url: url.href,
    drop: async () => await execute(cluster.adminUrl, `drop database ${name} with (force)`),
  };
}
