/** What is said of a form that is only begun: nothing of what nobody has filled in yet. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';

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
    expect(await url.getAttribute('aria-invalid')).to.equal('true');
    await seen.close();
  });
});
