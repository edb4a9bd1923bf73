/**
 * Stored generated columns: what the stream brings of them is what the row has, whether the server sends them (from 18 on)
 * or they are computed from the row's own values.
 */
import { expect } from 'chai';
import { backfilled } from '../support/fixtures/backfilled.ts';
import { type Captured, type CapturedMessage, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { byWay } from '../support/postgres/capture-way.ts';
import { eachMajor } from '../support/postgres/postgres.ts';

const TIMING = { checkMs: 150, recheckMs: 100 };
const LONG = 'x'.repeat(9_000);

/** One column of each kind of expression. */
const KINDS = `
  create schema app;
  create type app.mood as enum ('sad', 'it''s ok', 'happy');
  create domain app.email as text check (value like '%@%');
  create collation app.french (provider = icu, locale = 'fr');
  create table kinds (
    id int primary key, "a ""b" int, price numeric(12,4), code text collate "C", name text collate app.french, short varchar(9),
    fixed char(6), at timestamptz, data jsonb, body text, tags text[], mood app.mood, moods app.mood[], mail app.email, raw bytea,
    span interval(3), bits bit(4), during tstzrange, f float8,
    g_double int generated always as ("a ""b" * 2) stored,
    g_tax numeric(10,2) generated always as (price * 1.195) stored,
    g_upper text generated always as (upper(code)) stored,
    g_sorted bool generated always as (name < 'b') stored,
    g_cut varchar(3) generated always as (substr(short, 1, 3)) stored,
    g_fixed char(8) generated always as (fixed || 'x') stored,
    g_day date generated always as ((at at time zone 'Europe/Berlin')::date) stored,
    g_stamp timestamp(0) generated always as (at at time zone 'Europe/Berlin') stored,
    g_json text generated always as (data ->> 'name') stored,
    g_jsonb jsonb generated always as (data -> 'list') stored,
    g_words tsvector generated always as (to_tsvector('english', body)) stored,
    g_first text generated always as (tags[1]) stored,
    g_more text[] generated always as (array_append(tags, 'it''s "me", \\ {}')) stored,
    g_mood app.mood generated always as (coalesce(mood, 'it''s ok')) stored,
    g_is bool generated always as ('happy' = any (moods)) stored,
    g_mail text generated always as (lower(mail)) stored,
    g_raw bytea generated always as (raw || '\\xff00') stored,
    g_span interval generated always as (span * 2) stored,
    g_bits bit(4) generated always as (~ bits) stored,
    g_from timestamptz generated always as (lower(during)) stored,
    g_ratio float8 generated always as (f / 3) stored,
    g_fix int generated always as (42) stored,
    last text);
  alter table kinds alter body set storage external;`;
const ROWS = [
  `1, 7, 1.5, 'straße', 'à', 'abcdef', 'ab', '2026-03-29 00:30+00', '{"name": "n", "list": [1.10, null]}', 'The quick foxes', '{a,"b c"}',
   'sad', '{happy,sad}', 'Me@Example.com', '\\x00ff', '1 mon 2 days', '0101', '[2026-01-01,2026-02-01)', 0.1`,
  `2${', null'.repeat(18)}`,
  `3, -2147483648 / 4, 1234567.8999, '', 'zoë', 'é', 'é', 'infinity', '[]', '${LONG}', '{}', 'it''s ok', '{}', '@', '', '-1 sec', '1111', 'empty', 'NaN'`,
];
const NAMES = `id, "a ""b", price, code, name, short, fixed, at, data, body, tags, mood, moods, mail, raw, span, bits, during, f`;

eachMajor((cluster) => {
  describe('stored generated columns', function () {
    this.timeout(120_000);
    let on: Captured;
    let sink: number;
    const start = async (schema: string, options: Parameters<typeof captured>[1] = {}): Promise<void> => {
      on = await captured(schema, { timing: TIMING, cluster: cluster(), ...options });
      sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
    };
    const leftOut = async () => (await on.notices(sink)).filter(({ code }) => code === 'generated_left_out');
    /** The rows as they are, by id. */
    const stored = async (table: string): Promise<Map<string, unknown>> => {
      const { rows } = await on.source
        .query(`set time zone 'UTC'; select id::text, to_jsonb(t) as row from ${table} t`)
        .then((results) => (Array.isArray(results) ? results.at(-1)! : results));
      return new Map(rows.map(({ id, row }: { id: string; row: unknown }) => [id, row]));
    };
    /** The last image that the stream brought of each row, and what a backfill brings, are what the table has. */
    const agree = async (table: string, changes: number): Promise<CapturedMessage[]> => {
      const streamed = await on.received(sink, changes);
      const rows = await stored(table);
      const read = await backfilled(on.messages.db, `'all', '${table}'`);
      const all = await on.received(sink, changes + read.rows_sent);
      for (const [id, row] of rows) {
        const last = streamed.findLast(({ record_pks: key }) => key === `["${id}"]`);
        expect(JSON.parse(last!.record), `${table} ${id}, streamed`).to.deep.equal(row);
        const again = all.slice(changes).find(({ record_pks: key }) => key === `["${id}"]`);
        expect(again!.record, `${table} ${id}, read`).to.equal(last!.record);
      }
      return streamed;
    };
    afterEach(async () => await on?.close());

    it('of every kind of expression come with inserts, updates and deletes, large values included', async () => {
      await start(KINDS);
      for (const row of ROWS) await on.source.query(`insert into kinds (${NAMES}) values (${row})`);
      await on.source.query(`update kinds set "a ""b" = 8, data = '{"name": "other"}', last = 'z'`);
      await on.source.query(`update kinds set tags = '{q}' where id = 3`);
      await agree('kinds', 7);
      expect(await leftOut()).to.deep.equal([]);
      await on.source.query('delete from kinds');
      const rows = await on.received(sink, 13);
      const keys = rows
        .slice(10)
        .map(({ record, record_pks: key }) => byWay({ replication: record, triggers: `{"id":${JSON.parse(key)}}` }));
      expect(keys).to.deep.equal(['{"id":1}', '{"id":2}', '{"id":3}']);
    });

    it('have their old values with a full identity', async () => {
      await start(`${KINDS} alter table kinds replica identity full`);
      for (const row of ROWS) await on.source.query(`insert into kinds (${NAMES}) values (${row})`);
      const before = await stored('kinds');
      await on.source.query(`update kinds set "a ""b" = 8, f = 1`);
      const streamed = await agree('kinds', 6);
      for (const { changes, record_pks: key } of streamed.slice(3)) {
        const old = before.get(JSON.parse(key)[0]) as Record<string, unknown>;
        const { 'a "b': a, g_double, f, g_ratio } = old;
        expect(JSON.parse(changes!), key).to.deep.equal({ 'a "b': a, f, g_double, g_ratio });
      }
      const last = await stored('kinds');
      await on.source.query('delete from kinds');
      const rows = await on.received(sink, 12);
      for (const { record, record_pks: key } of rows.slice(9))
        expect(JSON.parse(record), key).to.deep.equal(last.get(JSON.parse(key)[0]));
    });

    it('come from partitions, whose columns lie elsewhere', async () => {
      await start(`create table parts (gone int, id int primary key, a int, g int generated always as (a * 10 + id) stored, b text)
        partition by range (id);
        alter table parts drop column gone;
        create table parts_1 partition of parts for values from (0) to (10);
        create table parts_2 (b text, more int, g int generated always as (a * 10 + id) stored, a int, id int not null);
        alter table parts_2 drop column more;
        alter table parts attach partition parts_2 for values from (10) to (20)`);
      await on.source.query(
        `insert into parts values (1, 1), (11, 2); update parts set a = 7; update parts set id = 12 where id = 1`,
      );
      await agree('parts', 6);
      expect(await leftOut()).to.deep.equal([]);
    });

    it('come in their places when columns were added, dropped and renamed since', async () => {
      await start(
        `create table t (a int, g1 int generated always as (a + 1) stored, id int primary key, c int, g2 int generated always as (c + id) stored)`,
      );
      await on.source.query('insert into t values (1, default, 1, 1)');
      await on.received(sink, 1);
      await on.source.query('alter table t rename a to z');
      await on.source.query('alter table t drop column c cascade; alter table t add column e text');
      await on.source.query("insert into t values (2, default, 2, 'e')");
      await on.received(sink, 2);
      await on.source.query(
        "alter table t add g3 text generated always as (e || '!') stored; alter table t rename g1 to one",
      );
      await on.source.query("insert into t values (3, default, 3, 'f'); update t set z = 9");
      const rows = await agree('t', 6);
      expect(rows.slice(0, 3).map(({ record }) => JSON.parse(record))).to.deep.equal([
        { a: 1, g1: 2, id: 1, c: 1, g2: 2 },
        { z: 2, g1: 3, id: 2, e: 'e' },
        { z: 3, one: 4, id: 3, e: 'f', g3: 'f!' },
      ]);
    });
  });
});
