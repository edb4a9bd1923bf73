/** Tables of a source over HTTP: pages of them, the shape of one, its rows, and the publication brought up to date. */
import { expect } from 'chai';
import pg from 'pg';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { sharedSource, type TestDatabase } from '../support/postgres/postgres.ts';
import { type Reply, type TestWeb, testWeb } from '../support/processes/web.ts';

const SCHEMA = `
create schema sales;
create type mood as enum ('sad', 'a "happy" one');
create domain price as numeric(10, 2);
create type address as (street text, zip int);
create table orders (id bigint, part int, total price not null, at timestamptz, tags text[], payload jsonb, feels mood,
                     home address, "a.b ""c""" text, twice numeric generated always as (total * 2) stored, primary key (part, id));
insert into orders (id, part, total, at, tags, payload, feels, home)
  select 9007199254740990 + n, 1, n + 0.50, '2026-01-31 12:00+01', '{x,null}', '{"n": 1.10}', 'sad', row('High', n)::address
    from generate_series(1, 12) n;
create table no_key (x int);
insert into no_key values (1);
create table sales."we.ird ""<img>" (id int primary key);
create table measures (at date, id int, primary key (at, id)) partition by range (at);
create table measures_1 partition of measures for values from ('2026-01-01') to ('2027-01-01');
create view seen as select 1 as one;
create materialized view summed as select count(*) from orders;
create unlogged table scratch (id int primary key);
create foreign data wrapper nothing;
create server elsewhere foreign data wrapper nothing;
create foreign table sales.remote (id int) server elsewhere;
analyze;
create publication kept for table orders;
comment on publication kept is 'kept by millrace';
`;

describe('api: tables of a source', () => {
  let m: MessageDatabase;
  let source: TestDatabase;
  let client: pg.Client;
  let web: TestWeb;

  before(async () => {
    m = await messageDatabase();
    source = await (await sharedSource()).createDatabase();
    client = new pg.Client(source.url);
    await client.connect();
    await client.query(SCHEMA);
    const text = `databases:
  - { name: shop, url: '${source.url}', slot: { name: s }, publication: { name: kept }, annotations: { team: a } }
  - { name: fresh, url: '${source.url}', slot: { name: f }, publication: { name: f, create_if_not_exists: true } }
  - { name: away, url: 'postgres://u:hunter22@127.0.0.1:1/d', slot: { name: b }, publication: { name: b } }
sinks:
  - { name: all, database: shop, destination: { type: pull } }
  - { name: few, database: shop, source: { include_tables: [orders] }, destination: { type: pull } }
`;
    await applyConfig({ db: m.db, keys: KEYS }, parse(text).config);
    web = await testWeb({ db: m.db }, { keepHealthMs: 0 });
  });
  after(async () => {
    await web?.close();
    await client?.end();
    await source?.drop();
    await m?.drop();
  });
  const get = async (at: string, token = 'read-token'): Promise<Reply> =>
    await web.call('GET', `/api/postgres_databases/${at}`, { token });
  const named = ({ json }: Reply): string[] => json.data.map((one: { name: string }) => one.name);

  it('are listed with key, identity, publication, size and the sinks that take them in; partitions are not', async () => {
    const reply = await get('shop/tables');
    expect(reply.status, reply.text).to.equal(200);
    expect(named(reply)).to.deep.equal(['measures', 'no_key', 'orders', 'scratch', 'remote', 'we.ird "<img>']);
    expect(reply.json.data[2]).to.deep.include({
      ...{ schema: 'public', partitioned: false, identity: 'default', key: ['part', 'id'], published: true },
      ...{ estimated_rows: 12, sinks: ['all', 'few'] },
    });
    expect(reply.json.data[2].size_bytes).to.be.greaterThan(0);
    expect(reply.json.data[2]).to.not.have.keys('columns');
    expect(reply.json.data[0]).to.include({ partitioned: true, published: false });
    expect(reply.json.data[1]).to.deep.include({ key: [], sinks: ['all'] });
  });

  it('have rows that a function is tried on, every digit as it is', async () => {
    const body = { type: 'path', path: 'record.id', on: { rows: { database: 'shop', table: 'orders' } } };
    const { text, json } = await web.call('POST', '/api/functions/run', { body });
    expect(json.results, text).to.have.length(10);
    expect(text).to.match(/"result":90071992547410\d\d/);
    for (const rows of [{ database: 'shop', table: 'a.b.c' }, { database: 'shop' }, {}]) {
      expect((await web.call('POST', '/api/functions/run', { body: { ...body, on: { rows } } })).status).to.equal(422);
    }
    const away = { ...body, on: { rows: { database: 'away', table: 'orders' } } };
    expect((await web.call('POST', '/api/functions/run', { body: away })).status).to.equal(502);
  });

  it('are found by schema and by a part of the name, with their columns, a page at a time', async () => {
    expect(named(await get('shop/tables?schema=sales'))).to.deep.equal(['remote', 'we.ird "<img>']);
    const found = await get('shop/tables?q=ORD&expand=columns');
    expect(named(found)).to.deep.equal(['orders']);
    expect(found.json.data[0].columns[9]).to.deep.equal({
      ...{ name: 'twice', type: 'numeric', not_null: false, generated: 'stored' },
    });
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await get(`shop/tables?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...named(page));
      cursor = page.json.next_cursor;
    }
    expect(seen).to.deep.equal(['measures', 'no_key', 'orders', 'scratch', 'remote', 'we.ird "<img>']);
    const wrong = await get('shop/tables?expand=all&limit=0&schma=x');
    expect([wrong.status, Object.keys(wrong.json.validation_errors).sort()]).to.deep.equal([
      400,
      ['expand', 'limit', 'schma'],
    ]);
  });

  it('say whether their changes come, and what to run where they do not', async () => {
    const { json, text } = await get('shop/tables?expand=capture');
    const byName = Object.fromEntries(json.data.map((one: { name: string }) => [one.name, one]));
    expect(byName.measures.capture, text).to.deep.equal({ comes: true, finding: null });
    expect(byName.no_key.capture.comes).to.equal(false);
    expect(byName.no_key.capture.finding).to.include({
      id: 'not_published',
      status: 'warning',
      run_on: 'database shop',
    });
    expect(byName.no_key.capture.finding.sql).to.include('replica identity full');
    expect(byName.orders.capture).to.deep.include({ comes: true });
    const odd = byName['we.ird "<img>'].capture;
    expect([odd.comes, odd.finding.sql]).to.deep.equal([
      ...[false, `alter publication "kept" add table only "sales"."we.ird ""<img>"`],
    ]);
  });

  it('say what can be run where the publication is still to be made', async () => {
    const found = async () => {
      const { json } = await get('fresh/tables?expand=capture');
      return new Map<string, Reply['json']>(json.data.map((one: { name: string }) => [one.name, one]));
    };
    const before = await found();
    expect(before.get('orders').capture).to.deep.equal({ comes: true, finding: null });
    const { finding } = before.get('we.ird "<img>').capture;
    await client.query(finding.sql);
    const after = await found();
    expect(after.get('we.ird "<img>')).to.deep.include({ published: true });
    // It is kept up like one that capture has made.
    expect(after.get('orders').capture).to.deep.equal({ comes: true, finding: null });
    const { sql } = after.get('no_key').capture.finding;
    expect(sql, 'of schema public it comes in by itself').to.not.contain('alter publication');
    await client.query('create table sales.no_key (x int)');
    const { json } = await get('fresh/tables?expand=capture&schema=sales&q=no_key');
    await client.query(json.data[0].capture.finding.sql);
    expect((await get('fresh/tables?expand=capture&schema=sales&q=no_key')).json.data[0].capture.comes).to.equal(true);
    await client.query('drop table sales.no_key; drop publication f');
  });

  it('say why what can never be captured is not; views only to who searches', async () => {
    await client.query('create temporary table only_mine (id int)');
    const { json, text } = await get('shop/tables?expand=capture');
    const found = new Map(json.data.map((one: { name: string }) => [one.name, one]));
    for (const [name, kind, words] of [
      ['scratch', 'unlogged', /^public\.scratch is unlogged/],
      ['remote', 'foreign', /^sales\.remote is a foreign table/],
    ] as const) {
      const table = found.get(name) as Reply['json'];
      expect(table, text).to.deep.include({ kind, published: false, sinks: [] });
      expect(table.capture.comes).to.equal(false);
      expect(table.capture.finding.summary).to.match(words);
    }
    expect((found.get('scratch') as Reply['json']).capture.finding).to.include({
      ...{ sql: 'alter table "public"."scratch" set logged', run_on: 'database shop' },
    });
    expect(found.get('orders')).to.include({ kind: 'table' });
    for (const [name, kind] of [
      ['seen', 'view'],
      ['summed', 'matview'],
    ] as const) {
      const { json } = await get(`shop/tables?expand=capture&q=${name}`);
      expect(json.data).to.have.length(1);
      expect(json.data[0]).to.deep.include({ name, kind, published: false, sinks: [] });
      expect(json.data[0].capture).to.deep.include({ comes: false });
      expect(json.data[0].capture.finding.remedy).to.contain('tables that it reads');
    }
    for (const name of ['measures_1', 'only_mine']) expect(named(await get(`shop/tables?q=${name}`))).to.deep.equal([]);
  });

  it('have rows that are written as TypeScript sees them in a function', async () => {
    const { json } = await get('shop/tables/public.orders/record_type');
    const text = json.typescript as string;
    for (const line of [
      'id: number | bigint;',
      'part: number;',
      'total: number;',
      'at: string | null;',
      'tags: (string | null)[] | null;',
      'payload: any | null;',
      'feels: "sad" | "a \\"happy\\" one" | null;',
      'home: { street: string | null; zip: number | null } | null;',
      '"a.b \\"c\\"": string | null;',
    ])
      expect(text).to.include(line);
    expect(text).to.match(/^interface Row \{[\s\S]*\}\ntype Changes = Partial<Row> \| null;\n$/);
    const odd = encodeURIComponent('sales."we.ird ""<img>"');
    expect((await get(`shop/tables/${odd}/record_type`)).json.record).to.include('id: number;');
    expect((await get('shop/tables/nothing/record_type')).json.code).to.equal('not_found');
    expect((await get('shop/tables/a.b.c/record_type')).json.validation_errors).to.have.keys('table');
  });

  it('show their last rows by the key, as messages of a backfill with every digit', async () => {
    const { status, json, text } = await get('shop/tables/public.orders/rows', 'data-token');
    expect(status, text).to.equal(200);
    expect(json.data.length).to.equal(10);
    expect(text).to.include('{"action":"read","record":{"id":9007199254741002,"part":1,"total":12.50,');
    expect(text).to.include('"payload":{"n": 1.10}');
    expect(json.data[0].record).to.deep.include({ at: '2026-01-31T11:00:00+00:00', home: { zip: 12, street: 'High' } });
    expect(json.data[0].changes).to.equal(null);
    expect(json.data[0].metadata).to.deep.include({ table_name: 'orders', record_pks: ['1', '9007199254741002'] });
    expect(json.data[0].metadata.database).to.deep.include({ name: 'shop', annotations: { team: 'a' } });
    expect((await get('shop/tables/no_key/rows?limit=1', 'data-token')).json.data[0].record).to.deep.equal({ x: 1 });
    expect((await get('shop/tables/no_key/rows?limit=11', 'data-token')).status).to.equal(400);
    expect((await get('shop/tables/no_key/rows')).json.needs).to.equal('read:data');
  });

  it('come into the publication that Millrace keeps, when they are to be looked at again', async () => {
    const refresh = async (database: string): Promise<Reply> =>
      await web.call('POST', `/api/postgres_databases/${database}/refresh_tables`, { token: 'operate-token' });
    const reply = await refresh('shop');
    expect([reply.status, reply.json]).to.deep.equal([200, { success: true, tables: 2, added: ['public.measures'] }]);
    expect((await refresh('shop')).json).to.deep.equal({ success: true, tables: 2, added: [] });
    await client.query(`comment on publication kept is 'by hand'; alter publication kept drop table measures`);
    expect((await refresh('shop')).json).to.deep.equal({ success: true, tables: 1, added: [] });
  });

  it('keep no more WAL than each slot of the server wants, ours or not', async () => {
    await client.query(`select pg_create_logical_replication_slot('${source.name}', 'pgoutput')`);
    await client.query('begin; insert into no_key values (2)');
    const { json, text } = await get('shop/slots');
    await client.query(`rollback`);
    const slot = json.slots.find(({ name }: { name: string }) => name === source.name);
    expect(slot, text).to.include({ ours: false, kind: 'logical', database: source.name, active_pid: null });
    expect([slot.kept_bytes >= 0, slot.wal_status, json.limit_bytes]).to.deep.equal([true, 'reserved', null]);
    expect(json.oldest_writer).to.have.keys('pid', 'prepared', 'username', 'application', 'since');
    await client.query(`select pg_drop_replication_slot('${source.name}')`);
    expect((await get('shop')).json)
      .to.include({ port: Number(new URL(source.url).port) })
      .and.have.property('username');
    expect((await get('away/slots')).json.code).to.equal('source_unavailable');
  });

  it('cannot be asked for where the server is away, or somebody has the table locked', async () => {
    const away = await get('away/tables');
    expect([away.status, away.json.code]).to.deep.equal([502, 'source_unavailable']);
    expect(away.json.summary).to.match(/^database away: nothing listens/);
    expect(away.text).to.not.include('hunter22');
    expect((await get('nobody/tables')).status).to.equal(404);
    await client.query('begin; lock table no_key in access exclusive mode');
    const locked = await get('shop/tables/no_key/rows', 'data-token');
    expect((await get('shop/tables')).status).to.equal(200);
    await client.query('rollback');
    expect([locked.status, locked.json.code], locked.text).to.deep.equal([502, 'source_unavailable']);
  });

  // In .ci/long: each statement has 5 s, which ten thousand tables would overrun if each were looked for among all others.
  it('may be ten thousand', async function () {
    if (process.env.MILLRACE_TEST_TABLES === undefined) this.skip();
    this.timeout(600_000);
    for (let part = 0; part < 20; part += 1)
      await client.query(`do $$ begin
        for n in 1..500 loop execute format('create table t_${part}_%s (id int primary key, name text)', n); end loop; end $$`);
    await client.query("analyze; comment on publication kept is 'kept by millrace'");
    let count = 0;
    let cursor: string | null = '';
    while (cursor !== null) {
      const page = await get(`shop/tables?expand=columns${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.status, page.text.slice(0, 300)).to.equal(200);
      count += page.json.data.length;
      cursor = page.json.next_cursor;
    }
    expect(count).to.be.greaterThan(10_000);
  });
});
