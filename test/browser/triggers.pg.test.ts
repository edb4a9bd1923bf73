/** A source that has no logical replication: its page offers capture by triggers where that is found, and speaks of triggers from then on. */
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { expectAccessible, openBrowser, screenshot, see } from '../support/browser/browser.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type Cluster, execute, startCluster, type TestDatabase } from '../support/postgres/postgres.ts';
import { createService, stopServices, type TestService } from '../support/processes/service.ts';
import { TOKEN } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

describe('browser: a database captured by triggers', () => {
  let browser: Browser;
  let cluster: Cluster;
  let m: MessageDatabase;
  let source: TestDatabase;
  let service: TestService;
  before(async function () {
    browser = await openBrowser(this);
    cluster = await startCluster({ settings: { wal_level: 'replica' } });
    m = await messageDatabase();
    source = await cluster.createDatabase();
    await execute(source.url, 'create table orders (id bigint primary key, total numeric)');
    service = await createService({
      databaseUrl: m.url,
      yaml: `api_tokens: [{ name: tests, token: ${TOKEN} }]\n`,
      env: { ALLOW_PRIVATE_DESTINATIONS: 'true' },
    });
    await service.start({ wait: false });
    await until('/livez answers', async () => (await fetch(`${service.url}/livez`).catch(() => null))?.ok);
  });
  after(async () => {
    await browser?.close();
    await stopServices();
    await m?.drop();
    await cluster?.stop();
  });

  const post = async (path: string, body: object): Promise<void> => {
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    expect(answer.status, await answer.text()).to.equal(200);
  };

  it('is connected in the way that is offered where the other one is not to be had', async () => {
    const seen = await see(browser, { db: m.db, url: service.url });
    const { page } = seen;
    await page.goto('/databases/new');
    await page.getByLabel('Address').fill(source.url);
    await page.getByLabel('Name', { exact: true }).fill('shop');
    await page.getByRole('button', { name: 'Check connection' }).click();
    await page.getByLabel('Checks').getByText('wal_level').first().waitFor();
    await expectAccessible(page, 'no replication');
    await screenshot(page, 'triggers-offered-1280');
    await page.getByRole('button', { name: 'Capture by triggers' }).click();
    await page.getByRole('button', { name: 'Check connection' }).click();
    await page.getByText('Ready to be captured').waitFor();
    await expectAccessible(page, 'by triggers');
    await page.getByRole('button', { name: 'Connect', exact: true }).click();
    await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor();
    await post('/api/sinks', { name: 'orders-worker', database: 'shop', destination: { type: 'pull' } });
    await page.getByText('triggers on the tables').waitFor();
    await until('it is captured', async () => {
      await execute(source.url, 'insert into orders select coalesce(max(id), 0) + 1, 12.5 from orders');
      const { rows } = await m.db.query<{ pending: number }>('select pending from millrace.sink_status');
      return (rows[0]?.pending ?? 0) > 0;
    });
    await page.getByText('OK', { exact: true }).first().waitFor();
    for (const told of ['WAL kept by the source', 'The replication slot does not exist', 'Confirmed to the source'])
      expect(await page.getByText(told).count(), told).to.equal(0);
    await expectAccessible(page, 'captured by triggers');
    await screenshot(page, 'triggers-database-1280');
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page, 'captured by triggers, narrow');
    await seen.close();
  });

  it('has the settings of triggers and none of a slot, and is removed while its capture still runs', async () => {
    const seen = await see(browser, { db: m.db, url: service.url });
    const { page } = seen;
    await page.goto('/databases');
    await page.getByRole('cell', { name: 'triggers', exact: true }).waitFor();
    await page.goto('/databases/shop/settings');
    await page.getByLabel('If a change cannot be noted').selectOption('skip');
    expect(await page.getByLabel('Slot', { exact: true }).count()).to.equal(0);
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('alertdialog').getByText('trigger_errors').waitFor();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved shop').waitFor();
    await page.reload();
    expect(await page.getByLabel('If a change cannot be noted').inputValue()).to.equal('skip');
    await expectAccessible(page, 'settings of triggers');
    const deleted = await fetch(`${service.url}/api/sinks/orders-worker?force=true`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    expect(deleted.status).to.equal(200);
    await page.getByText('drops the triggers and publication').waitFor();
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByRole('alertdialog').getByText('millrace_capture').waitFor();
    expect(await page.getByRole('alertdialog').getByText('Replication slot').count()).to.equal(0);
    await expectAccessible(page, 'removing one with triggers');
    // Its capture has not noticed yet that nobody wants its changes: that is waited for.
    await page.getByLabel('Type shop to continue').fill('shop');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Removed shop').waitFor({ timeout: 120_000 });
    await page.waitForURL('**/databases');
    await execute(source.url, 'create schema millrace_capture');
    await seen.close();
  });
});
