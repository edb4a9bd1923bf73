/** Thousands of things: each is listed, found, and can be chosen. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible, LOOKS, screenshot } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { until } from '../support/until.ts';

const FILE = `
databases: [{ name: shop, url: 'postgres://u:p@h/d', slot: { name: s }, publication: { name: p } }]
functions: [{ name: the-last, type: transform, code: "(action, record) => record" }]
sinks: [{ name: orders, database: shop, transform: the-last, destination: { type: pull } }]
`;

describe('browser: thousands of things', () => {
  let on: TestConsole;
  before(async function () {
    on = await openConsole(this);
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(FILE).config);
    await on.m.db.query(`
      insert into millrace_private.functions (name, settings)
      select made.name, f.settings || jsonb_build_object('name', made.name)
        from millrace_private.functions f, generate_series(1, 3000) n,
             format(case when n > 2950 then 'copy-%s-of-the-last' else 'fn-%s' end, lpad(n::text, 4, '0')) made (name)`);
    await on.m.db.query(`
      insert into millrace_private.users (email, scopes, created_by)
      select format('user-%s@example.org', n), '{read}', 'cli test' from generate_series(1, 900) n`);
  });
  after(async () => await on?.close());

  it('are all listed, bit by bit, and found by what stands in the address', async () => {
    for (const look of LOOKS) {
      const seen = await on.see(look);
      const { page } = seen;
      await page.goto('/functions');
      await page.getByText('The first 200 of 3\u202f001 are shown.').waitFor();
      await expectAccessible(page, `many functions ${look.width}`);
      await screenshot(page, `functions-many-${look.width}`);
      await page.getByRole('button', { name: 'Show more' }).click();
      await page.getByRole('link', { name: 'fn-0300' }).waitFor();
      await page.getByRole('searchbox', { name: 'Search functions' }).fill('the-la');
      await page.getByRole('link', { name: 'the-last', exact: true }).waitFor();
      expect(await page.getByRole('link', { name: 'fn-0001' }).count()).to.equal(0);
      await page.reload();
      await page.getByRole('link', { name: 'the-last', exact: true }).waitFor();
      await page.goto('/users?q=user-777');
      await page.getByRole('button', { name: 'Edit user-777@example.org' }).waitFor();
      await seen.close();
    }
  });

  it('can be chosen, and what a sink uses is shown as what it is', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/sinks/orders/settings');
    expect(await page.getByLabel('Transform', { exact: true }).inputValue()).to.equal('the-last');
    await page.goto('/sinks/orders/function');
    expect(await page.getByLabel('Transform of this sink').inputValue()).to.equal('the-last');
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('combobox', { name: 'Name or message id' }).fill('the-last');
    await until('what has that very name comes first', async () =>
      /^the-last/.test((await page.getByRole('option').first().textContent()) ?? ''),
    );
    await seen.close();
  });
});
