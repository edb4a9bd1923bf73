/** The way in: the link of a start, the login, a session that ends; and the overview behind it. */
import { expect } from 'chai';
import { makeSetupToken } from '../../src/admin/setup.ts';
import { expectAccessible, LOOKS, PASSWORD, screenshot } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { addPullSink } from '../support/fixtures/fixtures.ts';

describe('browser: the way in', () => {
  let on: TestConsole;
  before(async function () {
    on = await openConsole(this);
  });
  after(async () => await on?.close());

  it('lets the first person choose a password, keeps the token out of the address, and logs out and in again', async () => {
    const { m } = on;
    const seen = await on.see({ scopes: null });
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
    const { web } = on;
    const seen = await on.see({ scopes: null });
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
    const { m } = on;
    await addPullSink(m.db, { name: 'orders-worker' });
    for (const look of LOOKS) {
      const seen = await on.see(look);
      const { page } = seen;
      await page.goto('/');
      await page.getByRole('link', { name: 'orders-worker' }).waitFor();
      await expectAccessible(page, `overview ${look.width}`);
      await screenshot(page, `overview-${look.width}`);
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Name or message id' }).fill('worker');
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
