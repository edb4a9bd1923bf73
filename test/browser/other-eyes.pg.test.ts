/** Pages for those who zoom far in, see high contrast, turn their screen, or print. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectNothingSideways, type Seen, screenshot } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { addShop, appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { until } from '../support/until.ts';

const PAGES = [
  ...['/', '/databases', '/databases/shop', '/databases/shop/settings', '/sinks', '/sinks/new', '/sinks/products'],
  ...['/sinks/products/messages', '/sinks/products/settings', '/functions', '/functions/new', '/operations', '/users'],
  ...['/change-retentions', '/change-retentions/history', '/tokens', '/account', '/audit'],
];

describe('browser: seen otherwise', () => {
  let on: TestConsole;
  let seen: Seen;
  let page: Page;
  before(async function () {
    on = await openConsole(this);
    const { db } = on.m;
    await applyConfig({ db, keys: KEYS }, parse(FILE).config);
    await addShop(db);
    const { rows } = await db.query<{ no: number }>("select no from millrace_private.sinks where name = 'products'");
    const ids = await appendMessages(
      db,
      rows[0]!.no,
      Array.from({ length: 60 }, (_, at) => ({ recordPks: [String(at)] })),
    );
    await parkOnArrival(db, rows[0]!.no, ids.slice(0, 2));
    await on.web.call('POST', '/api/sinks/products/verifications');
    await db.query(
      `update millrace_private.operations set state = 'running', phase = 'comparing', started_at = clock_timestamp(),
              progress = '{"table": "public.a", "done": 122000, "total": 200000, "percent": 61, "per_second": 6700, "seconds_left": 12}'`,
    );
  });
  beforeEach(async () => {
    seen = await on.see();
    page = seen.page;
  });
  afterEach(async () => await seen?.close());
  after(async () => await on?.close());

  it('zoomed to 400 %, nothing is cut off, and nothing stays in the way', async () => {
    await page.setViewportSize({ width: 320, height: 200 });
    for (const address of PAGES) {
      await page.goto(address);
      await page.locator('h1').waitFor();
      await page.locator('[aria-label=Loading]').first().waitFor({ state: 'detached' });
      await expectNothingSideways(page, address);
      const cut = await page.evaluate<string[]>(
        `[...document.querySelectorAll('section table td > *')]
           .filter((one) => one.getBoundingClientRect().right > one.closest('section').getBoundingClientRect().right + 1)
           .map((one) => one.parentElement.textContent)`,
      );
      expect(cut, address).to.deep.equal([]);
      expect(await page.evaluate("getComputedStyle(document.querySelector('header')).position")).to.equal('static');
    }
  });

  it('a list keeps its rows together, and its headings in sight, when the window becomes another one', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/sinks/products/messages');
    await page.getByRole('list', { name: 'Messages of products' }).getByRole('listitem').first().waitFor();
    await page.setViewportSize({ width: 820, height: 600 });
    const table = page.getByRole('table', { name: 'Messages of products' });
    const rows = table.locator('tbody tr');
    await until('rows are one below the other', async () => {
      const [first, second] = [await rows.nth(0).boundingBox(), await rows.nth(1).boundingBox()];
      return first !== null && second !== null && Math.abs(second.y - first.y - first.height) < 1;
    });
    await page.evaluate('scrollTo(0, 900)');
    await until('headings are below the header', async () => {
      const header = await page.locator('header').first().boundingBox();
      const headings = await table.locator('thead').boundingBox();
      return headings!.y >= header!.y + header!.height - 1 && headings!.y < 200;
    });
    await screenshot(page, 'messages-scrolled-820');
  });

  it('with letters twice as large, rows are as tall as what is in them', async () => {
    await page.addInitScript(`
      const large = new CSSStyleSheet();
      large.replaceSync('html { font-size: 32px !important }');
      document.adoptedStyleSheets = [large];`);
    await page.setViewportSize({ width: 1900, height: 900 });
    await page.goto('/sinks/products/messages');
    const table = page.getByRole('table', { name: 'Messages of products' });
    await table.locator('tbody tr').first().waitFor();
    const overlap = await page.evaluate<number[]>(
      `[...document.querySelectorAll('table tbody tr')].map((row) =>
         Math.max(...[...row.cells].map((cell) => cell.getBoundingClientRect().bottom)) - row.getBoundingClientRect().bottom)`,
    );
    expect(Math.max(...overlap)).to.be.at.most(1);
    const [first, second] = [
      await table.locator('tbody tr').nth(0).boundingBox(),
      await table.locator('tbody tr').nth(1).boundingBox(),
    ];
    expect(second!.y - first!.y).to.be.at.least(64);
  });

  it('in high contrast one can tell what is open and how far something is', async () => {
    await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' });
    await page.goto('/sinks/products/messages');
    const background = async (begins: string): Promise<string> =>
      await page.evaluate<string>(
        `getComputedStyle([...document.querySelectorAll('nav a')].find((one) => one.textContent.startsWith('${begins}'))).backgroundColor`,
      );
    await page.getByRole('link', { name: 'Backfills' }).waitFor();
    expect(await background('Messages')).to.not.equal(await background('Backfills'));
    expect(await background('Sinks')).to.not.equal(await background('Functions'));
    await screenshot(page, 'messages-high-contrast-1280');
    await page.goto('/');
    await page.getByRole('progressbar').first().waitFor();
    const adjusted = "getComputedStyle(document.querySelector('progress')).forcedColorAdjust";
    expect(await page.evaluate(adjusted)).to.equal('none');
    await screenshot(page, 'overview-high-contrast-1280');
  });

  it('for who hears them, another page is told, and the keys go on in it', async () => {
    await page.goto('/');
    await page.getByRole('link', { name: 'products', exact: true }).first().press('Enter');
    await page.getByRole('heading', { name: 'products', level: 1 }).waitFor();
    await page
      .getByRole('status')
      .filter({ hasText: /^products$/ })
      .waitFor({ state: 'attached' });
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('Sinks');
    expect(await page.evaluate("document.activeElement.closest('main') !== null")).to.equal(true);
    expect(await page.evaluate("document.activeElement.getAttribute('aria-current')")).to.equal(null);
  });

  it('by keys alone, a parked message is found and tried again, and the focus is never lost', async () => {
    const focused = (): Promise<string> =>
      page.evaluate<string>('document.activeElement === document.body ? "" : document.activeElement.textContent');
    const tabTo = async (what: RegExp): Promise<void> => {
      for (let presses = 0; presses < 60; presses += 1) {
        await page.keyboard.press('Tab');
        if (what.test(await focused())) return;
      }
      expect.fail(`no ${what} within 60 presses; at ${await focused()}`);
    };
    await page.goto('/');
    await page.getByText('2 messages are parked').waitFor();
    await tabTo(/^View messages/);
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Messages of products' }).waitFor();
    await tabTo(/^0$/);
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: /public.orders 0/ }).waitFor();
    await until('the message has the focus', async () => (await focused()).includes('public.orders 0'));
    await tabTo(/^Retry$/);
    await page.keyboard.press('Enter');
    await page.getByRole('alertdialog').getByText('It returns to its place').waitFor();
    await tabTo(/^Retry 1$/);
    await page.keyboard.press('Enter');
    await until('it is tried again', async () => {
      const { rows } = await on.m.db.query("select 1 from millrace.parked_messages where sink_name = 'products'");
      return rows.length === 1;
    });
    await page.getByRole('alertdialog').waitFor({ state: 'detached' });
    await until('the focus is somewhere', async () => (await focused()) !== '');
    // It is parked no more: the next one is what one comes back to.
    await page.getByRole('link', { name: '0', exact: true }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await until('the list has the focus', async () => (await focused()) === '1');
  });

  it('on paper, what was light on black is dark on white', async () => {
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    await page.goto('/');
    await page.locator('h1').waitFor();
    expect(await page.evaluate('getComputedStyle(document.body).color')).to.equal('rgb(23, 26, 31)');
  });
});
