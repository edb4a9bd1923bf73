/** What happens to a page that is open: its session ends, the service goes and comes back, another site reaches for it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, Page, Response } from 'playwright-core';
import { createUser } from '../../src/admin/users.ts';
import { builtConsole, expectAccessible, openBrowser, PASSWORD, see } from '../support/browser/browser.ts';
import { addPullSink } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';
import { until } from '../support/until.ts';

describe('browser: a page that is open', () => {
  let browser: Browser;
  let m: MessageDatabase;
  let web: TestWeb;
  const start = async (port = 0): Promise<void> => {
    web = await testWeb({ db: m.db, console: await builtConsole() }, { keepHealthMs: 0, port });
  };
  before(async function () {
    browser = await openBrowser(this);
    m = await messageDatabase();
    await addPullSink(m.db, { name: 'orders-worker' });
    const ann = { email: 'ann@example.org', name: 'Ann', scopes: ['admin'], password: PASSWORD };
    await createUser(m.db, ann, { kind: 'cli', name: 'test' });
    await start();
  });
  after(async () => {
    await browser?.close();
    await web?.close();
    await m?.drop();
  });

  it('leads through the login and back, when its session ends', async () => {
    const seen = await see(browser, { db: m.db, url: web.url });
    const { page } = seen;
    const address = '/sinks/orders-worker/messages?state=parked';
    await page.goto(address);
    await page.getByRole('heading', { name: 'orders-worker' }).waitFor();
    await m.db.query('delete from millrace_private.sessions');
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.getByLabel('Email').fill('ann@example.org');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'orders-worker' }).waitFor();
    expect(page.url()).to.equal(`${web.url}${address}`);
    await page.getByRole('button', { name: 'Pause orders-worker' }).click();
    await page.getByRole('button', { name: 'Resume orders-worker' }).waitFor();
    await seen.close();
  });

  it('keeps what was typed when its session ends, for the same person alone', async () => {
    const seen = await see(browser, { db: m.db, url: web.url }, { scopes: null });
    const { page } = seen;
    const logIn = async (email: string): Promise<void> => {
      const login = page.getByRole('dialog', { name: 'Log in again' });
      await login.waitFor();
      await expectAccessible(page, 'the login over a page');
      await login.getByLabel('Email').fill(email);
      await login.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await login.waitFor({ state: 'detached' });
    };
    await page.goto('/login?next=/databases/new');
    await page.getByLabel('Email').fill('ann@example.org');
    await page.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Enter fields' }).click();
    await page.getByLabel('Host').fill('db.example.com');
    await page.getByLabel('Password').fill('of the database');
    await page.getByRole('button', { name: 'As YAML' }).click();
    await m.db.query('delete from millrace_private.sessions');
    // Over a dialog of the page, which stays as well.
    await logIn('ann@example.org');
    await page.getByRole('dialog', { name: 'As YAML' }).getByText('db.example.com').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.getByLabel('Host').inputValue()).to.equal('db.example.com');
    expect(await page.getByLabel('Password').inputValue()).to.equal('of the database');
    await page.getByRole('button', { name: 'Check connection' }).click();
    await page.getByText('1 field is not valid').waitFor();

    await m.db.query('delete from millrace_private.sessions');
    await createUser(
      m.db,
      { email: 'eve@example.org', name: 'Eve', scopes: ['read'], password: PASSWORD },
      { kind: 'cli', name: 'test' },
    );
    await logIn('eve@example.org');
    await page.getByLabel('Address').waitFor();
    expect(await page.content()).to.not.contain('db.example.com');
    await seen.close();
  });

  it('reacts to nobody after the login before it is known who that is, however late the rest is read', async () => {
    const seen = await see(browser, { db: m.db, url: web.url });
    const { page } = seen;
    await page.goto('/sinks/orders-worker/messages');
    await page.getByRole('button', { name: 'Resume orders-worker' }).waitFor();
    const email = await page.evaluate("fetch('/api/whoami').then(async (answer) => (await answer.json()).user.email)");
    await m.db.query('delete from millrace_private.sessions');
    const login = page.getByRole('dialog', { name: 'Log in again' });
    await login.waitFor();
    let isHeld = true;
    const held = until('the rest may come', async () => !isHeld);
    await page.route('**/orders-worker/messages?*', async (route) => {
      await held;
      await route.fallback();
    });
    await login.getByLabel('Email').fill(String(email));
    await login.getByLabel('Password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    await login.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Resume orders-worker' }).click();
    await page.getByRole('button', { name: 'Pause orders-worker' }).waitFor();
    isHeld = false;
    await page.getByRole('button', { name: 'Pause orders-worker' }).click();
    await page.getByRole('button', { name: 'Resume orders-worker' }).waitFor();
    await seen.close();
  });

  it('goes on where somebody logs in in another tab: as the same person, or loaded anew as another one', async () => {
    const seen = await see(browser, { db: m.db, url: web.url }, { scopes: null });
    const { page, context } = seen;
    const logIn = async (at: Page, email: string): Promise<void> => {
      await at.getByLabel('Email').fill(email);
      await at.getByLabel('Password').fill(PASSWORD);
      await at.keyboard.press('Enter');
    };
    await page.goto('/login?next=/sinks/orders-worker');
    await logIn(page, 'ann@example.org');
    await page.getByRole('button', { name: 'Resume orders-worker' }).waitFor();
    const other = await context.newPage();
    other.setDefaultTimeout(60_000);
    await other.goto('/operations');
    await other.getByRole('heading', { name: 'Operations' }).waitFor();
    await m.db.query('delete from millrace_private.sessions');
    const login = (at: Page) => at.getByRole('dialog', { name: 'Log in again' });
    await login(page).waitFor();
    await login(other).waitFor();
    await logIn(other, 'ann@example.org');
    await login(other).waitFor({ state: 'detached' });
    await login(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Resume orders-worker' }).click();
    await page.getByRole('button', { name: 'Pause orders-worker' }).click();
    await page.getByRole('button', { name: 'Resume orders-worker' }).waitFor();

    // The first one has not seen that nobody was logged in: it was asked nothing meanwhile.
    await other.goto('/login');
    await logIn(other, 'ann@example.org');
    await other.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Resume orders-worker' }).click();
    await page.getByRole('button', { name: 'Pause orders-worker' }).click();
    await page.getByRole('button', { name: 'Resume orders-worker' }).waitFor();
    await other.goto('/login');
    await logIn(other, 'eve@example.org');
    await other.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.getByRole('button', { name: 'Eve' }).waitFor();
    await seen.close();
  });

  it('says that nobody answers, goes on by itself, and learns who it is for when nobody could say that at first', async () => {
    const seen = await see(browser, { db: m.db, url: web.url }, { scopes: ['operate'] });
    const { page } = seen;
    await page.route('**/api/whoami', (route) => route.abort(), { times: 1 });
    await page.goto('/sinks/orders-worker');
    await page.getByRole('button', { name: 'orders-worker', disabled: false }).waitFor();
    await page.evaluate('globalThis.isSame = true');
    const { port } = web.web;
    await web.close();
    await page.getByText('No answer since').waitFor();
    await start(port);
    await page.getByText('No answer since').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Resume orders-worker' }).click();
    await page.getByRole('button', { name: 'Pause orders-worker' }).waitFor();
    expect(await page.evaluate('globalThis.isSame'), 'the page was not loaded anew').to.equal(true);
    await seen.close();
  });

  it('shows a page that was asked for while nobody answered, as soon as somebody does', async () => {
    const seen = await see(browser, { db: m.db, url: web.url });
    const { page } = seen;
    await page.goto('/functions');
    await page.getByText('No functions yet').waitFor();
    await page.evaluate('globalThis.isSame = true');
    const { port } = web.web;
    await web.close();
    await page.getByText('No answer since').waitFor();
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByText('No answer since').waitFor();
    await start(port);
    await page.getByRole('heading', { name: 'Operations' }).waitFor();
    expect(await page.evaluate('globalThis.isSame'), 'the page was not loaded anew').to.equal(true);
    await seen.close();
  });

  it('is loaded anew with the next page, when a newer console answers', async () => {
    const seen = await see(browser, { db: m.db, url: web.url });
    const { page } = seen;
    await page.goto('/functions');
    await page.getByText('No functions yet').waitFor();
    await page.evaluate('globalThis.isSame = true');
    await page.route('**/api/overview', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, headers: { ...response.headers(), 'X-Millrace-Build': 'newer' } });
    });
    const isNewer = async (response: Response): Promise<boolean> =>
      (await response.allHeaders())['x-millrace-build'] === 'newer';
    // The page has read the first one when it asks for the second one.
    await page.waitForResponse(isNewer);
    await page.waitForResponse(isNewer);
    const loaded = page.waitForEvent('load');
    await page.getByRole('link', { name: 'Operations' }).click();
    await loaded;
    await page.getByRole('heading', { name: 'Operations' }).waitFor();
    expect(await page.evaluate('globalThis.isSame')).to.equal(undefined);
    await seen.close();
  });

  it('is framed by no other site, and read or changed by none', async () => {
    const seen = await see(browser, { db: m.db, url: web.url }, { expected: /frame|CORS|Content Security/i });
    const { page } = seen;
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'text/html');
      response.end(`<iframe src="${web.url}/"></iframe>
        <form method="post" enctype="text/plain" target="answer" action="${web.url}/api/sinks/orders-worker/pause"><button>Win</button></form>
        <iframe name="answer"></iframe>`);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await page.goto(`http://localhost:${port}/`);
    expect(await page.frames()[1]!.locator('body').textContent()).to.not.contain('Overview');
    const read = `fetch('${web.url}/api/whoami', { credentials: 'include' }).then(() => 'read', () => 'refused')`;
    expect(await page.evaluate(read)).to.equal('refused');
    const answered = page.waitForResponse(/\/pause$/);
    await page.getByRole('button', { name: 'Win' }).click();
    expect((await answered).status()).to.be.oneOf([401, 403, 415]);
    const { rows } = await m.db.query('select distinct status from millrace_private.sinks');
    expect(rows).to.deep.equal([{ status: 'active' }]);
    await seen.close();
    server.closeAllConnections();
    server.close();
  });
});
