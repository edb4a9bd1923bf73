/** What is copied of a database's settings. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';

describe('browser: the settings of a database as text', () => {
  let on: TestConsole;
  before(async function () {
    on = await openConsole(this);
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(FILE).config);
  });
  after(async () => await on?.close());

  it('have no password in them, not even the one that was just typed', async () => {
    await on.web.call('POST', '/api/postgres_databases/shop/release');
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/databases/shop/settings');
    await page.getByText('Advanced', { exact: true }).click();
    await page.getByLabel('Connections').fill('7');
    await page.getByLabel('Password').fill('typed-secret');
    await page.getByRole('button', { name: 'As curl' }).click();
    const curl = (await page.getByRole('figure', { name: 'curl' }).locator('pre').textContent()) ?? '';
    expect(curl).to.contain('"pool_size": 7').and.to.contain('"password": "..."').and.not.contain('typed-secret');
    await expectAccessible(page, 'settings as curl');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'As YAML' }).click();
    const yaml = (await page.getByRole('figure', { name: 'YAML' }).locator('pre').textContent()) ?? '';
    expect(yaml).to.contain('pool_size: 7').and.not.contain('typed-secret');
    await seen.close();
  });
});
