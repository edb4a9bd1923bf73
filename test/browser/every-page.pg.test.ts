/**
 * Every page with something on it, by day and by night, on a wide screen and on a narrow one. Pictures of them for the
 * documentation: `MILLRACE_SCREENSHOTS=1 npx mocha test/browser/every-page.pg.test.ts`. With MILLRACE_TEST_SLOW=1 over a network that takes
 * 0.4 s for each way and brings 50 KB a second.
 */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { VERSION } from '../../src/runtime/version.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { addresses, addressOf } from '../support/browser/addresses.ts';
import { expectAccessible, expectNothingSideways, type Seen, screenshot } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { addShop, appendMessages } from '../support/fixtures/fixtures.ts';
import { execute, sharedSource, type TestDatabase } from '../support/postgres/postgres.ts';

const SCHEMA = `
create table products (id bigint primary key, name text not null, price numeric(12, 4), stock int not null default 0);
insert into products select n, 'mill wheel ' || n, n * 1.25, n from generate_series(1, 200) n;
create table orders (id bigint primary key, product_id bigint, status text not null);
insert into orders select n, n, 'paid' from generate_series(1, 40) n;
create table notes (at timestamptz, body text);
create publication p for table products, orders;
analyze;
`;

const LOOKS = [
  { width: 1280, scheme: 'light' },
  { width: 1280, scheme: 'dark' },
  { width: 390, scheme: 'light' },
  { width: 390, scheme: 'dark' },
] as const;

/** Of these there are pictures in the dark, too: others look like one of them. */
const PICTURED = new Set(['/', '/sinks/$sink/overview']);

/** They lead to their first tab, or look like the message of a sink. */
const FRAMES = /^\/(sinks|databases|change-retentions)\/\$[a-z]+\/?$|^\/change-retentions\/.*\$id$/;

const DOCUMENT = `(action, record, changes, metadata) => ({
  name: record.name,
  price: record.price.toFixed(2),
  table: metadata.table_name,
})`;

const AROUND = { key: 'k', link: null, item: null, remedy: null, sql: null, run_on: null, command: null, answer: null };

/** What the doctor says: something to do, and what is well. */
const EXAMINED = {
  ok: true,
  checks: [
    {
      ...{ ...AROUND, id: 'no_old_values', status: 'warning' as const, docs: 'docs/search-index.md' },
      summary: 'updates of public.orders come without the old values',
      sql: 'alter table public.orders replica identity full',
      ...{ run_on: 'database shop', subject: { kind: 'sink' as const, name: 'orders-worker' } },
    },
    ...['the schema is that of this release', 'capture and workers report', 'slot and publication are in place'].map(
      (summary, place) => ({
        ...{ ...AROUND, id: `ok_${place}`, key: `ok_${place}`, status: 'ok' as const, docs: 'docs/doctor.md', summary },
        subject: { kind: 'processes' as const, name: null },
      }),
    ),
  ],
};

const SETTINGS = [
  ...[
    { name: 'PORT', value: '7376' },
    { name: 'HOST', value: '0.0.0.0' },
    { name: 'ALLOWED_HOSTS', value: null },
  ],
  ...[
    { name: 'BASE_URL', value: 'https://millrace.example.com' },
    { name: 'SECRET_KEY', value: '********' },
  ],
  ...[{ name: 'DATABASE_URL', value: 'millrace on db.example.com:5432 as millrace, sslmode verify-full' }],
  ...[
    { name: 'LOG_LEVEL', value: 'info' },
    { name: 'ALLOW_PRIVATE_DESTINATIONS', value: 'false' },
  ],
];

describe('browser: every page', () => {
  let on: TestConsole;
  let source: TestDatabase;
  let engine: BulkServer;
  let seen: Seen;
  let page: Page;
  const places: Record<string, string> = {
    ...{ sink: 'products-index', fn: 'product-document', database: 'shop', retention: 'orders-history' },
  };
  before(async function () {
    on = await openConsole(this, { privateAllowed: true, examine: async () => EXAMINED, settings: SETTINGS });
    source = await (await sharedSource()).createDatabase();
    await execute(source.url, SCHEMA);
    engine = await startBulkServer({ indexes: ['products'] });
    const text = `
databases: [{ name: shop, url: '${source.url}', slot: { name: s }, publication: { name: p } }]
functions: [{ name: product-document, type: transform, code: ${JSON.stringify(DOCUMENT)} }]
sinks:
  - { name: orders-worker, database: shop, source: { include_tables: [orders] }, destination: { type: pull } }
  - { name: orders-hook, database: shop, status: paused, destination: { type: webhook, url: 'http://127.0.0.1:1/orders' } }
  - name: products-index
    database: shop
    source: { include_tables: [products] }
    transform: product-document
    destination: { type: elasticsearch, endpoint_url: '${engine.url}', index_name: products, auth_type: none }
change_retentions:
  - { name: orders-history, source_database: shop, source_table_schema: public, source_table_name: orders,
      destination_database: shop, destination_table_schema: public, destination_table_name: orders_events,
      retention: { by: job, keep: 30 days } }
`;
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(text).config);
    await fill();
    seen = await on.see();
    page = seen.page;
    if (process.env.MILLRACE_TEST_SLOW === '1') {
      const debug = await seen.context.newCDPSession(page);
      await debug.send('Network.emulateNetworkConditions', {
        ...{ offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 },
      });
    }
  });
  after(async () => {
    await seen?.close();
    await on?.close();
    await engine?.close();
    await source?.drop();
  });

  /** An hour of messages until a little later than now, some of which failed, and a verification under way. */
  async function fill(): Promise<void> {
    const { m, web } = on;
    await addShop(m.db);
    await m.db.query(
      `insert into millrace_private.processes (id, role, host, pid, version, key_id, seen_at)
       select gen_random_uuid(), role, 'shop-1', 70, $1, '5b1f09ce', clock_timestamp() from unnest(array['capture', 'worker', 'web']) role`,
      [VERSION],
    );
    await m.db.query(
      `insert into millrace_private.sink_counters (sink_no, step, at, persisted, delivered, failed, bytes, latency)
       select s.no, 'minute', date_trunc('minute', clock_timestamp()) - n * interval '1 min', c, c, n % 17 / 12, c * 70,
              array_fill(0, array[2]) || array[c / 2, c / 3, c / 10, n % 5] || array_fill(0, array[18])
         from millrace_private.sinks s, generate_series(-3, 59) n,
              lateral (select round(900 + 700 * sin(n / 7.0) + s.no * 20)::int as c) x
        where s.name <> 'orders-hook'`,
    );
    await m.db.query(
      `insert into millrace_private.database_counters (database_no, step, at, lag_bytes, kept_bytes, limit_bytes)
       select no, 'minute', date_trunc('minute', clock_timestamp()) - n * interval '1 min', 8192, 301000, 68719476736
         from millrace_private.databases, generate_series(0, 59) n`,
    );
    const { rows } = await m.db.query<{ no: number }>(
      "select no from millrace_private.sinks where name = 'products-index'",
    );
    const { no } = rows[0]!;
    const ids = await appendMessages(
      m.db,
      no,
      Array.from({ length: 40 }, (_, at) => ({
        record: `{"id":${4_700 + at},"name":"mill wheel","price":"12,50"}`,
        recordPks: [String(4_700 + at)],
      })),
    );
    await m.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, stage, error, parked_at)
       select $1, id, 0, id, 'parked', 1, case when id % 3 = 0 then 'shape' else 'send' end,
              case when id % 3 = 0 then 'product-document: TypeError: record.price.toFixed is not a function (line 3, column 24)'
                   else 'mapper_parsing_exception: failed to parse field [price] of type [double]' end, now()
         from unnest($2::bigint[]) id`,
      [no, ids.slice(0, 25)],
    );
    await web.call('POST', '/api/api_keys', { body: { name: 'search-ops', scopes: ['operate', 'read:data'] } });
    await web.call('POST', '/api/users', {
      body: { email: 'eve@example.org', name: 'Eve', password: 'correct horse' },
    });
    const begun = await web.call('POST', '/api/sinks/products-index/verifications');
    await m.db.query(
      `update millrace_private.operations set state = 'running', phase = 'comparing', started_at = clock_timestamp(),
              progress = '{"table": "public.products", "done": 122000, "total": 200000, "percent": 61, "per_second": 6700, "seconds_left": 12}'`,
    );
    Object.assign(places, { message: String(ids[0]), operation: begun.json.id });
    await fillChangeTable();
  }

  async function fillChangeTable(): Promise<void> {
    const { web } = on;
    await execute(source.url, (await web.call('GET', '/api/change_retentions/orders-history/sql')).json.sql);
    const { id } = (await web.call('GET', '/api/postgres_databases/shop')).json;
    await execute(
      source.url,
      `insert into orders_events (seq, source_database_id, source_table_oid, source_table_schema, source_table_name, record_pk,
                                  record, changes, action, committed_at)
       select 1795250360075000 + n, '${id}', 16400, 'public', 'orders', n,
              jsonb_build_object('id', n, 'status', 'paid'), case when n % 3 > 0 then '{"status": "open"}'::jsonb end,
              case when n % 3 > 0 then 'update' else 'insert' end, now() - (60 - n) * interval '7 s'
         from generate_series(1, 40) n`,
    );
  }

  /** As if capture, a worker and a web process had just reported. */
  async function report(): Promise<void> {
    const { db } = on.m;
    await db.query('update millrace_private.processes set seen_at = clock_timestamp()');
    await db.query('delete from millrace_private.worker_beats');
    await db.query('insert into millrace_private.worker_beats (at) values (clock_timestamp())');
    await db.query('update millrace_private.capture_beats set at = clock_timestamp()');
    await db.query(
      "update millrace_private.positions set state = 'streaming', state_since = clock_timestamp() - interval '3 h'",
    );
  }

  const nameOf = (address: string): string => address.slice(1).replaceAll('$', '').replaceAll('/', '-') || 'overview';

  for (const address of addresses())
    it(address, async () => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: 'light' });
      await report();
      await page.goto(addressOf(address, places));
      await page.locator('h1').waitFor();
      await page.locator('[aria-label=Loading]').first().waitFor({ state: 'detached' });
      for (const { width, scheme } of LOOKS) {
        await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
        await page.emulateMedia({ colorScheme: scheme });
        await expectAccessible(page, `${address}, ${scheme}, ${width}`);
        if (
          !FRAMES.test(address) &&
          ((width === 1280 && scheme === 'light') || (PICTURED.has(address) && scheme === 'dark'))
        )
          await screenshot(page, `page-${nameOf(address)}-${width}-${scheme}`);
      }
      // Zoomed to 200 %.
      await page.setViewportSize({ width: 640, height: 400 });
      await expectNothingSideways(page, `${address}, zoomed`);
    });

  it('an address of nothing, among all pages', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const address of ['/nonesuch', '/sinks/products-index/nonesuch']) {
      await page.goto(address);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      await page.getByRole('navigation', { name: 'Pages', exact: true }).getByRole('link', { name: 'Sinks' }).waitFor();
      await expectAccessible(page, address);
    }
  });

  it('a sink with as long a name as there may be, to which nothing is delivered', async () => {
    const { m, web } = on;
    const name = 'products-of-the-shop-'.repeat(3);
    await web.call('POST', '/api/sinks/orders-hook/release');
    const { status, text } = await web.call('PUT', '/api/sinks/orders-hook', { body: { name, status: 'active' } });
    expect(status, text).to.equal(200);
    await m.db.query(
      `insert into millrace_private.circuits (sink_no, reason, error, probe_at)
       select no, 'unreachable', 'nothing listens at this address', clock_timestamp() + interval '1 h'
         from millrace_private.sinks where name = $1`,
      [name],
    );
    await page.setViewportSize({ width: 390, height: 844 });
    for (const tab of ['overview', 'messages', 'function', 'backfills', 'verify', 'trace', 'settings']) {
      await page.goto(`/sinks/${name}/${tab}`);
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      await page.locator('[aria-label=Loading]').first().waitFor({ state: 'detached' });
      if (tab === 'messages') await page.getByText(`Nothing is delivered to ${name}`).waitFor();
      await expectNothingSideways(page, tab);
    }
  });

  it('a consumer that is behind, with what receives from it', async () => {
    const { db } = on.m;
    const { rows } = await db.query<{ no: number; database_no: number }>(
      `select s.no, d.no as database_no from millrace_private.sinks s join millrace_private.databases d on d.id = s.database_id
        where s.name = 'orders-worker'`,
    );
    const { no, database_no } = rows[0]!;
    const [id] = await appendMessages(db, no, [{}]);
    const beBehind = async () => {
      await report();
      await db.query('delete from millrace_private.capture_beats where seq = -1');
      await db.query(
        `insert into millrace_private.capture_beats (database_no, seq, at, next_id)
         values ($1, -1, clock_timestamp() - interval '9 min', $2::bigint + 1)`,
        [database_no, id],
      );
    };
    await page.setViewportSize({ width: 1280, height: 800 });
    await beBehind();
    await page.goto('/sinks');
    const row = page.getByRole('row').filter({ hasText: 'orders-worker' });
    await row.getByText('Behind', { exact: true }).waitFor();
    expect(await row.getByText('behind', { exact: true }).count(), 'the same as a code').to.equal(0);
    await beBehind();
    await page.goto('/sinks/orders-worker/overview');
    const wrong = page.getByRole('region', { name: 'What is wrong' });
    await wrong.getByText(/^Start its client/).waitFor();
    await wrong.getByRole('button', { name: 'Copy curl' }).waitFor();
  });
});
