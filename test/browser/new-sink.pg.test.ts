/** What is said of a form that is only begun: nothing of what nobody has filled in yet. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';

const run = promisify(execFile);

describe('browser: a new sink', () => {
  let on: TestConsole;
  before(async function () {
    on = await openConsole(this);
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(FILE).config);
  });
  after(async () => await on?.close());

  it('of another kind is not at fault before it is filled in; then a field that is empty is', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/sinks/new?database=shop');
    const url = page.getByLabel('URL', { exact: true });
    const planned = page.waitForResponse(
      (answer) =>
        answer.url().endsWith('/api/sinks/plan') && answer.request().postData()?.includes('"webhook"') === true,
    );
    await page.getByRole('radio', { name: 'Webhook' }).check();
    expect((await planned).status()).to.equal(422);
    // What was answered is drawn: the same form says so of its YAML.
    await page.getByRole('button', { name: 'As YAML' }).click();
    await page.getByRole('dialog').getByText('is missing').first().waitFor();
    await page.keyboard.press('Escape');
    expect(await url.getAttribute('aria-invalid')).to.not.equal('true');
    await page.getByRole('button', { name: /^Create sink/ }).click();
    await page.getByText('It is missing.', { exact: true }).waitFor();
    await page.getByText(/^\d fields? (?:is|are) not valid$/).waitFor();
    expect(await page.content()).to.not.contain('Add <code');
    expect(await page.evaluate("document.activeElement.getAttribute('aria-invalid')"), 'focus').to.equal('true');
    expect(await url.getAttribute('aria-invalid')).to.equal('true');
    await seen.close();
  });

  it('takes grouping columns as they are typed, and taken back', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/sinks/new?database=shop&table=public.orders');
    await page.getByText('Actions, filters, order').click();
    const columns = page.getByLabel('Grouping columns of public.orders');
    await columns.pressSequentially('a, bc');
    expect(await columns.inputValue()).to.equal('a, bc');
    for (const left of ['a, b', 'a, ', 'a,', 'a', '']) {
      await columns.press('Backspace');
      expect(await columns.inputValue()).to.equal(left);
    }
    await seen.close();
  });

  it('of clients that pull has a token and a command, which receive as they were copied', async () => {
    const seen = await on.see({ width: 390 });
    const { page } = seen;
    await page.goto('/sinks/orders/overview');
    await page.getByRole('button', { name: 'Create a token…' }).click();
    await page.getByRole('button', { name: 'Create the token' }).click();
    const token = page.getByLabel('command', { exact: true }).locator('pre');
    await token.waitFor();
    await expectAccessible(page, 'a token of a consumer');
    const made = (await token.textContent())!;
    await page.getByRole('button', { name: 'Close' }).last().click();
    const receive = (await page.getByLabel('curl', { exact: true }).locator('pre').textContent())!;
    expect(made).to.match(/^export MILLRACE_TOKEN='mr_\w+'$/);
    const { rows } = await on.m.db.query("select scopes from millrace_private.api_tokens where name like 'orders-%'");
    expect(rows).to.deep.equal([{ scopes: ['consume:orders'] }]);
    // The web role of this test knows other tokens.
    const { stdout } = await run('sh', ['-c', receive.replace('curl ', 'curl -sS ').replace('20s', '0s')], {
      env: { ...process.env, MILLRACE_TOKEN: 'orders-token' },
    });
    expect(JSON.parse(stdout), stdout).to.deep.equal({ data: [] });
    await page.getByLabel('curl that acknowledges').getByText('ack_ids').waitFor();
    await expectAccessible(page, 'a consumer');
    await seen.close();
  });
});
