/** The way in: the link of a start, the login, a session that ends; and the overview behind it. */
import { expect } from 'chai';
import { makeSetupToken } from '../../src/admin/setup.ts';
import { createUser } from '../../src/admin/users.ts';
import { builtConsole, ELSEWHERE, expectAccessible, LOOKS, PASSWORD, screenshot } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { addPullSink } from '../support/fixtures/fixtures.ts';
import { messageDatabase } from '../support/postgres/message-database.ts';
import { testWeb } from '../support/processes/web.ts';

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
    await page.goto('/setup');
    await page.getByText('Open the whole link').waitFor();
    // Into the address bar of the same tab: another fragment loads nothing anew.
    await page.goto(`/setup#k=${await makeSetupToken(m.db)}`);
    await page.getByLabel('Email').waitFor();
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

  it('over plain http from elsewhere says that it can be read, before the login and after it, and works', async () => {
    const { m } = on;
    const open = await testWeb({ db: m.db, console: await builtConsole() }, { keepHealthMs: 0, allowedHosts: ['*'] });
    // Chromium says that it takes this header over TLS alone.
    const seen = await on.see({ scopes: null, expected: /^The Cross-Origin-Opener-Policy header has been ignored/ });
    const { page } = seen;
    const warning = page.getByText('This connection is not encrypted');
    await page.goto(open.url.replace('127.0.0.1', ELSEWHERE));
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    expect(await page.evaluate('isSecureContext')).to.equal(false);
    await warning.waitFor();
    await expectAccessible(page, 'login over plain http');
    await page.getByLabel('Email').fill('ann@example.org');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await warning.waitFor();
    const [cookie] = await seen.context.cookies();
    expect(cookie).to.deep.include({ path: '/', httpOnly: true, sameSite: 'Lax', secure: false });
    // A browser sends no Sec-Fetch-Site here, and has no clipboard for pages.
    await page.goto(`http://${ELSEWHERE}:${open.web.port}/tokens`);
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('elsewhere');
    await page.getByRole('button', { name: 'Create token' }).click();
    const made = page.getByRole('dialog', { name: 'Created elsewhere' }).getByRole('figure', { name: 'token' });
    await made.getByRole('button', { name: 'Copy' }).click();
    const token = await made.locator('pre').textContent();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').focus();
    await page.keyboard.press('ControlOrMeta+v');
    expect(await page.getByLabel('Name').inputValue()).to.equal(token);
    await page.goto(`http://${ELSEWHERE}:${open.web.port}/setup`);
    await warning.waitFor();
    await page.goto(`${open.url}/setup`);
    await page.getByText('Open the whole link').waitFor();
    expect(await warning.count(), 'on the same machine').to.equal(0);
    await seen.close();
    await open.close();
  });

  it('to one installation is not the way out of another one on the same machine', async () => {
    const { web } = on;
    const other = await messageDatabase();
    // As each has its own: databases of tests are copies of one.
    await other.db.query(
      `update millrace_private.installation set letters = translate(letters, 'abcdefghijklmnop', 'bcdefghijklmnopa')`,
    );
    const second = await testWeb({ db: other.db, console: await builtConsole() }, { keepHealthMs: 0 });
    const ann = { email: 'ann@example.org', name: null, scopes: ['admin'], password: PASSWORD };
    await createUser(other.db, ann, { kind: 'cli', name: 'test' });
    const seen = await on.see({ scopes: null });
    const { page } = seen;
    for (const url of [web.url, second.url]) {
      await page.goto(url);
      await page.getByLabel('Email').fill('ann@example.org');
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
    }
    await page.getByRole('button', { name: 'ann@example.org' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.goto(web.url);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await seen.close();
    await second.close();
    await other.drop();
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
