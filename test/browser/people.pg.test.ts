/** People, tokens, sessions, the audit log, the doctor and the service's processes, each by its page. */
import { expect } from 'chai';
import { expectAccessible, PASSWORD, screenshot } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';

const CHECK = {
  ...{
    id: 'index_missing',
    key: 'index_missing',
    link: null,
    item: null,
    subject: { kind: 'sink' as const, name: 'products' },
    status: 'error' as const,
  },
  ...{ summary: 'the index `products` is missing', remedy: 'Create it.', sql: null, run_on: null, command: null },
  ...{ answer: '{"error":"no such index"}', docs: 'docs/search-index.md' },
};

describe('browser: people and the service', () => {
  let on: TestConsole;
  before(async function () {
    const examine = async () => ({ ok: false, checks: [CHECK] });
    on = await openConsole(this, { examine });
  });
  after(async () => await on?.close());

  it('makes a token that is shown once and works, and revokes it', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/tokens');
    await page.getByText('No tokens yet').waitFor();
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('ci');
    await page.getByLabel('Receives from').fill('orders');
    await expectAccessible(page, 'new token');
    await page.getByRole('button', { name: 'Create token' }).click();
    const made = page.getByRole('dialog', { name: 'Created ci' });
    const token = (await made.getByRole('figure', { name: 'token' }).locator('pre').textContent()) ?? '';
    expect(await made.getByRole('figure', { name: 'curl' }).textContent()).to.contain(
      'http_pull_consumers/orders/receive',
    );
    await expectAccessible(page, 'token is shown');
    await made.getByRole('button', { name: 'I have copied it' }).click();
    const row = page.getByRole('row', { name: /ci/ });
    expect(await row.textContent())
      .to.contain('consume:orders')
      .and.not.contain(token);
    await expectAccessible(page, 'tokens');
    await screenshot(page, 'people-tokens-1280');
    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('Revoked ci').waitFor();
    await page.getByText('No tokens yet').waitFor();
    await seen.close();
  });

  it('makes a person, edits and removes them, each asked for first', async () => {
    const seen = await on.see({ width: 390, dark: true });
    const { page } = seen;
    await page.goto('/users');
    await page.getByRole('button', { name: 'New user' }).click();
    await page.getByLabel('Email').fill('bob@example.org');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Create user' }).click();
    await page.getByText('bob@example.org can log in').waitFor();
    await page.getByRole('button', { name: 'Edit bob@example.org' }).click();
    await page.getByLabel('Name').fill('Bob');
    await expectAccessible(page, 'edit a user');
    // Somebody else takes away a scope meanwhile: it does not come back with the name.
    const [bob] = (await on.web.call('GET', '/api/users')).json.data.filter(
      ({ email }: { email: string }) => email === 'bob@example.org',
    );
    expect((await on.web.call('PATCH', `/api/users/${bob.id}`, { body: { scopes: ['read'] } })).status).to.equal(200);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Bob', { exact: true }).waitFor();
    const now = (await on.web.call('GET', `/api/users/${bob.id}`)).json;
    expect([now.name, now.scopes]).to.deep.equal(['Bob', ['read']]);
    await expectAccessible(page, 'users');
    await screenshot(page, 'people-users-390');
    await page.getByRole('button', { name: 'Remove bob@example.org' }).click();
    const asked = page.getByRole('alertdialog');
    const remove = asked.getByRole('button', { name: 'Remove' });
    expect(await remove.getAttribute('aria-disabled')).to.equal('true');
    await asked.getByRole('textbox').fill('bob@example.org');
    await remove.click();
    await page.getByText('Removed bob@example.org').waitFor();
    await seen.close();
  });

  it('changes one’s own password, which ends other sessions, and shows who did what', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/account');
    await page.getByText('this one', { exact: true }).waitFor();
    await page.getByLabel('Current password').fill('not it at all');
    await page.getByLabel('New password').fill('another horse');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByRole('alert').waitFor();
    await page.getByLabel('Current password').fill(PASSWORD);
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Password changed').waitFor();
    await expectAccessible(page, 'account');
    await screenshot(page, 'people-account-1280');
    await page.goto('/audit');
    await page.getByRole('button', { name: 'Subject', exact: true }).click();
    await page.getByRole('textbox', { name: 'Subject' }).fill('token ci');
    await page.keyboard.press('Enter');
    await page
      .getByRole('button', { name: /Show what was changed of/ })
      .first()
      .click();
    await page.getByRole('dialog').getByText('After', { exact: true }).waitFor();
    await expectAccessible(page, 'audit entry');
    await page.keyboard.press('Escape');
    expect(new URL(page.url()).searchParams.get('subject')).to.equal('token ci');
    await expectAccessible(page, 'audit');
    await screenshot(page, 'service-audit-1280');
    await seen.close();
  });

  it('shows what the doctor finds and which processes are there; without the scope, why not', async () => {
    const seen = await on.see({ scopes: ['read'] });
    const { page } = seen;
    await page.goto('/doctor');
    await page.getByText('the index products is missing').waitFor();
    await expectAccessible(page, 'doctor');
    await screenshot(page, 'service-doctor-1280');
    expect(await page.locator('main').textContent()).to.not.contain('no such index');
    await page.goto('/settings');
    await page.getByRole('heading', { name: 'Processes' }).waitFor();
    await expectAccessible(page, 'service');
    await page.goto('/audit');
    await page.getByText('Needs the scope').waitFor();
    await page.goto('/tokens');
    await page.getByRole('alert').getByText('does not have the scope').waitFor();
    await seen.close();
  });
});
