/** The way in: the link of a start, the login, a session that ends; and the overview behind it. */
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { makeSetupToken } from '../../src/admin/setup.ts';
import { builtConsole, expectAccessible, openBrowser, PASSWORD, screenshot, see } from '../support/browser/browser.ts';
import { addPullSink } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';

describe('browser: the way in', () => {
  let browser: Browser;
  let m: MessageDatabase;
  let web: TestWeb;
  before(async function () {
    browser = await openBrowser(this);
    m = await messageDatabase();
    web = await testWeb({ db: m.db, console: await builtConsole() }, { keepHealthMs: 0 });
  });
  after(async () => {
    await browser?.close();
    await web?.close();
    await m?.drop();
  });

  it('lets the first person choose a password, keeps the token out of the address, and logs out and in again', async () => {
    const seen = await see(browser, { db: m.db, url: web.url }, { scopes: null });
    const { page } = seen;
    await page.goto(`/setup#k=${await makeSetupToken(m.db)}`);
    await expectAccessible(page, 'setup');
    expect(new URL(page.url()).hash).to.equal('');
    await page.getByLabel('Email').fill('ann@example.org');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Connect your first database').waitFor();
    await expectAccessible(page, 'overview, empty');
    await page.getByRole('button', { name: 'ann@example.org' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await expectAccessible(page, 'login');
    await page.getByLabel('Email').fill('ann@example.org');
    await page.getByLabel('Password').fill('wrong password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await seen.close();
  });

  it('leads back to the address that was asked for, and to no other host', async () => {
    const seen = await see(browser, { db: m.db, url: web.url }, { scopes: null });
    const { page } = seen;
    await page.goto('/?from=a-colleague');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(new URL(page.url()).searchParams.get('next')).to.equal('/?from=a-colleague');
    await page.goto('/login?next=//evil.example/');
    await page.getByLabel('Email').fill('ann@example.org');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(new URL(page.url()).origin).to.equal(web.url);
    await seen.close();
  });

  it('shows everything on one page, finds by name, and says so when nobody answers', async () => {
    await addPullSink(m.db, { name: 'orders-worker' });
    for (const look of [
      { dark: false, width: 1280 },
      { dark: true, width: 390 },
    ] as const) {
      const seen = await see(browser, { db: m.db, url: web.url }, look);
      const { page } = seen;
      await page.goto('/');
      await page.getByRole('link', { name: 'orders-worker' }).waitFor();
      await expectAccessible(page, `overview ${look.width}`);
      await screenshot(page, `overview-${look.width}`);
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'A name' }).fill('worker');
      await page.getByRole('option', { name: 'orders-worker' }).waitFor();
      await expectAccessible(page, 'find');
      await page.keyboard.press('Escape');
      await page.route('**/api/overview', (route) => route.abort());
      await page.getByText('No answer since').waitFor();
      await page.unroute('**/api/overview');
      await page.getByText('No answer since').waitFor({ state: 'detached' });
      await seen.close();
    }
  });
});
