/** Tables with keys of every type, read in small pages: each row once, and as an insert would have brought it. */
import { expect } from 'chai';
import { backfilled } from '../support/fixtures/backfilled.ts';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { hasPostgres15, startCluster } from '../support/postgres/postgres.ts';

interface KeyCase {
  name: string;
  /** Of the table, its key among them. */
  columns: string;
  key: string;
  /** Rows, as a select. */
  rows: string;
}

const SCHEMA = `
  create extension citext;
  create extension hstore;
  create type mood as enum ('sad', 'glad', 'so so');
  create domain code as text check (value <> '');
  create type pair as (a int, b text);
  create type stretch as range (subtype = float8);
  create domain feeling as mood;
  create domain couple as pair;
  create domain span as int4range;
  create domain spans as int4multirange;
  create domain reach as stretch;
  create domain feelings as mood[];
  create collation german (provider = icu, locale = 'de-u-kn-true');
  create collation blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
`;

const CASES: KeyCase[] = [
  { name: 'integers', columns: 'k int', key: 'k', rows: 'select generate_series(-20, 20)' },
  {
    name: 'bigints',
    columns: 'k bigint',
    key: 'k',
    rows: 'select 9007199254740993 * n from generate_series(-10, 10) n',
  },
  { name: 'uuids', columns: 'k uuid', key: 'k', rows: 'select md5(n::text)::uuid from generate_series(1, 40) n' },
  { name: 'enums', columns: 'k mood', key: 'k', rows: 'select unnest(enum_range(null::mood))' },
  {
    name: 'inets',
    columns: 'k inet',
    key: 'k',
    rows: `select ('10.' || n % 7 || '.0.0/' || 8 + n % 24)::inet + n from generate_series(1, 40) n union select '::1'`,
  },
  {
    name: 'numerics',
    columns: 'k numeric',
    key: 'k',
    rows: `select n::numeric / 7 from generate_series(-20, 20) n union select v::numeric from
           unnest('{NaN,Infinity,-Infinity,1e40,-1e-40}'::text[]) v`,
  },
  {
    name: 'floats',
    columns: 'k float8',
    key: 'k',
    rows: `select n::float8 / 7 from generate_series(-20, 20) n union select v::float8 from
           unnest('{NaN,Infinity,-Infinity,1e-300}'::text[]) v`,
  },
  {
    name: 'text',
    columns: 'k text',
    key: 'k',
    rows: `select v from unnest(array['', ' ', 'a''b', 'a"b', 'a\\b', '{}', '(,)', 'é', '東京', E'\\n', E'\\t', 'A', 'a', 'B']) v`,
  },
  {
    name: 'text of a collation of its own',
    columns: 'k text collate german',
    key: 'k',
    rows: `select 'n' || n from generate_series(1, 40) n`,
  },
  {
    name: 'text whose case does not count',
    columns: 'k text collate blind',
    key: 'k',
    rows: `select case when n % 2 = 0 then 'K' else 'k' end || n from generate_series(1, 40) n`,
  },
  {
    name: 'citext',
    columns: 'k citext',
    key: 'k',
    rows: `select case when n % 2 = 0 then 'K' else 'k' end || n from generate_series(1, 40) n`,
  },
  {
    name: 'a type whose operators have other names',
    columns: 'a int, k hstore',
    key: 'k, a',
    rows: `select n % 3, hstore('n', n::text) from generate_series(1, 30) n`,
  },
  {
    name: 'hstore alone',
    columns: 'k hstore',
    key: 'k',
    rows: `select hstore('n', n::text) from generate_series(1, 30) n`,
  },
  { name: 'char(n)', columns: 'k char(5)', key: 'k', rows: 'select n::text from generate_series(1, 30) n' },
  {
    name: 'timestamps with zone',
    columns: 'k timestamptz',
    key: 'k',
    rows: `select '2026-03-29 00:59:59.999999+00'::timestamptz + n * interval '0.000001 s' from generate_series(1, 20) n
           union select v::timestamptz from unnest('{infinity,-infinity,4000-01-01 BC}'::text[]) v`,
  },
  { name: 'dates', columns: 'k date', key: 'k', rows: `select date '2026-01-01' + n from generate_series(-20, 20) n` },
  {
    name: 'intervals',
    columns: 'k interval',
    key: 'k',
    rows: `select n * interval '1 day 1 s' from generate_series(-9, 9) n`,
  },
  { name: 'booleans', columns: 'k boolean', key: 'k', rows: 'values (true), (false)' },
  {
    name: 'bytea',
    columns: 'k bytea',
    key: 'k',
    rows: 'select decode(md5(n::text), $$hex$$) from generate_series(1, 30) n',
  },
  { name: 'money', columns: 'k money', key: 'k', rows: 'select n::numeric::money from generate_series(-9, 9) n' },
  {
    name: 'a type of an extension beside one of Postgres',
    columns: 'a int, k citext',
    key: 'a, k',
    rows: `select n % 3, 'Kunde ' || n from generate_series(1, 30) n`,
  },
  { name: 'a domain', columns: 'k code', key: 'k', rows: `select 'c' || n from generate_series(1, 20) n` },
  {
    name: 'a composite',
    columns: 'k pair',
    key: 'k',
    rows: `select row(n % 3, 'x' || n)::pair from generate_series(1, 20) n`,
  },
  { name: 'arrays', columns: 'k int[]', key: 'k', rows: 'select array[n % 3, n] from generate_series(1, 20) n' },
  {
    name: 'ranges',
    columns: 'k int4range',
    key: 'k',
    rows: 'select int4range(n % 3, n + 3) from generate_series(1, 20) n',
  },
  { name: 'a domain of an enum', columns: 'k feeling', key: 'k', rows: 'select unnest(enum_range(null::mood))' },
  {
    name: 'domains of an enum, and of arrays of it, beside another type',
    columns: 'a int, k feeling, ks feelings',
    key: 'k, a, ks',
    rows: `select n, m, array[m, null] from generate_series(1, 9) n, unnest(enum_range(null::mood)) m`,
  },
  {
    name: 'a domain of a composite',
    columns: 'k couple',
    key: 'k',
    rows: `select row(n % 3, 'x' || n)::pair from generate_series(1, 20) n`,
  },
  {
    name: 'domains of ranges',
    columns: 'k span, ks spans, r reach',
    key: 'k, ks, r',
    rows: `select int4range(n % 3, n + 3), int4multirange(int4range(n, n + 1), int4range(40, 41)), stretch(n / 2.0, null)
             from generate_series(1, 20) n`,
  },
  {
    name: 'macaddrs',
    columns: 'k macaddr',
    key: 'k',
    rows: `select ('08002b0102' || lpad(to_hex(n), 2, '0'))::macaddr from generate_series(1, 20) n`,
  },
  {
    name: 'several columns, in an order of their own',
    columns: 'a text, b int, c uuid, d int',
    key: 'd, a, b',
    rows: `select chr(97 + n % 3), n % 5, md5(n::text)::uuid, n % 4 from generate_series(1, 59) n`,
  },
];

describe('a backfill by key', function () {
  this.timeout(120_000);
  let on: Captured;
  let cleanUp: (() => Promise<void>) | undefined;

  afterEach(async () => {
    await on.close();
    await cleanUp?.();
    cleanUp = undefined;
  });

  for (const major of [18, 15] as const) {
    it(`reads every row once, as it is inserted, whatever its key (Postgres ${major})`, async function () {
      if (major === 15 && !hasPostgres15()) return this.skip();
      const cluster = major === 15 ? await startCluster({ major }) : undefined;
      cleanUp = cluster && (() => cluster.stop());
      const tables = CASES.map(
        ({ columns, key }, n) => `create table "T ${n}" (${columns}, note text default 'n', primary key (${key}))`,
      );
      on = await captured(`${SCHEMA}; ${tables.join(';')}`, { page: { rows: 7 }, ...(cluster ? { cluster } : {}) });
      const sinkNo = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      for (const [n, { rows }] of CASES.entries()) await on.source.query(`insert into "T ${n}" ${rows}`);
      const { rows: counted } = await on.source.query<{ n: string }>(
        `select (${CASES.map((_, n) => `(select count(*) from "T ${n}")`).join(' + ')})::text as n`,
      );
      const count = Number(counted[0]!.n);
      const inserted = await on.received(sinkNo, count);
      await on.messages.db.query('delete from millrace_private.messages');
      expect((await backfilled(on.messages.db, `'all'`)).reason).to.equal(
        `one backfill per table, ${CASES.length} in all`,
      );
      const read = await on.received(sinkNo, count);
      const shown = (rows: typeof read) =>
        rows
          .map(({ record, record_pks, group_key, text }) => {
            const { metadata } = JSON.parse(text) as { metadata: { table_name: string } };
            return `${metadata.table_name} ${record_pks} ${group_key} ${record}`;
          })
          .sort();
      expect(read.every(({ action, changes }) => action === 'read' && changes === null)).to.equal(true);
      expect(shown(read)).to.deep.equal(shown(inserted));
    });
  }
});
