/** What somebody has begun to write is there again when they come back to it, and for nobody else. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { createUser } from '../../src/admin/users.ts';
import { PASSWORD, writeCode } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';

const MINE = '(action, record) => ({ mine: record.id })';

describe('browser: what is begun', () => {
  let on: TestConsole;
  before(async function () {
    on = await openConsole(this);
    for (const name of ['ann', 'eve']) {
      const user = { email: `${name}@example.org`, name, scopes: ['admin'], password: PASSWORD };
      await createUser(on.m.db, user, { kind: 'cli', name: 'test' });
    }
    const body = { name: 'document', type: 'transform', code: '(action, record) => record' };
    const made = await on.web.call('POST', '/api/functions', { body });
    expect(made.status, made.text).to.equal(201);
  });
  after(async () => await on?.close());

  const code = (page: Page) => page.getByRole('textbox', { name: 'Code of the transform' });

  it('is there after another page and after a reload, until it is taken back or saved', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/functions/document');
    await writeCode(page, 'transform', MINE);
    await page.getByText('Modified', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByRole('heading', { name: 'Operations' }).waitFor();
    await page.goBack();
    await page.getByText('Modified', { exact: true }).waitFor();
    expect(await code(page).textContent()).to.equal(MINE);
    await page.reload();
    await page.getByText('Modified', { exact: true }).waitFor();
    expect(await code(page).textContent()).to.equal(MINE);

    await on.web.call('PATCH', '/api/functions/document', { body: { code: '() => ({ theirs: 1 })' } });
    await page.reload();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await code(page).textContent()).to.equal(MINE);
    await seen.close();
  });

  it('is not shown to the next person in the same tab', async () => {
    const seen = await on.see({ scopes: null });
    const { page } = seen;
    const logIn = async (name: string): Promise<void> => {
      await page.getByLabel('Email').fill(`${name}@example.org`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
    };
    const name = page.getByLabel('Name', { exact: true });
    await page.goto('/login?next=/sinks/new');
    await logIn('ann');
    await name.fill('ann-alone');
    await page.reload();
    await name.waitFor();
    expect(await name.inputValue()).to.equal('ann-alone');
    await page.getByRole('button', { name: 'ann' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await logIn('eve');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto('/sinks/new');
    await name.waitFor();
    expect(await name.inputValue()).to.equal('');
    await seen.close();
  });
});
