/** Sinks: the list, a new one, and the pages of one, on a real source and an engine that speaks the search engines' protocol. */

import { expect } from 'chai';
import pg from 'pg';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible, LOOKS, screenshot, showPart, writeCode } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { sharedSource, type TestDatabase } from '../support/postgres/postgres.ts';

const SCHEMA = `
create table products (id bigint primary key, name text not null, price numeric(12, 4), added_at timestamptz);
insert into products values (9223372036854775807, 'mill wheel', 12345678.1200, '2026-01-31 12:00+00');
create table orders (id int primary key, customer_id int not null, status text);
create table no_key (x int);
create publication p for table products, orders;
analyze;
`;

describe('browser: sinks', () => {
  let on: TestConsole;
  let source: TestDatabase;
  let engine: BulkServer;
  before(async function () {
    on = await openConsole(this, { privateAllowed: true });
    source = await (await sharedSource()).createDatabase();
    const client = new pg.Client(source.url);
    await client.connect();
    await client.query(SCHEMA);
    await client.end();
    engine = await startBulkServer({ indexes: ['products'] });
  });
  after(async () => {
    await on?.close();
    await engine?.close();
    await source?.drop();
  });
  const declare = async (sinks: string): Promise<void> => {
    const shop = `databases: [{ name: shop, url: '${source.url}', slot: { name: s }, publication: { name: p } }]\n`;
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(`${shop}${sinks}`).config);
  };

  it('are listed with how they are; filters stand in the address', async () => {
    const { m } = on;
    const none = await on.see();
    await none.page.goto('/sinks');
    await none.page.getByText('No sinks yet').waitFor();
    await expectAccessible(none.page, 'sinks, empty');
    await screenshot(none.page, 'sinks-empty-1280');
    await none.close();
    await declare(`sinks:
  - { name: orders-worker, database: shop, source: { include_tables: [orders] }, destination: { type: pull } }
  - { name: orders-hook, database: shop, status: paused, destination: { type: webhook, url: 'http://127.0.0.1:1/' } }
`);
    const { rows } = await m.db.query<{ no: number }>(
      `select no from millrace_private.sinks where name = 'orders-worker'`,
    );
    const ids = await appendMessages(m.db, rows[0]!.no, [{ group: 1 }, { group: 2 }]);
    await parkOnArrival(m.db, rows[0]!.no, ids.slice(1));
    await m.db.query("select from millrace.receive('orders-worker', 1)");
    await m.db.query("update millrace_private.leases set until = clock_timestamp() - interval '1 min'");
    for (const look of LOOKS) {
      const seen = await on.see(look);
      const { page } = seen;
      await page.goto('/sinks');
      await page.getByRole('link', { name: 'orders-worker' }).waitFor();
      await expectAccessible(page, `sinks ${look.width}`);
      await screenshot(page, `sinks-list-${look.width}`);
      await page.getByRole('button', { name: 'Kind', exact: true }).click();
      await page.getByRole('button', { name: 'Webhook', exact: true }).click();
      await page.getByRole('link', { name: 'orders-worker' }).waitFor({ state: 'detached' });
      await page.reload();
      await page.getByRole('link', { name: 'orders-hook' }).waitFor();
      await page.goBack();
      await page.getByRole('link', { name: 'orders-worker' }).waitFor();
      await page.goForward();
      await page.getByRole('link', { name: 'orders-worker' }).waitFor({ state: 'detached' });
      await page.getByRole('searchbox', { name: 'Search sinks' }).fill('nothing like it');
      await page.getByRole('link', { name: 'Show all 2' }).click();
      await page.getByRole('button', { name: 'Resume orders-hook' }).click();
      await page.getByText('Resumed orders-hook').waitFor();
      await page.getByRole('button', { name: 'Pause orders-hook' }).click();
      await page.getByText('Paused orders-hook').waitFor();
      await page.getByRole('link', { name: 'orders-worker' }).click();
      await page.getByRole('heading', { name: 'orders-worker' }).waitFor();
      await page.getByText('The lease of 1 message has run out').waitFor();
      await expectAccessible(page, `sink ${look.width}`);
      await seen.close();
    }
  });

  it('says why somebody paused it, on its page and on the first one, until it goes on', async () => {
    await declare(
      `sinks: [{ name: orders-worker, database: shop, source: { include_tables: [orders] }, destination: { type: pull } }]`,
    );
    await on.m.db.transaction(async (tx) => {
      await tx.query("set local millrace.reason = 'The warehouse moves until noon <b>'");
      await tx.query("select millrace.pause('orders-worker')");
    });
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/sinks/orders-worker');
    await page.getByText(/^Paused .*: The warehouse moves until noon <b>$/).waitFor();
    await expectAccessible(page, 'a sink that is paused with a reason');
    await screenshot(page, 'sink-paused-1280');
    await page.goto('/');
    await page.getByText('The reason given: The warehouse moves until noon <b>').waitFor();
    await page.goto('/sinks/orders-worker');
    await page.getByRole('button', { name: 'Resume orders-worker' }).click();
    await page.getByText('The warehouse moves').waitFor({ state: 'detached' });
    await seen.close();
  });

  it('is made on one page: what is wrong is said in its place, and a draft outlives a reload', async () => {
    await declare('');
    for (const look of LOOKS) {
      const seen = await on.see(look);
      const { page } = seen;
      await page.goto('/sinks');
      await page.getByRole('link', { name: 'New sink' }).click();
      await expectAccessible(page, `new sink, empty ${look.width}`);
      await page.getByLabel('Database').selectOption('shop');
      await page.getByRole('checkbox', { name: 'products' }).check();
      await page.getByLabel('Endpoint').fill(engine.url);
      await page.getByLabel('Index', { exact: true }).fill('Missing');
      await page.getByText('is not a name that a search engine takes').waitFor();
      await page.getByLabel('Index', { exact: true }).fill('missing');
      await page.getByRole('button', { name: 'Test connection' }).click();
      await page.getByText('curl -X PUT').waitFor();
      // What the header covers by half is too small to be hit.
      await page.evaluate('scrollTo(0, 0)');
      await expectAccessible(page, `new sink, tested ${look.width}`);
      await screenshot(page, `sinks-new-tested-${look.width}`);
      await page.getByText('9223372036854775807').first().waitFor();
      await page.getByRole('radio', { name: 'Write a function' }).check();
      await writeCode(page, 'transform', '(action, record) => ({ id: record.id, name: record.nam.length })');
      await page.locator('.cm-lintRange-error').waitFor();
      await showPart(page, 'Samples and results');
      await page.getByText('(1:').waitFor();
      await expectAccessible(page, `new sink, its function ${look.width}`);
      await showPart(page, 'Code');
      await writeCode(page, 'transform', '(action, record) => ({ id: record.id, named: record.name })');
      await showPart(page, 'Samples and results');
      await page.getByText('{"id":9223372036854775807,"named":"mill wheel"}').waitFor();
      await page.getByLabel('Name of the transform').fill(`document-${look.width}`);
      await page.getByLabel('Name', { exact: true }).fill(`products-${look.width}`);
      await page.reload();
      await showPart(page, 'Samples and results');
      await page.getByText('{"id":9223372036854775807,"named":"mill wheel"}').waitFor();
      await screenshot(page, `sinks-new-${look.width}`);
      await page.getByRole('button', { name: 'As YAML' }).click();
      await page.getByText(`- name: products-${look.width}`).waitFor();
      await page.getByText(`transform: document-${look.width}`).waitFor();
      await expectAccessible(page, `new sink, as YAML ${look.width}`);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: /^Create sink/ }).click();
      await page.getByRole('alert').filter({ hasText: 'index' }).waitFor();
      await page.getByLabel('Index', { exact: true }).fill('products');
      await page.getByRole('button', { name: /^Create sink/ }).click();
      await page.getByRole('heading', { name: `products-${look.width}`, level: 1 }).waitFor();
      await seen.close();
    }
  });

  it('say what is wrong in the words of the destination, what became of messages, and what is lost with them', async () => {
    const { m, web } = on;
    await declare(`sinks:
  - { name: reader, database: shop, source: { include_tables: [products] }, destination: { type: pull } }
  - { name: stuck, database: shop, source: { include_tables: [products] }, destination: { type: elasticsearch, endpoint_url: '${engine.url}', index_name: gone, auth_type: none } }
`);
    const noOf = async (name: string): Promise<number> =>
      (await m.db.query<{ no: number }>('select no from millrace_private.sinks where name = $1', [name])).rows[0]!.no;
    await m.db.query(
      `insert into millrace_private.circuits (sink_no, reason, error, probe_at) values ($1, 'index_missing', 'no such index [gone]', now() + interval '1 h')`,
      [await noOf('stuck')],
    );
    await appendMessages(m.db, await noOf('reader'), [{ group: 1 }]);
    await m.db.query(
      `insert into millrace_private.sink_counters (sink_no, step, at, persisted, delivered, failed, bytes, latency)
       select $1, 'minute', date_trunc('minute', now()) - n * interval '1 min', 900 + n * 7 % 400, 900 + n * 5 % 420, n % 11, 70000,
              array_fill(0, array[2]) || array[20, 70 + n % 30, 8, 2] || array_fill(0, array[18])
         from generate_series(0, 300) n`,
      [await noOf('reader')],
    );
    for (const look of LOOKS) {
      const seen = await on.see(look);
      const { page } = seen;
      await page.goto('/sinks/stuck');
      await page.getByText('no such index [gone]').first().waitFor();
      await page.getByText('curl -X PUT').waitFor();
      await page.getByRole('button', { name: 'Probe now' }).click();
      await page.getByText('Probing the destination now').waitFor();
      await expectAccessible(page, `failing sink ${look.width}`);
      await screenshot(page, `sinks-failing-${look.width}`);
      await page.goto('/sinks/reader/overview?range=day');
      await page.getByText('where "id" = 9223372036854775807').waitFor();
      await page.getByText('Nobody has received anything over HTTP yet').waitFor();
      await on.m.db.query(
        `insert into millrace_private.processes (id, role, host, pid, version, key_id, waiting)
         select gen_random_uuid(), 'web', 'shop-1', 70, '1', 'k', jsonb_build_object(no, 2) from millrace_private.sinks where name = $1`,
        [new URL(page.url()).pathname.split('/')[2]],
      );
      await page.getByText('2 clients are waiting for the next message.').waitFor();
      await on.m.db.query('delete from millrace_private.processes');
      await page.locator('canvas').first().waitFor();
      await expectAccessible(page, `consumer ${look.width}`);
      await screenshot(page, `sinks-consumer-${look.width}`);
      await page.getByRole('button', { name: 'As a table' }).first().click();
      await page.getByRole('button', { name: 'Disable…' }).click();
      await page.getByText('Changes from now on are not kept for it').waitFor();
      await expectAccessible(page, `disable ${look.width}`);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByText('1 pending and 0 parked messages are lost').waitFor();
      await page.keyboard.press('Escape');
      const gone = `gone-${look.width}`;
      await web.call('POST', '/api/sinks', { body: { name: gone, database: 'shop', destination: { type: 'pull' } } });
      await page.goto(`/sinks/${gone}`);
      await page.getByRole('button', { name: 'Delete…' }).click();
      await page.getByLabel('to continue').fill(gone);
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText(`Deleted ${gone}`).waitFor();
      await page.goto(`/sinks/${gone}`);
      await page.getByText('deleted it').waitFor();
      await seen.close();
    }
  });

  it('are changed after the difference was shown; what somebody else did meanwhile is not lost', async () => {
    const { web } = on;
    const shop = `databases: [{ name: shop, url: '${source.url}', slot: { name: s }, publication: { name: p } }]\n`;
    const filed = `${shop}sinks: [{ name: filed, database: shop, destination: { type: pull } }]`;
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(filed).config, { from: 'millrace.yaml' });
    for (const look of LOOKS) {
      const name = `changed-${look.width}`;
      const body = { name, database: 'shop', destination: { type: 'pull' } };
      await web.call('POST', '/api/sinks', { body });
      const seen = await on.see(look);
      const { page } = seen;
      await page.goto(`/sinks/${name}/settings`);
      await page.getByLabel('Lease (ms)').fill('many');
      await page.getByText('must be a whole number').waitFor();
      await page.getByLabel('Lease (ms)').fill('45000');
      await page.getByRole('button', { name: 'Save…' }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByText('destination.visibility_timeout_ms').waitFor();
      await expectAccessible(page, `save ${look.width}`);
      await screenshot(page, `sinks-save-${look.width}`);
      await web.call('PATCH', `/api/sinks/${name}`, { body: { max_retry_count: 7 } });
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('token admin has changed it in the meantime').waitFor();
      await dialog.getByLabel('What someone else changed').getByText('max_retry_count').waitFor();
      await dialog.getByRole('button', { name: 'Save anyway' }).waitFor();
      await expectAccessible(page, `save, changed meanwhile ${look.width}`);
      await screenshot(page, `sinks-outdated-${look.width}`);
      await page.keyboard.press('Escape');
      await page.getByText('token admin changed it in the meantime').waitFor();
      await expectAccessible(page, `settings, changed meanwhile ${look.width}`);
      await screenshot(page, `sinks-settings-${look.width}`);
      await page.getByRole('button', { name: 'Apply my changes on top' }).click();
      await page.getByRole('button', { name: 'Save…' }).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText(`Saved ${name}`).waitFor();
      const { json } = await web.call('GET', `/api/sinks/${name}`);
      expect([json.destination.visibility_timeout_ms, json.max_retry_count]).to.deep.equal([45_000, 7]);
      await page.getByLabel('Lease (ms)').fill('46000');
      await page.getByRole('button', { name: 'Save…' }).click();
      await dialog.getByText('46000').waitFor();
      await web.call('PATCH', `/api/sinks/${name}`, { body: { max_retry_count: 8 } });
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByRole('button', { name: 'Save anyway' }).click();
      await dialog.waitFor({ state: 'detached' });
      const saved = (await web.call('GET', `/api/sinks/${name}`)).json;
      expect([saved.destination.visibility_timeout_ms, saved.max_retry_count]).to.deep.equal([46_000, 8]);
      await page.goto('/sinks/filed/settings');
      await page.getByText('Declared in the configuration file').waitFor();
      await page.getByLabel('Lease (ms)').fill('60000');
      await page.getByText('visibility_timeout_ms: 60000').waitFor();
      await page.getByRole('button', { name: 'Release to the API…' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Release to the API' }).click();
      await page.getByText('Released from the configuration file').waitFor();
      await page.getByRole('button', { name: 'Return to the file…' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Return to the file' }).click();
      await page.getByText('Declared in the configuration file').waitFor();
      await seen.close();
    }
  });
});
