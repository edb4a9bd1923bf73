/**
 * A row that was read is byte for byte the one that the stream brought, whatever its types, its table, the settings that role
 * and database have, and the database's encoding.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import pg from 'pg';
import { backfilled } from '../support/fixtures/backfilled.ts';
import { type Captured, type CapturedMessage, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { TYPE_CASES, TYPES_SQL } from '../support/fixtures/type-values.ts';
import { type Cluster, eachMajor, type Major } from '../support/postgres/postgres.ts';

const ROWS = Number(process.env.MILLRACE_SAME_ROWS ?? 40);
const SEED = Number(process.env.MILLRACE_SAME_SEED ?? Date.now() % 2 ** 31);

/** Of the database: each would change the text of values, or what our statements mean. */
const SETTINGS = `do $$ declare setting text; begin
  foreach setting in array array['DateStyle = ''SQL, DMY''', 'IntervalStyle = ''sql_standard''', 'TimeZone = ''Asia/Kolkata''',
    'bytea_output = escape', 'extra_float_digits = -15', 'lc_monetary = ''C''', 'client_encoding = LATIN1',
    'standard_conforming_strings = off', 'array_nulls = off', 'quote_all_identifiers = on', 'search_path = nowhere',
    'xmloption = document', 'xmlbinary = hex', 'enable_indexscan = off'] loop
    execute format('alter database %I set %s', current_database(), setting);
  end loop;
end $$;`;

const publication = (major: Major): string =>
  `create publication millrace_test for all tables with (publish_via_partition_root = true${
    major === 18 ? ', publish_generated_columns = stored' : ''
  });`;

/** A column for each type, and one for a list of it. */
const EVERYTHING = `create table everything (id bigint primary key, ${TYPE_CASES.flatMap(({ type, alone }, n) =>
  alone ? [`c${n} ${type}`] : [`c${n} ${type}`, `list${n} ${type}[]`],
).join(', ')});`;

const TABLES = `
  create schema "Odd ""Schema""";
  create domain "Odd ""Schema""".name as varchar(40);
  create table "Odd ""Schema"""."Tab.le" (
    gone text, "Key Column" "Odd ""Schema""".name, "a.b" integer, also_gone numeric, "with ""quotes""" jsonb, "größe" numeric(30, 10),
    at timestamptz(3), twice numeric generated always as ("größe" * 2) stored, primary key ("Key Column", at));
  alter table "Odd ""Schema"""."Tab.le" drop column gone, drop column also_gone;
  alter table "Odd ""Schema"""."Tab.le" enable row level security;
  create table parts (at date, id uuid, span interval, mood mood, primary key (at, id)) partition by range (at);
  create table parts_old partition of parts for values from (minvalue) to ('2000-01-01');
  create table parts_new (mood mood, span interval, gone int, id uuid not null, at date not null);
  alter table parts_new drop column gone;
  alter table parts attach partition parts_new default;
  create table later (id mood, price money, note text, primary key (id, price));
  insert into later values ('sad', 1, 'was there before its columns');
  alter table later add since timestamp default '0044-03-15 12:00:00.5 BC', add flags bit varying(9) default b'101';`;

/** Reads these tables, all of whose rows have been streamed: each comes again as it came. */
async function sameRows(on: Captured, sink: number, tables: readonly string[]): Promise<void> {
  const streamed = await on.received(sink, 1);
  for (const table of tables) {
    const status = await backfilled(on.messages.db, `'all', ${pg.escapeLiteral(table)}`);
    expect(status).to.include({ state: 'done', reason: null });
  }
  const read = (await on.received(sink, streamed.length * 2)).slice(streamed.length);
  expect(read.every(({ action }) => action === 'read')).to.equal(true);
  expect(shown(read), `MILLRACE_SAME_SEED=${SEED}`).to.deep.equal(shown(streamed));
}

/** In an order of their own: a backfill goes by key. */
const shown = (messages: CapturedMessage[]) =>
  messages
    .map(({ record, record_pks, group_key, unchanged_toast }) => ({ record, record_pks, group_key, unchanged_toast }))
    .toSorted((a, b) => (a.group_key ?? 0) - (b.group_key ?? 0));

function suite(cluster: () => Cluster, major: Major): void {
  for (const settings of ['usual', 'odd'] as const) {
    it(`with the ${settings} settings of the database, as a role without rights beyond what is asked for`, async () => {
      const schema = [TYPES_SQL, EVERYTHING, TABLES, publication(major), settings === 'odd' ? SETTINGS : ''].join('\n');
      const on = await captured(schema, { cluster: cluster(), as: 'plain', page: { rows: 7 } });
      try {
        const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
        on.start();
        await on.streaming();
        await fillEverything(on.source);
        await on.source.query(`
          insert into everything (id) values (9223372036854775807);
          insert into "Odd ""Schema"""."Tab.le" select 'key "' || n || '" \\' || chr(n + 30), n, jsonb_build_object('"', n / 3.0),
            n / 7.0, timestamptz '2026-01-01 00:00:00.1234567Z' - n * interval '700 years' from generate_series(1, 9) n;
          insert into parts select date '2000-01-03' - n, gen_random_uuid(), n * interval '-1 mon 3 days 04:05:06.7',
            (enum_range(null::mood))[n % 6 + 1] from generate_series(-9, 9) n;
          insert into parts values ('infinity', gen_random_uuid()), ('-infinity', gen_random_uuid()), ('0044-03-15 BC', gen_random_uuid());
          update later set note = note;
          insert into later select 'ünï', n * 1000.01, repeat('x' || chr(9), n), 'infinity', null from generate_series(-9, 9) n`);
        await on.received(sink, ROWS + 1 + 9 + 22 + 20);
        await sameRows(on, sink, ['everything', '"Odd ""Schema"""."Tab.le"', 'parts', 'later']);
      } finally {
        await on.close();
      }
    });
  }

  it('in an encoding of their own', async () => {
    const admin = new pg.Client({ connectionString: cluster().adminUrl });
    await admin.connect();
    const name = `latin1_${process.pid}`;
    try {
      await admin.query(`create database ${name} template template0 encoding 'LATIN1' lc_collate 'C' lc_ctype 'C'`);
      const url = new URL(cluster().adminUrl);
      url.pathname = `/${name}`;
      const schema = `create type mood as enum ('größer', 'ÿ');
        create table "Größe" ("clé" text, mood mood, words text[], doc jsonb, primary key ("clé", mood)); ${publication(major)}`;
      const database = { name, url: url.href, drop: async () => undefined };
      const on = await captured(schema, { cluster: cluster(), database, as: 'plain', page: { rows: 7 } });
      try {
        const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
        on.start();
        await on.streaming();
        await on.source.query(`insert into "Größe" select 'é' || chr(n), (enum_range(null::mood))[1 + n % 2],
            array[chr(n), null, '\\' || chr(n)], to_jsonb(chr(n)) from generate_series(1, 255) n`);
        await on.received(sink, 255);
        await sameRows(on, sink, ['"Größe"']);
      } finally {
        await on.close();
      }
    } finally {
      await admin.query(`drop database if exists ${name} with (force)`);
      await admin.end();
    }
  });
}

/** Random values of each type. */
async function fillEverything(source: pg.Client): Promise<void> {
  const values = TYPE_CASES.map(({ texts }) => fc.sample(texts, { numRuns: ROWS, seed: SEED }));
  const columns = TYPE_CASES.flatMap(({ type, make, alone }, n) => {
    const value = `(select ${make ?? `value::${type}`} from (select $${n + 2}::text as value) v)`;
    return alone ? [value] : [value, `array[${value}, null, ${value}]`];
  });
  for (let id = 0; id < ROWS; id++) {
    const texts = values.map((ofType) => ofType[id]);
    await source.query(`insert into everything select $1::bigint, ${columns.join(', ')}`, [id - ROWS / 2, ...texts]);
  }
}

describe('a row that was read is the one that was streamed', function () {
  this.timeout(180_000);
  eachMajor(suite);
});
