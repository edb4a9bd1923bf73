/** A database in trouble, provoked for real: WAL that piles up while capture is held, and a slot that somebody dropped. */
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { expectAccessible, openBrowser, screenshot, see } from '../support/browser/browser.ts';
import { type Cluster, startCluster } from '../support/postgres/postgres.ts';
import { signalTo } from '../support/processes/process-tree.ts';
import { startService, stopServices, type TestService } from '../support/processes/service.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

describe('browser: a database in trouble', () => {
  let browser: Browser;
  let cluster: Cluster;
  let world: World;
  let service: TestService;
  before(async function () {
    browser = await openBrowser(this);
    cluster = await startCluster();
    world = await createWorld('create table orders (id bigint primary key, total numeric)', {
      cluster,
      as: 'superuser',
    });
    await world.shop.query('insert into orders select n, n from generate_series(1, 500) n');
    await world.shop.query('analyze orders');
    await world.shop.query("alter system set max_slot_wal_keep_size = '64MB'");
    await world.shop.query('select pg_reload_conf()');
    const sinks = 'sinks:\n  - { name: orders-worker, database: shop, destination: { type: pull } }\n';
    service = await startService({ databaseUrl: world.messagesUrl, yaml: world.yaml + sinks });
  });
  after(async () => {
    await browser?.close();
    await stopServices();
    await world?.drop();
    await cluster?.stop();
  });

  const signal = async (name: NodeJS.Signals): Promise<void> => signalTo((await service.find('capture'))!.pid, name);
  /** Time passes, in which no capture has reported. */
  const unheard = async (): Promise<void> => {
    const { messages } = world;
    await messages.query("update millrace_private.capture_beats set at = at - interval '1 minute'");
    await messages.query("update millrace_private.positions set state_since = state_since - interval '1 minute'");
  };
  const shots = async (page: Page, name: string): Promise<void> => {
    await expectAccessible(page, name);
    await screenshot(page, `databases-${name}-1280`);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page, `${name}, narrow`);
    await screenshot(page, `databases-${name}-390`);
    await page.setViewportSize({ width: 1280, height: 800 });
  };

  it('says who captured it last and how long its WAL will last, and goes on by itself', async () => {
    const seen = await see(browser, { db: world.messages, url: service.url });
    const { page } = seen;
    await page.goto('/databases/shop');
    await page.getByLabel('Replication slots of this server').waitFor();
    await signal('SIGSTOP');
    for (let part = 0; part < 45; part += 1)
      await world.shop.query("select pg_logical_emit_message(false, 'test', repeat('x', 1000000))");
    await unheard();
    await page.getByRole('heading', { name: 'Capture is not running' }).waitFor();
    await page.getByText('What you can do, the safest first:').waitFor();
    await page.getByText('bin/millrace start capture').first().waitFor();
    await shots(page, 'lagging');
    const sql = await page.getByLabel('SQL that allows more').locator('pre').textContent();
    for (const one of sql!.split('\n')) await world.shop.query(one);
    await page.getByText('of 128 MB').first().waitFor();
    await signal('SIGCONT');
    await page.getByRole('heading', { name: 'Capture is not running' }).waitFor({ state: 'detached' });
    await seen.close();
  });

  it('is shown in full where the file declares it, and what may not be done says why', async () => {
    const seen = await see(browser, { db: world.messages, url: service.url }, { scopes: ['read'] });
    const { page } = seen;
    await page.goto('/databases/shop/settings');
    await page.getByText('copy its entry into the file').waitFor();
    expect(await page.getByRole('button', { name: /^Save…/ }).isDisabled()).to.equal(true);
    await page.getByRole('button', { name: 'Release to the API… (Needs the scope `admin`)' }).waitFor();
    await page.getByRole('button', { name: 'As YAML' }).click();
    const yaml = await page.getByLabel('YAML', { exact: true }).locator('pre').textContent();
    expect(yaml)
      .to.match(/^databases:\n {2}- name: shop\n/)
      .and.include(`slot:\n      name: ${world.slot}\n`);
    await expectAccessible(page, 'declared by the file');
    await screenshot(page, 'databases-file-1280');
    await seen.close();
  });

  it('says what each sink misses when its slot is gone, and is resynced from its page', async () => {
    const seen = await see(browser, { db: world.messages, url: service.url });
    const { page } = seen;
    await page.goto('/');
    await world.captured();
    await until('the slot is dropped', async () => {
      const drop = `do $$ begin
        perform pg_terminate_backend(active_pid, 5000) from pg_replication_slots where slot_name = '${world.slot}' and active;
        perform pg_drop_replication_slot('${world.slot}'); end $$`;
      return await world.shop.query(drop).then(
        () => true,
        () => false,
      );
    });
    await page.getByText(`replication slot ${world.slot} is gone`).first().waitFor();
    await page.goto('/databases/shop');
    await page.getByText('Capture has stopped').waitFor();
    await page.getByLabel('What each sink misses').getByText('about 500 rows').waitFor();
    await page.getByLabel('Checks').getByText('is gone').first().waitFor();
    await shots(page, 'gap');
    await page.getByRole('button', { name: 'Resync…' }).click();
    await expectAccessible(page, 'resync');
    await screenshot(page, 'databases-resync-1280');
    await page.getByRole('button', { name: 'Resync and send about 500 rows' }).click();
    const progress = page.getByRole('heading', { name: 'Resync', exact: true });
    await progress.waitFor();
    await page.getByText('Done', { exact: true }).waitFor({ timeout: 60_000 });
    await page.getByText('Capture has stopped').waitFor({ state: 'detached' });
    await page.getByLabel('Replication slots of this server').waitFor();
    await shots(page, 'resynced');
    const { rows } = await world.messages.query<{ pending: number }>('select pending from millrace.sink_status');
    expect(rows[0]!.pending).to.be.at.least(500);
    await seen.close();
  });
});
