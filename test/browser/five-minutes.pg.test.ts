/** The first five minutes with the keyboard alone: from the link of a start to documents in an index, and what is in the way is said in place. */
import { expect } from 'chai';
import type { Browser, Locator, Page } from 'playwright-core';
import { makeSetupToken } from '../../src/admin/setup.ts';
import { expectAccessible, openBrowser, PASSWORD, screenshot, see } from '../support/browser/browser.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { execute, sharedSource, type TestDatabase } from '../support/postgres/postgres.ts';
import { createService, SECRET_KEY, stopServices, type TestService } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const SHOP = `create table products (id bigint primary key, name text not null, price numeric(12, 4));
insert into products select n, 'mill wheel ' || n, 12.5 from generate_series(1, 200) n;
create table notes (at timestamptz, body text);
analyze`;

/** More than one page has to be tabbed through. */
const TABS_MAX = 120;

interface Here {
  document: { activeElement: unknown };
  getComputedStyle(of: unknown): { outlineStyle: string; outlineWidth: string };
}

/** Whether one sees that the focus is there; null: it is elsewhere. */
const seenOn = async (target: Locator): Promise<boolean | null> =>
  await target.evaluate((element) => {
    const here = globalThis as unknown as Here;
    if (element !== here.document.activeElement) return null;
    // An editor draws it around the whole of itself.
    const { outlineStyle, outlineWidth } = here.getComputedStyle(element.closest('.cm-editor') ?? element);
    return element.matches(':focus-visible') && outlineStyle !== 'none' && outlineWidth !== '0px';
  });

/** Goes there by Tab alone, and expects that it can be seen where one is. */
async function reach(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  for (let pressed = 0; pressed <= TABS_MAX; pressed += 1) {
    if ((await seenOn(target)) !== null) {
      // An editor draws it a moment after it has it.
      await until(`focus is seen on ${target}`, () => seenOn(target));
      return;
    }
    // In an editor Tab indents, but for two seconds after Escape.
    if (await page.evaluate<boolean>("Boolean(document.activeElement?.closest('.cm-content'))"))
      await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
  }
  throw new Error(`not within ${TABS_MAX} tabs: ${target}`);
}

async function write(page: Page, label: string, text: string): Promise<void> {
  await reach(page, page.getByLabel(label, { exact: true }));
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
}

/** As from the clipboard: all of it at once. */
async function paste(page: Page, label: string, text: string): Promise<void> {
  await reach(page, page.getByLabel(label, { exact: true }));
  await page.keyboard.insertText(text);
}

async function press(page: Page, name: string | RegExp, role: 'button' | 'link' = 'button'): Promise<void> {
  await reach(page, page.getByRole(role, typeof name === 'string' ? { name, exact: true } : { name }).first());
  await page.keyboard.press('Enter');
}

/** What has the focus: a page that changes under it must not leave one nowhere. */
const isSomewhere = async (page: Page): Promise<boolean> =>
  await page.evaluate<boolean>('document.activeElement !== document.body');

describe('browser: five minutes', () => {
  let browser: Browser;
  let m: MessageDatabase;
  let service: TestService;
  let source: TestDatabase;
  let engine: BulkServer;
  before(async function () {
    browser = await openBrowser(this);
    m = await messageDatabase();
    source = await (await sharedSource()).createDatabase();
    await execute(source.url, SHOP);
    engine = await startBulkServer({ indexes: ['products'] });
    service = await createService({ databaseUrl: m.url, env: { ALLOW_PRIVATE_DESTINATIONS: 'true' } });
    await service.start({ wait: false });
    await until('/livez answers', async () => (await fetch(`${service.url}/livez`).catch(() => null))?.ok);
  });
  after(async () => {
    await browser?.close();
    await stopServices();
    await engine?.close();
    await source?.drop();
    await m?.drop();
  });

  it('lead from the link of a start to rows in an index, without a mouse', async () => {
    const seen = await see(browser, { db: m.db, url: service.url }, { scopes: null });
    const { page } = seen;
    await page.goto(`/setup#k=${await makeSetupToken(m.db)}`);
    await write(page, 'Email', 'ann@example.org');
    await write(page, 'Password', PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByText('Connect your first database').waitFor();

    await press(page, 'Connect a database', 'link');
    await paste(page, 'Address', source.url);
    expect(await isSomewhere(page), 'focus after the address was taken apart').to.equal(true);
    await press(page, 'Use other names');
    await write(page, 'Slot', `${source.name}_slot`);
    await write(page, 'Name', 'shop');
    await press(page, 'Check connection');
    await page.getByText('Ready to be captured').waitFor();
    await press(page, 'Connect');
    await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor();
    await page.getByText('capture begins with the first sink that reads from it').waitFor();
    await page.getByText(/The replication slot .+ is created with the first sink/).waitFor();
    expect(await page.getByText('Last hour').count(), 'a chart of nothing').to.equal(0);

    await press(page, 'New sink', 'link');
    await reach(page, page.getByLabel('Database'));
    expect(await page.getByLabel('Database').inputValue()).to.equal('shop');
    const table = page.getByRole('checkbox', { name: 'products' });
    await reach(page, table);
    await page.keyboard.press('Space');
    expect(await page.getByRole('checkbox', { name: 'notes' }).isDisabled(), 'a table without a key').to.equal(true);
    await page.getByText('replica identity').first().waitFor();
    await write(page, 'Endpoint', engine.url);
    await write(page, 'Index', 'missing');
    await press(page, 'Test connection');
    await page.getByText('curl -X PUT').waitFor();
    await write(page, 'Index', 'products');
    await press(page, 'Test connection');
    await page.getByText('curl -X PUT').waitFor({ state: 'detached' });

    await reach(page, page.getByRole('radio', { name: 'Send the row as it is' }));
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await write(page, 'Code of the transform', '(action, record) => ({ named: record.name, price: record.price })');
    await page.getByText('{"named":"mill wheel 200","price":12.5000}').waitFor();
    await write(page, 'Name of the transform', 'product-document');
    await screenshot(page, 'five-minutes-sink');
    await press(page, /^Create sink and send about 200 rows$/);
    await page.getByText('nothing pending', { exact: true }).waitFor();
    await until('all rows are there', () => engine.engine.documents('products').size === 200);
    expect(engine.engine.documents('products').get('17')).to.deep.equal({ named: 'mill wheel 17', price: 12.5 });
    const pace = page.getByRole('note', { name: 'Pace' });
    await pace.getByText(/^First document delivered .+ after creation$/).waitFor();
    await pace.getByText(/^In step: .+ behind$/).waitFor();
    await screenshot(page, 'five-minutes-overview');
    await seen.close();
  });

  it('say what is in the way in its place', async () => {
    const seen = await see(browser, { db: m.db, url: service.url });
    const { page } = seen;
    const wrong = new URL(source.url);
    [wrong.username, wrong.password] = ['nobody', 'wrong'];
    await page.goto('/databases/new');
    const button = page.getByRole('button', { name: 'Check connection (Enter the address of the database first)' });
    await button.waitFor();
    await write(page, 'Address', wrong.href);
    await press(page, 'Check connection');
    await page.getByText('One problem').waitFor();
    await press(page, 'Check again');
    expect(await isSomewhere(page), 'focus while it is checked again').to.equal(true);
    await page.getByText('One problem').waitFor();
    const checks = page.getByLabel('Checks');
    expect(await checks.textContent())
      .to.match(/password|role/i)
      .and.not.contain('wrong@')
      .and.not.contain('settings');
    await screenshot(page, 'five-minutes-wrong-password');
    // What it was started with is shown, and no secret of it.
    await page.goto('/settings');
    await page.getByRole('row').filter({ hasText: 'SECRET_KEY' }).first().getByText('********').waitFor();
    await page.getByRole('row').filter({ hasText: 'ALLOW_PRIVATE_DESTINATIONS' }).getByText('true').waitFor();
    expect(await page.content()).to.not.contain(SECRET_KEY);
    await expectAccessible(page, 'settings of the service');
    await seen.close();
  });
});
