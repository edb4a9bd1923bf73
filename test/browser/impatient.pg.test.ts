/** Whoever clicks twice, holds a key down or hits the wrong place: nothing is done twice, undone, lost or said of something else. */
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { addPullSink } from '../support/fixtures/fixtures.ts';

describe('browser: impatience', () => {
  let on: TestConsole;
  before(async function () {
    on = await openConsole(this);
    await addPullSink(on.m.db, { name: 'orders-worker' });
  });
  after(async () => await on?.close());

  const statusOf = async (): Promise<string> => {
    const { rows } = await on.m.db.query<{ status: string }>('select status from millrace_private.sinks');
    return rows[0]!.status;
  };

  /** The first click of a double click; what is called then makes the second one. */
  async function clickFirst(page: Page, button: Locator): Promise<() => Promise<void>> {
    const { x, y, width, height } = (await button.boundingBox())!;
    await page.mouse.click(x + width / 2, y + height / 2);
    return async () => {
      await page.mouse.down({ clickCount: 2 });
      await page.mouse.up({ clickCount: 2 });
    };
  }

  it('does not undo with the second click what the first one did', async () => {
    const seen = await on.see();
    const { page } = seen;
    const changes: string[] = [];
    page.on('request', (request) => request.method() === 'POST' && changes.push(new URL(request.url()).pathname));
    await page.goto('/sinks/orders-worker');
    const pause = page.getByRole('button', { name: 'Pause orders-worker' });
    await pause.waitFor();
    const again = await clickFirst(page, pause);
    await page.getByRole('button', { name: 'Resume orders-worker', disabled: false }).waitFor();
    await again();
    // Whatever it had begun would be asked for before this.
    await page.evaluate("fetch('/livez')");
    expect(changes).to.deep.equal(['/api/sinks/orders-worker/pause']);
    await page.getByRole('button', { name: 'Resume orders-worker' }).click();
    await pause.waitFor();
    await seen.close();
  });

  it('does once what a key is held down for', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/sinks/orders-worker');
    await page.getByRole('button', { name: 'Pause orders-worker' }).focus();
    await page.keyboard.down('Enter');
    await page.getByRole('button', { name: 'Resume orders-worker', disabled: false }).waitFor();
    await page.keyboard.down('Enter');
    await page.keyboard.up('Enter');
    await page.getByText('UTC', { exact: true }).click();
    expect(await statusOf()).to.equal('paused');
    await page.getByRole('button', { name: 'Resume orders-worker', disabled: false }).click();
    await page.getByRole('button', { name: 'Pause orders-worker' }).waitFor();
    await seen.close();
  });

  it('keeps a new token until it is said to be copied, and what is typed for one', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/tokens');
    await page.getByRole('button', { name: 'New token' }).click();
    await page.getByLabel('Name').fill('ci');
    await page.mouse.click(3, 300);
    expect(await page.getByLabel('Name').inputValue()).to.equal('ci');
    const again = await clickFirst(page, page.getByRole('button', { name: 'Create token' }));
    const made = page.getByRole('dialog', { name: 'Created ci' });
    await made.waitFor();
    await again();
    await page.mouse.click(3, 300);
    await page.keyboard.press('Escape');
    await made
      .getByText(/^mr_|^[\w-]{20,}$/)
      .first()
      .waitFor();
    await made.getByRole('button', { name: 'I have copied it' }).click();
    await made.waitFor({ state: 'detached' });
    expect(await page.getByRole('cell', { name: /^ci/ }).count()).to.equal(1);
    await seen.close();
  });

  it('does not say of one thing what was said of another one', async () => {
    const seen = await on.see();
    const { page } = seen;
    for (const name of ['one', 'other']) {
      const made = await on.web.call('POST', '/api/api_keys', { body: { name, scopes: ['read'] } });
      expect(made.status, made.text).to.equal(200);
    }
    await page.route('**/api/api_keys/*', (route) =>
      route.fulfill({ status: 409, json: { code: 'conflict', summary: 'this one is needed' } }),
    );
    await page.goto('/tokens');
    await page.getByRole('button', { name: 'Revoke one' }).click();
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await page.getByText('this one is needed').waitFor();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Revoke other' }).click();
    await page.getByRole('heading', { name: 'Revoke other?' }).waitFor();
    expect(await page.getByText('this one is needed').count()).to.equal(0);
    await seen.close();
  });

  it('does not say that somebody is logged out whose session goes on', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/operations');
    await page.getByRole('heading', { name: 'Operations' }).waitFor();
    await page.route('**/api/sessions/current', (route) => route.abort(), { times: 1 });
    const leave = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Ann' }).click();
      await page.getByRole('menuitem', { name: 'Log out' }).click();
    };
    await leave();
    await page.getByText('You are still logged in').waitFor();
    await leave();
    await page.getByRole('heading', { name: 'Log in', exact: true }).waitFor();
    await seen.close();
  });
});
