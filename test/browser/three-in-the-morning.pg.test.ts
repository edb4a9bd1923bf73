/** What an alert leads to, provoked for real on the whole service, and put right by the page's button or by what is copied from it. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { statement } from '../../src/db/statement.ts';
import { expectAccessible, openBrowser, type Seen, screenshot, see, writeCode } from '../support/browser/browser.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, TOKEN, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);

const SCHEMA = `
create table orders (id bigint primary key, total numeric);
create table products (id bigint primary key, name text, price numeric);
create table payments (id bigint primary key, amount numeric);
create table shipments (id bigint primary key, weight numeric);
`;
const KEPT = statement('sinks/change-table/create-partitioned-table').text.replace('<event_table>', 'public.kept');
const DOCUMENT = `(action, record) => ({
  id: record.id,
  name: record.name,
  price: record.price.toFixed(2),
})`;
/** A message that ends the process in which functions run. */
const BOMB =
  "(action, record) => { if (record.name === 'bomb') 'x'.repeat(2 ** 29 - 25).split(''); return { id: record.id }; }";

describe('browser: three in the morning', () => {
  let browser: Browser;
  let world: World;
  let engine: BulkServer;
  let service: TestService;
  let seen: Seen;
  let page: Page;
  before(async function () {
    browser = await openBrowser(this);
    world = await createWorld(SCHEMA);
    await world.archive.query(`${KEPT};
      do $$ begin
        for day in 2..4 loop
          execute format('create table kept_%s partition of kept for values from (%L) to (%L)', day,
                         date_trunc('day', now(), 'UTC') + day * interval '1 day', date_trunc('day', now(), 'UTC') + (day + 1) * interval '1 day');
        end loop;
      end $$`);
    engine = await startBulkServer({ indexes: ['products'], putsIndexes: true });
    const yaml = `${world.yaml}
functions:
  - { name: product-document, type: transform, code: ${JSON.stringify(DOCUMENT)} }
sinks:
  - { name: orders-worker, database: shop, source: { include_tables: [orders] }, destination: { type: pull } }
  - name: products-index
    database: shop
    source: { include_tables: [products] }
    transform: product-document
    destination: { type: elasticsearch, endpoint_url: '${engine.url}', index_name: products, auth_type: none }
  - name: shipments-index
    database: shop
    source: { include_tables: [shipments] }
    destination: { type: elasticsearch, endpoint_url: '${engine.url}', index_name: shipments, auth_type: none }
change_retentions:
  - { name: payments-history, source_database: shop, source_table_schema: public, source_table_name: payments,
      destination_database: archive, destination_table_schema: public, destination_table_name: kept }
`;
    service = await startService({
      databaseUrl: world.messagesUrl,
      yaml,
      env: { ALLOW_PRIVATE_DESTINATIONS: 'true', MILLRACE_TOKEN: TOKEN },
    });
  });
  beforeEach(async () => {
    seen = await see(browser, { db: world.messages, url: service.url });
    page = seen.page;
  });
  afterEach(async () => await seen?.close());
  after(async () => {
    await browser?.close();
    await stopServices();
    await engine?.close();
    await world?.drop();
  });

  const post = async (path: string): Promise<void> => {
    const answer = await fetch(`${service.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: '{}',
    });
    expect(answer.status, path).to.equal(200);
  };
  /** At both sizes, by day and by night. */
  const looks = async (name: string): Promise<void> => {
    await expectAccessible(page, name);
    await screenshot(page, `trouble-${name}-1280`);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page, `${name}, narrow and dark`);
    await screenshot(page, `trouble-${name}-390`);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  /** What an item of the overview says about it. */
  const item = (name: string) => page.getByRole('listitem').filter({ hasText: name });

  it('no reader: who reads is named, the curl that is copied receives, and what keeps everybody from it is ended', async () => {
    await world.shop.query('insert into orders select n, n from generate_series(1, 5) n');
    await world.captured();
    // A beat that stays, however long this takes: others go after two minutes.
    await world.messages.query(
      `insert into millrace_private.capture_beats (database_no, seq, at, next_id)
       select g.database_no, -12, clock_timestamp() - interval '2 hours', max(g.next_id)
         from millrace_private.position_log g group by g.database_no`,
    );
    await until('it has waited for two hours', async () => {
      const { rows } = await world.messages.query<{ reasons: string[] }>(
        "select reasons from millrace.consumer_status where sink_name = 'orders-worker'",
      );
      return rows[0]?.reasons.includes('nobody_receives');
    });
    await page.goto('/');
    await item('orders-worker').filter({ hasText: 'nobody has received any' }).getByText('5 pending').waitFor();
    await item('orders-worker').getByRole('link', { name: 'Open orders-worker' }).click();
    const wrong = page.getByRole('region', { name: 'What is wrong' });
    await wrong.getByText('nobody_receives').waitFor();
    await page.getByText('Nobody has received anything over HTTP yet').waitFor();
    await looks('no-reader');
    await wrong.getByRole('button', { name: 'Disable…' }).click();
    await page.getByRole('alertdialog').getByText('What is pending (5 messages) stays').waitFor();
    await page.keyboard.press('Escape');
    // While it is paused nobody says what is wrong, which is not that nothing is.
    await post('/api/sinks/orders-worker/pause');
    await wrong.waitFor({ state: 'detached' });
    expect(await page.getByText('Working again since').count()).to.equal(0);
    await post('/api/sinks/orders-worker/resume');
    await wrong.getByText('nobody_receives').waitFor();

    const copied = (await page.getByLabel('curl', { exact: true }).locator('pre').textContent())!;
    await page.evaluate('navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }');
    await wrong.getByRole('button', { name: 'Copy curl' }).click();
    const curl = await page.evaluate<string>('globalThis.copied');
    expect(copied.startsWith(curl), 'it begins the example').to.equal(true);
    const { stdout } = await run('sh', ['-c', curl.replace('curl ', 'curl -sS ')], {
      env: { ...process.env, MILLRACE_TOKEN: TOKEN },
    });
    expect(JSON.parse(stdout).data).to.have.length(5);
    await page.getByRole('cell', { name: 'tests', exact: true }).waitFor();
    await wrong.waitFor({ state: 'detached' });
    await page.getByText('Working again since').waitFor();

    const client = new pg.Client(world.messagesUrl);
    const ended = new Promise((resolve) => client.on('error', resolve));
    await client.connect();
    try {
      const { rows } = await client.query<{ no: number }>(
        "select no from millrace_private.sinks where name = 'orders-worker'",
      );
      await client.query(`begin; lock table millrace_private.lock_${rows[0]!.no} in share mode`);
      await wrong.getByText('nobody can receive: backend').waitFor();
      await wrong.getByText('in share mode').waitFor();
      await looks('blocked');
      const sql = await wrong.getByLabel('SQL', { exact: true }).locator('pre').textContent();
      await world.messages.query(sql!);
      await ended;
      await wrong.waitFor({ state: 'detached' });
    } finally {
      await client.end();
    }
  });

  it('function failing: the page leads to its code, marks the line, and what failed is sent once it is saved', async () => {
    await post('/api/functions/product-document/release');
    await world.shop.query(
      "insert into products values (1, 'mill wheel', 12.5), (2, 'mill stone', null), (3, 'sluice', null)",
    );
    await page.goto('/');
    const faulty = item('function_faulty');
    await faulty.getByRole('link', { name: 'Edit function products-index' }).click();
    await page.getByText("Cannot read properties of null (reading 'toFixed')").first().waitFor();
    await page.getByText('(4:', { exact: false }).first().waitFor();
    const marked = page.locator('.cm-line', { has: page.locator('.cm-lintRange-error') });
    expect(await marked.textContent()).to.contain('toFixed');
    await looks('function-failing');
    await writeCode(page, 'transform', DOCUMENT.replace('price.toFixed', 'price?.toFixed'));
    await page.getByText('{"id":3,"name":"sluice"}').waitFor();
    await page.getByRole('button', { name: 'Save and retry 2' }).click();
    await page.getByText('retrying 2 messages').waitFor();
    await until('all three are there', () => engine.engine.documents('products').size === 3);
    await page.goto('/');
    await faulty.waitFor({ state: 'detached' });
  });

  it('function that ends its process: its sink is paused, and goes on by the button that saves it', async () => {
    await page.goto('/sinks/products-index/function');
    await page.getByRole('button', { name: 'Edit product-document' }).click();
    await writeCode(page, 'transform', BOMB);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved product-document').waitFor();
    await world.shop.query("insert into products select n, 'bomb', 1 from generate_series(11, 15) n");
    await page.goto('/');
    const killed = item('function_kills');
    // Three processes of functions have to end before.
    await killed.getByRole('link', { name: 'Edit function products-index' }).click({ timeout: 180_000 });
    // On a busy machine one may also be parked because its time was over, before the three.
    const { rows } = await world.messages.query<{ parked: number; killers: number }>(
      `select count(*)::integer as parked, count(*) filter (where error like '%brought its process down%')::integer as killers
         from millrace.parked_messages where sink_name = 'products-index'`,
    );
    const { parked, killers } = rows[0]!;
    expect(killers, 'so many pause the sink').to.equal(3);
    await page.getByRole('button', { name: `Resume and retry ${parked}` }).waitFor();
    await looks('function-kills');
    await writeCode(page, 'transform', DOCUMENT);
    await page.getByRole('button', { name: `Save, resume and retry ${parked}` }).click();
    await page.getByText(`retrying ${parked} messages`).waitFor();
    await until('all eight are there', () => engine.engine.documents('products').size === 8);
    await page.goto('/');
    await killed.waitFor({ state: 'detached' });
  });

  it('missing partition: the page has the SQL that makes it, and what waits gets less before one looks away', async () => {
    await world.shop.query('insert into payments select n, n from generate_series(1, 30) n');
    await page.goto('/');
    const missing = item('payments-history');
    await missing.getByText('no partition of relation').first().waitFor();
    await missing.getByText('30 pending').first().waitFor();
    await missing.getByRole('link', { name: 'Open payments-history' }).first().click();
    const wrong = page.getByRole('region', { name: 'What is wrong' });
    await wrong.getByText('no partition of relation').first().waitFor();
    await page.getByText('30 entries pending').waitFor();
    await looks('missing-partition');
    const sql = await wrong.getByLabel('SQL', { exact: true }).locator('pre').textContent();
    await world.archive.query(sql!);
    await wrong.getByRole('button', { name: 'Probe now' }).click();
    await page.getByText('nothing pending').waitFor();
    await page.getByText('Working again since').waitFor();
    const { rows } = await world.archive.query<{ kept: number }>('select count(*)::int as kept from kept');
    expect(rows).to.deep.equal([{ kept: 30 }]);
    await looks('partition-made');
  });

  it('circuit open: the curl that is copied makes the index, and a probe lets what waits go on', async () => {
    await world.shop.query('insert into shipments select n, n from generate_series(1, 7) n');
    await page.goto('/');
    const failing = item('shipments-index');
    await failing.getByText('no such index [shipments]').waitFor();
    await failing.getByText('7 pending').waitFor();
    await failing.getByRole('link', { name: 'Open shipments-index' }).click();
    const wrong = page.getByRole('region', { name: 'What is wrong' });
    await wrong.getByText('no such index [shipments]').first().waitFor();
    await wrong.getByText(/Next probe (now|in \d+ s)/).waitFor();
    const curl = wrong.getByLabel('curl', { exact: true }).locator('pre');
    await curl.getByText('"weight"').waitFor();
    await looks('circuit-open');
    await run('sh', ['-c', (await curl.textContent())!.replace('curl ', 'curl -sS ')]);
    await wrong.getByRole('button', { name: 'Probe now' }).click();
    await page.getByText('Working again since').waitFor();
    await until('all seven are there', () => engine.engine.documents('shipments').size === 7);
  });

  it('parked by mapping: one cause with what it says, its field marked, and all are sent once it is put right', async () => {
    const reason = "failed to parse field [weight] of type [long] in document with id '21'";
    engine.fail(
      {
        kind: 'items',
        decide: ({ index }) =>
          index === 'shipments' ? { status: 400, error: { type: 'mapper_parsing_exception', reason } } : undefined,
      },
      { times: Number.POSITIVE_INFINITY },
    );
    await world.shop.query('insert into shipments select n, n from generate_series(21, 23) n');
    await page.goto('/');
    const parked = item('shipments-index').filter({ hasText: '3 messages are parked' });
    await parked.getByRole('link', { name: 'View messages shipments-index' }).click();
    await page.getByText('3 parked, one cause').waitFor();
    await page.getByRole('link', { name: '21', exact: true }).click();
    await page.getByText('(the field with the error)').waitFor();
    await looks('parked-by-mapping');
    engine.fix();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Retry 3' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Retry 3' }).click();
    await page.getByText('Retrying 3 messages').waitFor();
    await until('all ten are there', () => engine.engine.documents('shipments').size === 10);
  });
});
