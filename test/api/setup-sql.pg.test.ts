/** What an administrator is told to run in a source, run as it is printed: then it can be captured, by a role with no more rights. */
import { expect } from 'chai';
import pg from 'pg';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import {
  type Cluster,
  hasPostgres15,
  sharedCluster,
  startCluster,
  type TestDatabase,
} from '../support/postgres/postgres.ts';
import { type Reply, type TestWeb, testWeb } from '../support/processes/web.ts';

const TABLES = `create schema "odd ""one"; create schema hidden;
create table orders (id int primary key, total int, twice int generated always as (total * 2) stored);
create table no_key (x int); create table whole (x int); alter table whole replica identity full;
create table late (id int primary key deferrable);
create table parts (at int, id int, primary key (at, id)) partition by range (at);
create table parts_1 partition of parts for values from (1) to (2);
create table torn (at int, id int, primary key (at, id)) partition by range (at);
create table torn_1 partition of torn for values from (1) to (2); alter table torn_1 replica identity nothing;
create table "odd ""one"."a.b" (id int primary key);
create table hidden.one (id int primary key);
create table summed (x int, twice int generated always as (x * 2) stored); alter table summed replica identity full;`;
const VIRTUAL =
  'create table virtual (x int, twice int generated always as (x * 2)); alter table virtual replica identity full';
const NAMES = ['a.b', 'orders', 'parts', 'summed', 'whole'];

describe('setup_sql', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  before(async () => {
    m = await messageDatabase();
    web = await testWeb({ db: m.db, privateAllowed: true }, { keepHealthMs: 0 });
  });
  after(async () => {
    await web?.close();
    await m?.drop();
  });
  const draft = async (body: object, token = 'read-token'): Promise<Reply> =>
    await web.call('POST', '/api/postgres_databases/setup_sql', { body, token });

  async function proves(cluster: Cluster, version?: number): Promise<void> {
    const source: TestDatabase = await cluster.createDatabase();
    const admin = new pg.Client(source.url);
    await admin.connect();
    const username = `least "one" of ${source.name}`;
    try {
      await admin.query(TABLES);
      if (cluster.major >= 18) await admin.query(VIRTUAL);
      const reply = await draft({
        ...{ ...(version && { version }), database: source.name, username, slot_name: source.name },
        ...{ publication_name: `it's "mine"`, schemas: ['public', 'odd "one'] },
      });
      expect(reply.status, reply.text).to.equal(200);
      for (const sql of reply.json.statements) await admin.query(sql);
      const { rows } = await admin.query<{ name: string }>(
        'select tablename as name from pg_publication_tables order by 1',
      );
      expect(rows.map(({ name }) => name)).to.deep.equal(NAMES);
      // Nobody's own writes fail since.
      for (const table of ['no_key', 'whole', 'summed', ...(cluster.major >= 18 ? ['virtual'] : [])])
        await admin.query(`insert into ${table} values (1); update ${table} set x = 2; delete from ${table}`);
      const { port } = new URL(source.url);
      const body = {
        ...{ hostname: '127.0.0.1', port: Number(port), database: source.name, username, password: '...' },
        ...{ slot_name: source.name, publication_name: `it's "mine"` },
      };
      const tested = await web.call('POST', '/api/postgres_databases/test_connection', { body });
      expect([tested.status, tested.json.success], tested.text).to.deep.equal([200, true]);
      const least = new pg.Client({ ...body, host: body.hostname, user: username });
      await least.connect();
      const refused = async (sql: string): Promise<string> =>
        await least.query(sql).then(
          () => 'allowed',
          (error: pg.DatabaseError) => error.code ?? '',
        );
      const codes = [];
      for (const sql of [
        'table orders',
        'table "odd ""one"."a.b"',
        'delete from orders',
        'table no_key',
        'table hidden.one',
      ])
        codes.push(await refused(sql));
      await least.end();
      expect(codes).to.deep.equal(['allowed', 'allowed', '42501', '42501', '42501']);
    } finally {
      await admin.query('drop publication if exists "it\'s ""mine"""');
      await admin.end();
      await source.drop();
      const server = new pg.Client(cluster.adminUrl);
      await server.connect();
      await server.query(`drop role if exists ${pg.escapeIdentifier(username)}`).finally(() => server.end());
    }
  }

  it('makes a source ready on Postgres 18', async () => await proves(await sharedCluster(), 18));

  it('makes a source ready of which nobody knows the version', async () => await proves(await sharedCluster()));

  it('makes a source ready on Postgres 15', async function () {
    if (!hasPostgres15()) this.skip();
    const cluster = await startCluster({ major: 15 });
    try {
      await proves(cluster, 15);
    } finally {
      await cluster.stop();
    }
  });

  it('makes a source ready whose changes triggers note, with tables that have no key, and nobody who may replicate', async () => {
    const source = await (await sharedCluster()).createDatabase();
    const username = `noting of ${source.name}`;
    const admin = new pg.Client(source.url);
    await admin.connect();
    try {
      await admin.query(TABLES);
      const entry = { capture: 'triggers', publication_name: 'listed' };
      const reply = await draft({ ...entry, version: 18, database: source.name, username });
      expect(reply.json.sql).to.not.match(/slot[^ ]* [^i]|wal_level must|login replication/);
      for (const sql of reply.json.statements) await admin.query(sql);
      const { rows } = await admin.query<{ name: string }>(
        'select c.relname as name from pg_publication_rel r join pg_class c on c.oid = r.prrelid order by 1',
      );
      expect(rows.map(({ name }) => name)).to.deep.equal([
        'late',
        'no_key',
        'orders',
        'parts',
        'summed',
        'torn',
        'whole',
      ]);
      await admin.query('update no_key set x = 1; delete from torn');
      const { port } = new URL(source.url);
      const body = {
        hostname: '127.0.0.1',
        port: Number(port),
        database: source.name,
        username,
        password: '...',
        ...entry,
      };
      const tested = await web.call('POST', '/api/postgres_databases/test_connection', { body });
      expect([tested.status, tested.json.success], tested.text).to.deep.equal([200, true]);
      const said = tested.json.checks.map(({ id }: { id: string }) => id);
      expect(said).to.include.members(['capture_schema', 'triggers', 'publication']);
      for (const id of ['slot', 'wal_level']) expect(said).to.not.include(id);
    } finally {
      await admin.end();
      await source.drop();
      const server = new pg.Client((await sharedCluster()).adminUrl);
      await server.connect();
      await server.query(`drop role if exists ${pg.escapeIdentifier(username)}`).finally(() => server.end());
    }
  });

  it('is that of a stored database, for the version of its server where that can be asked', async () => {
    const source = await (await sharedCluster()).createDatabase();
    const text = `databases:
  - { name: shop, url: '${source.url}', slot: { name: s }, publication: { name: p, init_sql: 'create publication p -- of none' } }
  - { name: away, url: 'postgres://u:hunter22@127.0.0.1:1/d', slot: { name: b, create_if_not_exists: true }, publication: { name: b } }
sinks: [{ name: all, database: away, source: { include_tables: [sales.orders] }, destination: { type: pull } }]
`;
    await applyConfig({ db: m.db, keys: KEYS }, parse(text).config);
    const get = async (at: string): Promise<Reply> =>
      await web.call('GET', `/api/postgres_databases/${at}`, { token: 'read-token' });
    const shop = await get('shop/setup_sql');
    await source.drop();
    expect(shop.json.version).to.equal(18);
    expect(shop.json.statements)
      .to.include('create publication p -- of none\n')
      .and.to.include.members(["select from pg_create_logical_replication_slot('s', 'pgoutput', failover => true)"]);
    const away = await get('away/setup_sql');
    expect([away.status, away.json.version], away.text).to.deep.equal([200, null]);
    expect(away.json.sql).to.include('grant usage on schema "sales" to "u"').and.not.include('hunter22');
    expect(away.json.sql).to.not.include('pg_create_logical_replication_slot');
    expect((await get('away/setup_sql?version=16')).json.version).to.equal(16);
    expect((await get('nobody/setup_sql')).status).to.equal(404);
  });

  it('names each field that is wrong', async () => {
    const { status, json } = await draft({ version: 9, slot_name: 'Not One', schemas: [], slots: 1 });
    expect([status, Object.keys(json.validation_errors).sort()]).to.deep.equal([
      422,
      ['database', 'schemas', 'slot_name', 'slots', 'version'],
    ]);
    const broken = await draft({ database: 'a\nb; drop table x', username: '$setup$' });
    expect(broken.json.sql).to.include('-- As an administrator, in database a b; drop table x of the source.\n');
    expect(broken.json.sql).to.include('$setup1$');
  });
});
