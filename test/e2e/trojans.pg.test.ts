/**
 * Another role's code never runs with our rights: everything that our statements name is planted under the same name in
 * schema public, which stands before pg_catalog in the path of every role of ours, and none of it runs. What the user's own
 * objects look up, they find where that path says.
 */
import { expect } from 'chai';
import pg from 'pg';
import { openPool } from '../../src/db/pool.ts';
import { expireRows } from '../../src/sinks/change-table/policies/policy.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { NEVER } from '../support/engines/search-sink.ts';
import { HOSTILE_PATH, plantTrojans, trojansRan } from '../support/fixtures/trojans.ts';
import { verification } from '../support/fixtures/verification.ts';
import { asPlainDestination, asPlainOwner, asPlainSource } from '../support/postgres/plain-role.ts';
import { type Cluster, hasPostgres15, startCluster, type TestDatabase } from '../support/postgres/postgres.ts';
import { runCli } from '../support/processes/cli.ts';
import { startService, stopServices } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const ROWS = 60;
/** The document of a row whose key has an enum. */
const KIND = 'ok-1';
const SHOP = `
  create function public.seen(what pg_catalog.text) returns pg_catalog.text language plpgsql immutable as $$ begin
    if current_user like 'plain%' then perform mallory.ran('an expression'); end if; return what; end $$;
  create type public.mood as enum ('sad', 'ok');
  create function public.felt(what pg_catalog.text) returns public.mood language plpgsql immutable as $$ begin
    if current_user like 'plain%' then perform mallory.ran('a cast to an enum'); end if; return 'ok'; end $$;
  create function public.told(what public.mood) returns pg_catalog.text language plpgsql immutable as $$ begin
    if current_user like 'plain%' then perform mallory.ran('a cast of an enum'); end if; return 'ok'; end $$;
  create table public.items (id pg_catalog.int4 primary key, name pg_catalog.text not null, body pg_catalog.text,
    loud pg_catalog.text generated always as (pg_catalog.upper(name)) stored,
    seen pg_catalog.text generated always as (public.seen(name)) stored,
    mood public.mood default 'ok', moods public.mood[] default '{sad,ok}',
    well pg_catalog.bool generated always as (mood = 'ok' and mood = any (moods)) stored);
  create cast (pg_catalog.text as public.mood) with function public.felt(pg_catalog.text);
  create cast (public.mood as pg_catalog.text) with function public.told(public.mood);
  create table public.kinds (mood public.mood, n pg_catalog.int4, name pg_catalog.text, body pg_catalog.text, primary key (mood, n));
  insert into public.kinds select 'ok', n from pg_catalog.generate_series(1, ${ROWS}) n;
  create domain public.code as pg_catalog.text;
  create table public.parts (a public.code, b pg_catalog.timestamptz, mood pg_catalog.jsonb, primary key (a, b),
    loud pg_catalog.text generated always as (pg_catalog.upper(a)) stored);
  insert into public.items (id, name) select n, pg_catalog.format('item %s', n) from pg_catalog.generate_series(1, ${ROWS}) n;
  insert into public.parts select pg_catalog.format('p%s', n), '2026-01-01', '{}' from pg_catalog.generate_series(1, ${ROWS}) n;
  alter domain public.code add check (mallory.ran('the check of a key''s domain')) not valid`;

/** What a user hangs on the change table: found in the role's own path, though it is not ours. */
const HANGING = `
  create schema app;
  create table app.noted (what pg_catalog.text);
  create function app.note(what pg_catalog.text) returns pg_catalog.text language sql as $$
    insert into app.noted values (what) returning what $$;
  create function app.on_insert() returns trigger language plpgsql as $$ begin perform note('inserted'); return new; end $$;
  create function app.on_commit() returns trigger language plpgsql as $$ begin perform note('committed'); return null; end $$;
  create function app.mark() returns pg_catalog.text language plpgsql as $$ begin return note('marked'); end $$;
  alter table public.items_events add column mark pg_catalog.text;
  alter table public.items_events alter column mark set default app.mark();
  create trigger on_insert before insert on public.items_events for each row execute function app.on_insert();
  create trigger on_delete after delete on public.items_events for each statement execute function app.on_commit();
  create constraint trigger on_commit after insert on public.items_events deferrable initially deferred
    for each row execute function app.on_commit();
  grant usage on schema app to public; grant all on all tables in schema app to public`;

for (const major of [15, 18] as const) {
  describe(`trojans in schema public, on Postgres ${major}`, function () {
    this.timeout(120_000);
    let cluster: Cluster;
    let engine: BulkServer;
    const databases: Record<string, TestDatabase> = {};
    const urls: Record<string, string> = {};
    const admin = async <Row extends object>(name: string, sql: string): Promise<Row[]> => {
      const client = new pg.Client({ connectionString: databases[name]!.url, options: '-c search_path=pg_catalog' });
      await client.connect();
      try {
        const answer: pg.QueryResult<Row> | pg.QueryResult<Row>[] = await client.query<Row>(sql);
        return Array.isArray(answer) ? [] : answer.rows;
      } finally {
        await client.end();
      }
    };
    const verify = (request = {}) => verification(urls.messages!, 100)('items', request);

    before(async function () {
      if (major === 15 && !hasPostgres15()) this.skip();
      cluster = await startCluster({ major });
      engine = await startBulkServer({ indexes: ['items'] });
      for (const [name, as] of [
        ['shop', asPlainSource],
        ['archive', asPlainDestination],
        ['messages', asPlainOwner],
      ] as const) {
        databases[name] = await cluster.createDatabase();
        urls[name] = await as(databases[name]);
        await admin(name, `alter role ${new URL(urls[name]).username} set search_path = ${HOSTILE_PATH}, app`);
        await plantTrojans(databases[name].url);
      }
      await admin('shop', SHOP);
      await startService({
        databaseUrl: urls.messages!,
        yaml: `databases:
  - name: shop
    url: ${urls.shop}
    ssl: false
    slot: { name: trojan, create_if_not_exists: true }
    publication: { name: trojan, create_if_not_exists: true }
  - { name: archive, url: "${urls.archive}", ssl: false }
  - { name: home, url: "${urls.messages}", ssl: false }
sinks:
  - name: items
    database: shop
    source: { include_tables: [items, parts, kinds] }
    initial_backfill: true
    destination: { type: elasticsearch, endpoint_url: "${engine.url}", index_name: items, auth_type: none }
  - { name: pulled, database: shop, source: { include_tables: [items] }, destination: { type: pull } }
change_retentions:
${['shop', 'archive', 'home']
  .map(
    (where) =>
      `  - { name: in-${where}, source_database: shop, source_table_schema: public, source_table_name: items, destination_database: ${where}, destination_table_schema: public, destination_table_name: items_events, create_if_not_exists: true, retention: { by: job, keep: 30 days } }`,
  )
  .join('\n')}
`,
      });
    });
    after(async () => {
      await stopServices();
      await engine?.close();
      await cluster?.stop();
    });
    afterEach(async () => {
      const ran = await Promise.all(Object.values(databases).map(({ url }) => trojansRan(url)));
      const { rows } = await status();
      expect(ran, JSON.stringify(rows)).to.deep.equal([0, 0, 0]);
    });
    const status = async () => {
      const db = openPool({ address: urls.messages!, max: 1, applicationName: 'test' });
      const said = `select reason as said from millrace.database_status union all select error from millrace.sink_status`;
      return await db.query<{ said: string | null }>(said).finally(() => db.close());
    };

    it('backfill: no statement that reads a table', async () => {
      await until('all rows are sent', () => engine.engine.documents('items').size === 3 * ROWS, 20_000);
    });

    it('capture: rows, large values that are read again, columns that are computed, a table that comes later', async () => {
      await admin(
        'shop',
        `update public.items set body = repeat('large ', 500000) where id = 1;
        update public.kinds set body = repeat('large ', 500000) where n = 1`,
      );
      await admin(
        'shop',
        `update public.items set name = 'renamed' where id = 1; delete from public.parts where a = 'p1';
         update public.parts set mood = '{"is": "well"}' where a = 'p2'; update public.kinds set name = 'read again' where n = 1`,
      );
      await admin('shop', 'create table public.later (id pg_catalog.int4 primary key)');
      await until('they are there', () => {
        const documents = engine.engine.documents('items');
        const { name, body, loud, well } = documents.get('1') as Record<'name' | 'body' | 'loud' | 'well', string>;
        const all = [...documents.values()] as { a?: string; loud: string; mood?: object }[];
        const part = all.find(({ a }) => a === 'p2')!;
        const kind = documents.get(KIND) as Record<'name' | 'body', string> | undefined;
        return (
          [name, loud, well, part.loud].join() === 'renamed,RENAMED,true,P2' &&
          'is' in part.mood! &&
          body.length === 3_000_000 &&
          kind?.name === 'read again' &&
          kind.body.length === 3_000_000 &&
          documents.size === 3 * ROWS - 1
        );
      });
      // 18 sends what an expression has made, whoever wrote it.
      expect('seen' in (engine.engine.documents('items').get('1') as object)).to.equal(major === 18);
    });

    for (const [where, database] of [
      ['shop', 'shop'],
      ['archive', 'archive'],
      ['home', 'messages'],
    ] as const) {
      it(`a change table in ${where}: the user's own objects find theirs, and nothing else is looked up`, async () => {
        await until(
          'the table is made',
          async () =>
            (
              await admin<{ n: number }>(
                database,
                "select count(*)::int4 as n from pg_class where relname = 'items_events'",
              )
            )[0]!.n > 0,
        );
        await admin(database, HANGING);
        await admin('shop', `update public.items set name = 'for ${where}' where id = 2`);
        const noted = async () =>
          (await admin<{ what: string }>(database, 'select distinct what from app.noted order by what')).map(
            ({ what }) => what,
          );
        await until('it is written', async () => (await noted()).length === 3);
        expect(await noted()).to.deep.equal(['committed', 'inserted', 'marked']);
        await admin(database, "delete from app.noted; update public.items_events set committed_at = '2020-01-01'");
        const destination = openPool({ address: urls[database]!, max: 1, applicationName: 'test' });
        const table = { schema: 'public', name: 'items_events' };
        const deleted = await expireRows({ destination }, { table, keepSeconds: 60, signal: NEVER }).finally(() =>
          destination.close(),
        );
        expect([deleted > 0, await noted()]).to.deep.equal([true, ['committed']]);
      });
    }

    it('pull, verification and the operator', async () => {
      expect((await verify()).code).to.equal(0);
      // Rows that are looked at again, and sent again, by key.
      engine.engine.plant('items', KIND, undefined);
      const repaired = await verify({ repair: true });
      expect([repaired.code, engine.engine.documents('items').has(KIND)], repaired.out).to.deep.equal([0, true]);
      const messages = openPool({ address: urls.messages!, max: 1, applicationName: 'test', path: 'role' });
      try {
        // From psql, under the path of the role.
        const sql =
          (await admin<{ f: string }>('messages', `select 1`)) && 'select ack_id from millrace.receive($1, 3)';
        const { rows } = await messages.query<{ ack_id: string }>(sql, ['pulled']);
        expect(rows).to.not.have.length(0);
        await messages.query('select millrace.ack($1, $2)', ['pulled', rows.map(({ ack_id }) => ack_id)]);
        for (const view of [
          'pending_messages',
          'parked_messages',
          'sink_status',
          'consumer_status',
          'database_status',
          'backfill_status',
        ])
          await messages.query(`select * from millrace.${view}`);
      } finally {
        await messages.close();
      }
      const { code, stdout, stderr } = await runCli(['resync', 'shop', '--yes', '--force', '--no-verify'], {
        DATABASE_URL: urls.messages!,
      });
      expect(code, stdout + stderr).to.equal(0);
    });
  });
}
