/**
 * Keys of types that belong to other roles: whatever casts and operators those have planted, a text becomes a value by the
 * type's input function, and nothing of theirs runs with our rights.
 */
import { expect } from 'chai';
import pg from 'pg';
import { valuesOf } from '../../src/backfill/replay/entry-values.ts';
import type { Tuple } from '../../src/codec/tuple.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import { inSnapshot } from '../../src/db/snapshot.ts';
import { describeTable, type TableDescription } from '../../src/source/describe-table.ts';
import { readPage } from '../../src/source/read-page.ts';
import { readRowsOf, readSizesOf } from '../../src/source/rows-by-key.ts';
import { loadTypes } from '../../src/source/types.ts';
import { eachMajor } from '../support/postgres/postgres.ts';

/** Mallory owns the types and may create in the schema of the extension, whose operators here are those of an enum. */
const TYPES = `
  drop role if exists mallory; create role mallory nologin;
  create schema ext; grant all on schema ext to mallory;
  create type ext.level as enum ('low', 'high');
  create function ext.compared(ext.level, ext.level) returns pg_catalog.int4 language internal immutable strict as 'enum_cmp';
  ${[
    ['<', 'lt'],
    ['<=', 'le'],
    ['=', 'eq'],
    ['>=', 'ge'],
    ['>', 'gt'],
  ]
    .map(
      ([name, code]) => `
  create function ext.${code}(ext.level, ext.level) returns pg_catalog.bool language internal immutable strict as 'enum_${code}';
  create operator ext.${name} (leftarg = ext.level, rightarg = ext.level, function = ext.${code});`,
    )
    .join('')}
  create operator class ext.level_ops default for type ext.level using btree as
    operator 1 ext.<, operator 2 ext.<=, operator 3 ext.=, operator 4 ext.>=, operator 5 ext.>,
    function 1 ext.compared(ext.level, ext.level);
  create schema app; grant all on schema app to mallory;
  set role mallory;
  create type app.mood as enum ('sad', 'ok');
  create type app.pair as (a pg_catalog.int4, b pg_catalog.text);
  create type app.span as range (subtype = pg_catalog.int4);
  create domain app.grade as ext.level;
  create domain app.doc as pg_catalog.jsonb;`;
const TABLE = `
  create table app.kept (mood app.mood, pair app.pair, span app.span, moods app.mood[], grade app.grade, doc app.doc,
    level ext.level, n pg_catalog.int4, body pg_catalog.text,
    primary key (mood, pair, span, moods, grade, doc, level, n));
  insert into app.kept select 'ok', '(1,"x,y")', '[1,2)', '{sad,ok}', 'low', '{"a": "b"}', 'high', n, 'sound'
    from pg_catalog.generate_series(1, 5) n;`;
const PLANTED = [
  ...['app.mood', 'app.pair', 'app.span', 'app.mood[]'].flatMap((type, n) =>
    [
      ...['text', 'varchar', 'name', 'json', 'jsonb'].map((from) => [from, type, from === 'text' ? 'as implicit' : '']),
      ...['json', 'jsonb', 'text'].map((to) => [type, to, '']),
      [type, 'varchar', 'as implicit'],
    ].map(
      ([from, to, how], m) => `
  create function app.cast_${n}_${m}(${from}) returns ${to} language plpgsql immutable as $$ begin raise 'a cast ran'; end $$;
  create cast (${from} as ${to}) with function app.cast_${n}_${m}(${from}) ${how};`,
    ),
  ),
  ...['=', '>=', '>'].map(
    (name, n) => `
  create function app.operator_${n}(app.grade, ext.level) returns pg_catalog.bool language plpgsql as
    $$ begin raise 'an operator ran'; end $$;
  create operator ext.${name} (leftarg = app.grade, rightarg = ext.level, function = app.operator_${n});`,
  ),
].join('');
const KEY = ['ok', '(1,"x,y")', '[1,2)', '{sad,ok}', 'low', '{"a": "b"}', 'high'];
const keyOf = (n: number): string[] => [...KEY, String(n)];
const BUDGET = { rows: 2, bytes: 1_000_000, ms: 60_000, step: 10, maxRowBytes: 1_000_000 };

const textsOf = ({ bytes, ranges }: Tuple): string[] =>
  Array.from({ length: ranges.length / 2 }, (_, n) => bytes.toString('utf8', ranges[n * 2], ranges[n * 2 + 1]));

eachMajor((cluster) => {
  describe('keys of types that have planted casts', function () {
    this.timeout(120_000);

    const as = async (address: string, ...statements: string[]): Promise<void> => {
      const client = new pg.Client({ connectionString: address });
      await client.connect();
      try {
        for (const statement of statements) await client.query(statement);
      } finally {
        await client.end();
      }
    };
    const within = async (encoding: string, test: (on: Database, table: TableDescription) => Promise<void>) => {
      const name = `given_keys_${encoding.toLowerCase()}`;
      const address = new URL(cluster().adminUrl);
      address.pathname = `/${name}`;
      await as(cluster().adminUrl, `create database ${name} encoding '${encoding}' locale 'C' template template0`);
      await as(address.href, TYPES, TABLE, PLANTED, 'reset role', 'create publication p for all tables');
      const on = openPool({ address: address.href, max: 1, applicationName: 'test' });
      try {
        await test(on, await describeTable(on, { schema: 'app', name: 'kept', publication: 'p' }));
      } finally {
        await on.close();
        await as(cluster().adminUrl, `drop database ${name}`, 'drop role mallory');
      }
    };
    const reading = <Result>(on: Database, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> =>
      on.session((client) => inSnapshot(client, {}, () => work(client)));

    for (const [encoding, body] of [
      ['UTF8', 'sound'],
      // Has a byte that is no character, so rows and keys are asked for as they are stored.
      ['WIN1252', '\u0081'],
    ] as const) {
      it(`rows in ${encoding} are read by pages and by key`, async () => {
        await within(encoding, async (on, table) => {
          if (body !== 'sound') await on.query("update app.kept set body = convert_from('\\x81'::bytea, 'WIN1252')");
          const deps = { now: () => 0 };
          const read = (client: pg.PoolClient, n: number, from?: string) =>
            readPage({ ...deps, client }, { table, sort: undefined, after: keyOf(n), from }, BUDGET);
          const page = await reading(on, (client) => read(client, 2));
          expect([...page.rows].map(({ tuple }) => textsOf(tuple))).to.deep.equal([
            [...keyOf(3), body],
            [...keyOf(4), body],
          ]);
          expect(page.last).to.deep.equal(keyOf(4));
          const sort = table.columns.find(({ name }) => name === 'grade');
          const sorted = await reading(on, (client) =>
            readPage({ ...deps, client }, { table, sort, after: undefined, from: 'low' }, BUDGET),
          );
          expect(sorted.rows).to.have.length(2);
          const keys = [keyOf(5), keyOf(9), ['no mood', ...KEY.slice(1), '1'], keyOf(1)];
          const { rows, alien } = await reading(on, (client) => readRowsOf(client, table, keys));
          expect(rows.map(({ texts }) => texts)).to.have.deep.members([
            [...keyOf(5), body],
            [...keyOf(1), body],
          ]);
          expect(alien).to.deep.equal([keys[2]]);
          const sizes = await reading(on, (client) => readSizesOf(client, table, [keyOf(5), keyOf(9)]));
          expect([...sizes.keys()]).to.deep.equal([0]);
        });
      });
    }

    it('values of a kept record are read', async () => {
      await within('UTF8', async (on, table) => {
        const record = {
          mood: 'ok',
          pair: { a: 1, b: 'x,y' },
          span: '[1,2)',
          moods: ['sad', 'ok'],
          grade: 'low',
          level: 'high',
        };
        const indexes = [0, 1, 2, 3, 4, 6];
        const types = await loadTypes(
          on,
          table.columns.map(({ typeOid }) => typeOid),
        );
        const asked = { table, types, indexes };
        const [values] = await reading(on, (client) => valuesOf(client, asked, [JSON.stringify(record)]));
        expect(indexes.map((index) => values?.get(index))).to.deep.equal([...KEY.slice(0, 5), 'high']);
      });
    });
  });
});
