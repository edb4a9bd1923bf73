/** What is found by its name, wherever it is declared; what has another name now; and what an address says, to the last digit. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { appendMessages } from '../support/fixtures/fixtures.ts';
import { execute, sharedSource, type TestDatabase } from '../support/postgres/postgres.ts';

const BIGINT = '9223372036854775807';

describe('browser: what is found', () => {
  let on: TestConsole;
  let source: TestDatabase;
  before(async function () {
    on = await openConsole(this, { privateAllowed: true });
    source = await (await sharedSource()).createDatabase();
    await execute(
      source.url,
      `create schema billing; create table billing.invoices (id int8 primary key, total numeric, paid boolean);
       insert into billing.invoices values (1, 12.5, true); create publication p for table billing.invoices`,
    );
    const text = `
databases:
  - { name: shop, url: '${source.url}', slot: { name: s }, publication: { name: p } }
  - { name: away, url: 'postgres://nobody@127.0.0.1:1/away', slot: { name: s }, publication: { name: p } }
functions: [{ name: invoice-document, type: transform, code: '(action, record) => ({ id: record.id })' }]
sinks: [{ name: orders-worker, database: shop, destination: { type: pull } }]
`;
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(text).config);
    await on.web.call('POST', '/api/functions', { body: { name: 'other', type: 'transform', code: '() => ({})' } });
  });
  after(async () => {
    await on?.close();
    await source?.drop();
  });

  it('are tables and functions, by a part of their names, though a database does not answer', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const find = async (what: string): Promise<void> => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Name or message id' }).fill(what);
    };
    await find('invoice');
    await page.getByRole('option', { name: 'invoice-document' }).waitFor();
    const table = page.getByRole('option', { name: 'billing.invoices' });
    await table.filter({ hasText: 'table of shop' }).waitFor();
    await expectAccessible(page, 'a table is found');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('cell', { name: 'billing.invoices' }).waitFor();
    expect(new URL(page.url()).search).to.equal('?q=billing.invoices');
    await find('invoice-doc');
    await page.getByRole('option', { name: 'invoice-document' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'invoice-document' }).waitFor();
    await seen.close();
  });

  it('is in sight, however many there are', async () => {
    const seen = await on.see({ width: 390, dark: true });
    const { page } = seen;
    await page.setViewportSize({ width: 390, height: 500 });
    await page.goto('/');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    const options = page.getByRole('option');
    await options.nth(12).waitFor();
    for (let pressed = 0; pressed < 12; pressed += 1) await page.keyboard.press('ArrowDown');
    const isInSight = await options.nth(12).evaluate((option) => {
      const list = option.parentElement as { getBoundingClientRect(): { bottom: number } };
      return option.getBoundingClientRect().bottom <= list.getBoundingClientRect().bottom;
    });
    expect(isInSight).to.equal(true);
    await seen.close();
  });

  it('by a name that was another one before leads to what it is called now', async () => {
    const seen = await on.see();
    const { page } = seen;
    const renamed = await on.web.call('PATCH', '/api/functions/other', { body: { name: 'renamed' } });
    expect(renamed.status).to.equal(200);
    await page.goto('/functions/other');
    await page.getByText('renamed it').waitFor();
    await expectAccessible(page, 'a function that was renamed');
    await page.getByRole('link', { name: 'renamed', exact: true }).click();
    await page.getByRole('heading', { name: 'renamed' }).waitFor();
    expect(await page.getByText('renamed it').count()).to.equal(0);
    await on.web.call('DELETE', '/api/functions/renamed');
    await page.goto('/functions/renamed');
    await page.getByText('deleted it').waitFor();
    await seen.close();
  });

  it('by an address that somebody wrote is the key with all its digits', async () => {
    const { m } = on;
    const { rows } = await m.db.query<{ no: number }>(
      "select no from millrace_private.sinks where name = 'orders-worker'",
    );
    await appendMessages(m.db, rows[0]!.no, [{ recordPks: [BIGINT] }, { recordPks: ['0012'] }]);
    const seen = await on.see();
    const { page } = seen;
    for (const [key, other] of [
      [BIGINT, '0012'],
      ['0012', BIGINT],
    ] as const) {
      await page.goto(`/sinks/orders-worker/messages?key=${key}`);
      await page.getByRole('link', { name: key, exact: true }).waitFor();
      expect(await page.getByRole('link', { name: other, exact: true }).count()).to.equal(0);
    }
    await seen.close();
  });

  it('is the type of a table as TypeScript, for an editor elsewhere', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/functions/invoice-document');
    await page.getByLabel('Database').selectOption('shop');
    await page.getByLabel('Samples').selectOption('Rows of billing.invoices');
    await page.getByRole('button', { name: 'As TypeScript' }).click();
    await page.getByRole('figure', { name: 'TypeScript' }).getByText('paid').waitFor();
    await expectAccessible(page, 'the type of a table');
    await seen.close();
  });
});
