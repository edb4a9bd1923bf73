/** Rows by keys whose types have more to say of a text than that it is malformed: of names, and of what has a syntax. */
import { expect } from 'chai';
import type { PoolClient } from 'pg';
import { valuesOf } from '../../src/backfill/replay/entry-values.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import { inSnapshot } from '../../src/db/snapshot.ts';
import { describeTable } from '../../src/source/describe-table.ts';
import { readRowsOf, readSizesOf } from '../../src/source/rows-by-key.ts';
import { loadTypes } from '../../src/source/types.ts';
import { eachMajor, type TestDatabase } from '../support/postgres/postgres.ts';

/** A key that is there, and texts that are none. */
const KEYS: Record<string, [key: string, ...foreign: string[]]> = {
  regclass: ['public.other', 'public.gone', 'nowhere.t', 'a.b.c', 'a.b.c.d', ''],
  regtype: ['public.mood', 'public.gone'],
  regproc: ['now', 'gone', 'abs'],
  regprocedure: ['abs(integer)', 'gone(integer)', 'abs', 'abs(gone)'],
  regrole: ['pg_monitor', 'gone', 'a.b'],
  regnamespace: ['public', 'gone'],
  regconfig: ['simple', 'gone'],
  tsquery: ["'a' & 'b'", 'a &', '&'],
  hstore: ['"a"=>"1"', 'a', '"=>'],
  'hstore[]': ['{"\\"a\\"=>\\"1\\""}', '{a}', '{'],
};

eachMajor((cluster, major) => {
  describe('rows by key', () => {
    let database: TestDatabase;
    let source: Database;

    before(async () => {
      database = await cluster().createDatabase();
      source = openPool({ address: database.url, max: 1, applicationName: 'test' });
      await source.query(`create extension hstore schema public; create table public.other (); create type public.mood as enum ('sad');
        create publication p for all tables`);
    });
    after(async () => {
      await source?.close();
      await database?.drop();
    });

    for (const [type, [key, ...foreign]] of Object.entries(KEYS))
      it(`of type ${type} are found beside texts that are no such key`, async function () {
        // Before 16 hstore calls it an internal error, as damage is.
        if (type.startsWith('hstore') && major < 16) this.skip();
        const of = type.startsWith('hstore') ? `public.${type}` : type;
        await source.query(`drop table if exists public.kept; create table public.kept (id ${of} primary key, body text);
          insert into public.kept values (${literal(key)}, 'sound')`);
        const table = await describeTable(source, { schema: 'public', name: 'kept', publication: 'p' });
        const keys = [...foreign, key].map((text) => [text]);
        const { rows, alien } = await reading((client) => readRowsOf(client, table, keys));
        expect(rows.map(({ texts }) => texts)).to.deep.equal([[key, 'sound']]);
        expect(alien).to.have.deep.members(foreign.map((text) => [text]));
        expect((await reading((client) => readSizesOf(client, table, keys))).has(foreign.length)).to.equal(true);
        const docs = [...foreign, key].map((text) => JSON.stringify({ id: text }));
        const types = await loadTypes(source, [table.columns[0]!.typeOid]);
        const values = await reading((client) => valuesOf(client, { table, types, indexes: [0] }, docs));
        expect(values.slice(0, -1)).to.deep.equal(foreign.map(() => undefined));
      });

    it('are asked for again where it is the statement that is refused', async () => {
      await source.query('drop table if exists public.kept; create table public.kept (id regclass primary key)');
      const table = await describeTable(source, { schema: 'public', name: 'kept', publication: 'p' });
      await source.query('drop table public.kept');
      const code = await reading((client) => readRowsOf(client, table, [['public.other']])).catch(
        (error: unknown) => (error as { code: string }).code,
      );
      expect(code).to.equal('42P01');
    });

    const reading = <Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> =>
      source.session((client) => inSnapshot(client, {}, () => work(client)));
  });
});

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
