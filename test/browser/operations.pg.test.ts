/** Long work in the browser: asked for, watched, paused, cancelled, and what it found. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible, screenshot } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';

describe('browser: operations', () => {
  let on: TestConsole;
  before(async function () {
    on = await openConsole(this);
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(FILE).config);
  });
  after(async () => await on?.close());

  it('verifies an index: watched, paused, resumed, cancelled; what was found stands there by document', async () => {
    const { m } = on;
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/operations');
    await page.getByText('No operations yet').waitFor();
    await expectAccessible(page, 'operations, empty');
    await page.goto('/sinks/products/verify');
    await page.getByText('Never verified').waitFor();
    await page.getByRole('button', { name: 'Verify', exact: true }).click();
    await page.getByText('no worker is there to take it').waitFor();
    await page.getByRole('button', { name: 'Pause verification of products' }).click();
    await page.getByRole('button', { name: 'Resume verification of products' }).click();
    await page.getByRole('link', { name: 'verification of products' }).click();
    const id = page.url().split('/').at(-1)!;
    await m.db.query(
      `update millrace_private.operations set state = 'running', phase = 'comparing', started_at = now(), attempt = 1,
         progress = '{"table": "public.products", "done": 122000, "total": 200000, "percent": 61, "per_second": 6700, "seconds_left": 12}'
       where id = $1`,
      [id],
    );
    await page.getByText('12 s left').waitFor();
    await expectAccessible(page, 'an operation');
    await screenshot(page, 'operations-running-1280');
    // What no JavaScript number holds is a figure all the same, in words and in drawings.
    await m.db.query(
      `update millrace_private.operations
          set progress = progress || '{"done": 9007199254740993, "total": 9223372036854775807}' where id = $1`,
      [id],
    );
    await page.getByText(/^9\u202f007\u202f199\u202f254\u202f740\u202f99\d of about 9\u202f223\u202f372/).waitFor();
    expect(await page.locator('main').textContent()).to.not.contain('NaN');
    await m.db.query(
      `with done as (update millrace_private.operations set state = 'done', ended_at = now(), result = '{"missing": 1, "different": 1}'
         where id = $1 returning id)
       insert into millrace_private.operation_findings
       select id, n, jsonb_build_object('kind', (array['missing', 'different'])[n], 'index', 'products', 'id', '9223372036854775807', 'table',
         'public.products', 'key', json_build_array('17'), 'fields', '["price"]'::json, 'reason', null) from done, generate_series(1, 2) n`,
      [id],
    );
    await page.getByText('missing from the index').waitFor();
    expect(await page.locator('main').textContent()).to.contain('9223372036854775807');
    await expectAccessible(page, 'what a verification found');
    await page.goto('/sinks/products/verify');
    await page.getByText('missing from the index').waitFor();
    await page.getByRole('button', { name: 'Verify and repair' }).click();
    await page.getByText('Documents without a row are deleted').waitFor();
    await expectAccessible(page, 'repair is asked for');
    await seen.close();
  });

  it('sends rows, of a table or all, and cancels after it was asked', async () => {
    const seen = await on.see({ width: 390, dark: true });
    const { page } = seen;
    await page.goto('/sinks/products/backfills');
    await page.getByRole('button', { name: 'Send rows' }).click();
    await page.getByLabel('Value').fill('17');
    await page.getByRole('button', { name: 'Send all rows' }).click();
    await page.getByText('is missing: the column whose value').first().waitFor();
    await page.getByLabel('Value').fill('');
    await expectAccessible(page, 'a new backfill');
    await page.getByRole('button', { name: 'Send all rows' }).click();
    await page.getByRole('button', { name: /^Cancel backfill/ }).click();
    await page.getByRole('button', { name: 'Cancel operation' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await expectAccessible(page, 'backfills');
    await screenshot(page, 'operations-backfills-390');
    await page.goto('/operations?state=cancelled&kind=backfill');
    await page.getByRole('link', { name: /^backfill of products/ }).waitFor();
    await seen.close();
  });
});
