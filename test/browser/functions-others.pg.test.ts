/** A function that two people write at once, and samples while another database is chosen. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible, writeCode } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';

describe('browser: functions that others change', () => {
  let on: TestConsole;
  before(async function () {
    on = await openConsole(this);
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(FILE).config);
  });
  after(async () => await on?.close());

  it('what somebody else saved meanwhile is told, and not overwritten unseen', async () => {
    await on.web.call('POST', '/api/functions/document/release');
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/sinks/products/function');
    await page.getByRole('button', { name: 'Edit document' }).click();
    const editor = page.getByRole('textbox', { name: 'Code of the transform' });
    const write = async (code: string): Promise<void> => await writeCode(page, 'transform', code);
    await write('(action, record) => ({ mine: record.id })');
    const theirs = '(action, record) => ({ theirs: record.id })';
    expect((await on.web.call('PATCH', '/api/functions/document', { body: { code: theirs } })).status).to.equal(200);
    // Whatever is shown is asked anew after something is changed here.
    await page.getByRole('button', { name: 'Pause products' }).click();
    await page.getByRole('button', { name: 'Resume products' }).waitFor();
    await page.getByText('has saved it in the meantime').waitFor();
    await expectAccessible(page, 'a function that was saved meanwhile');
    await page.getByLabel('their code').getByText('theirs').waitFor();
    await page.getByRole('button', { name: 'Save (Someone else has saved it' }).waitFor();
    await page.getByRole('button', { name: 'Take theirs', exact: true }).click();
    await editor.getByText('theirs').waitFor();
    await write('(action, record) => ({ both: record.id })');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved document').waitFor();
    expect((await on.web.call('GET', '/api/functions/document')).json.code).to.contain('both');
    await write('(action, record) => ({ again: record.id })');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await on.web.call('GET', '/api/functions/document')).json.code).to.contain('again');
    // Nobody has heard of theirs before it is saved: it is refused, and what to do is said once, in words of the page.
    await write('(action, record) => ({ last: record.id })');
    await on.web.call('PATCH', '/api/functions/document', { body: { code: theirs } });
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('has saved it in the meantime').waitFor();
    expect((await on.web.call('GET', '/api/functions/document')).json.code).to.equal(theirs);
    expect(await page.getByRole('alert').count()).to.equal(0);
    await page.getByRole('button', { name: 'Keep mine', exact: true }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect((await on.web.call('GET', '/api/functions/document')).json.code).to.contain('last');
    await seen.close();
  });

  it('what was typed stays when the sink is given another function, or none, meanwhile', async () => {
    await on.web.call('POST', '/api/sinks/products/release');
    const other = { name: 'other', type: 'transform', code: '(action, record) => record' };
    expect((await on.web.call('POST', '/api/functions', { body: other })).status).to.equal(201);
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/sinks/products/function');
    await page.getByRole('button', { name: 'Edit document' }).click();
    const editor = page.getByRole('textbox', { name: 'Code of the transform' });
    await writeCode(page, 'transform', '(action, record) => ({ typed: record.id })');
    for (const [transform, told] of [
      ['other', 'products uses other now'],
      ['none', 'products has no transform now'],
    ]) {
      expect((await on.web.call('PATCH', '/api/sinks/products', { body: { transform } })).status).to.equal(200);
      await page.getByText(`${told}. What you have written of document is below.`).waitFor();
      await editor.getByText('typed').waitFor();
    }
    await expectAccessible(page, 'a function that its sink has left');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Rows are sent as they are').waitFor();
    expect((await on.web.call('GET', '/api/functions/document')).json.code).to.contain('typed');
    await seen.close();
  });

  it('of another database no row is read before a table is chosen', async () => {
    const seen = await on.see();
    const { page } = seen;
    const read: string[] = [];
    await page.route('**/tables/*/rows*', async (route) => {
      read.push(new URL(route.request().url()).pathname);
      await route.fulfill({ json: { data: [{ record: { id: 1 }, metadata: {} }], next_cursor: null } });
    });
    await page.route(/\/postgres_databases\/[^/]+\/tables\?/, async (route) => {
      const of = new URL(route.request().url()).pathname.split('/')[3];
      const data = ['first', 'second'].map((name) => ({ schema: of, name, kind: 'table', key: ['id'], columns: [] }));
      await route.fulfill({ json: { data, next_cursor: null } });
    });
    await page.goto('/functions/new');
    const samples = page.getByLabel('Samples');
    await samples.selectOption('Rows of other.first');
    await page.getByText('read {"id":1}').waitFor();
    const databases = page.getByLabel('Database');
    await databases.selectOption('shop');
    await page.getByText('Choose a table').waitFor();
    expect(await databases.inputValue()).to.equal('shop');
    await samples.selectOption('Rows of shop.second');
    await page.getByText('read {"id":1}').waitFor();
    expect(read.map((path) => path.split('/').slice(3).join('/'))).to.deep.equal([
      'other/tables/other.first/rows',
      'shop/tables/shop.second/rows',
    ]);
    await seen.close();
  });

  it('rows of any table are samples, however many tables there are', async () => {
    const seen = await on.see();
    const { page } = seen;
    const table = (name: string) => ({ schema: 'public', name, kind: 'table', oid: 1, key: [], columns: [] });
    await page.route('**/tables?*', (route) => {
      const isFirst = !route.request().url().includes('cursor=');
      return route.fulfill({
        json: isFirst ? { data: [table('first')], next_cursor: 'more' } : { data: [table('last')], next_cursor: null },
      });
    });
    await page.goto('/functions/new');
    await page.getByLabel('Samples').getByText('Rows of public.last').waitFor({ state: 'attached' });
    expect(await page.getByLabel('Samples').getByText('Rows of public.first').count()).to.equal(1);
    await seen.close();
  });
});
