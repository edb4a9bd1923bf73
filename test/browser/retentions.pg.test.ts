/** Change retentions in the browser, on a change table of a real database: how they are, what they keep, how it is replayed. */
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import { statement } from '../../src/db/statement.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { builtConsole, expectAccessible, openBrowser, screenshot, see } from '../support/browser/browser.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { sharedSource } from '../support/postgres/postgres.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';

const PARTITIONED = statement('sinks/change-table/create-partitioned-table').text.replace('<event_table>', 'public.b');

describe('browser: change retentions', () => {
  let browser: Browser;
  let m: MessageDatabase;
  let web: TestWeb;
  let archive: Database;
  let drop: () => Promise<void>;
  before(async function () {
    browser = await openBrowser(this);
    m = await messageDatabase();
    const made = await (await sharedSource()).createDatabase();
    drop = () => made.drop();
    archive = openPool({ address: made.url, max: 2, applicationName: 'test', path: 'role' });
    const file = FILE.replace(
      'functions:',
      `  - { name: archive, url: '${made.url}', slot: { name: c }, publication: { name: c } }\nfunctions:`,
    ).replace('destination_database: shop', 'destination_database: archive');
    await applyConfig({ db: m.db, keys: KEYS }, parse(file).config);
    web = await testWeb({ db: m.db, console: await builtConsole() }, { keepHealthMs: 0 });
  });
  after(async () => {
    await browser?.close();
    await web?.close();
    await archive?.close();
    await drop?.();
    await m?.drop();
  });

  it('says how one is, pauses it, and finds the missing partition with the SQL that makes it', async () => {
    await archive.query(
      `${PARTITIONED}; create table b_old partition of b for values from ('2020-01-01') to ('2020-01-02')`,
    );
    const seen = await see(browser, { db: m.db, url: web.url });
    const { page } = seen;
    await page.goto('/change-retentions');
    await page.getByText('public.a', { exact: true }).waitFor();
    await expectAccessible(page, 'change retentions');
    await screenshot(page, 'retentions-list-1280');
    await page.getByRole('link', { name: 'history' }).click();
    await page.getByText('A job of Millrace').waitFor();
    await page.getByText('30 days').waitFor();
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('no partition takes an entry of now').waitFor();
    await expectAccessible(page, 'a change retention whose partition is missing');
    await screenshot(page, 'retentions-overview-1280');
    await archive.query(await page.locator('pre', { hasText: 'partition of' }).innerText());
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('no partition takes an entry of now').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Pause history' }).click();
    await page.getByRole('button', { name: 'Resume history' }).click();
    await page.getByRole('button', { name: 'Pause history' }).waitFor();
    await page.getByRole('link', { name: 'Messages', exact: true }).click();
    await page.getByText('Nothing waits').first().waitFor();
    await expectAccessible(page, 'messages of a change retention');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/change-retentions/history');
    await page.getByText('A job of Millrace').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page, 'a change retention at 390 px');
    await screenshot(page, 'retentions-overview-390');
    await page.goto('/change-retentions');
    await page.getByText('public.a', { exact: true }).waitFor();
    await expectAccessible(page, 'change retentions at 390 px');
    expect(await page.title()).to.contain('Change retentions');
    await seen.close();
  });
});
