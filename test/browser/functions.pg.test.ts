/** Functions in the browser: tried on a sink's own messages while they are written, saved, and what failed tried again. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible, LOOKS, screenshot, showPart, writeCode } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { appendMessages } from '../support/fixtures/fixtures.ts';

const BIGINT = '9223372036854775807';

describe('browser: functions', () => {
  let on: TestConsole;
  before(async function () {
    on = await openConsole(this);
    const { m, web } = on;
    await applyConfig({ db: m.db, keys: KEYS }, parse(FILE).config);
    await web.call('POST', '/api/functions/document/release');
    await web.call('POST', '/api/sinks/products/release');
    const { rows } = await m.db.query<{ no: number }>(`select no from millrace_private.sinks where name = 'products'`);
    const { no } = rows[0]!;
    const ids = await appendMessages(m.db, no, [
      { record: `{"id":${BIGINT},"price":"12,50"}` },
      { record: '{"id":18,"price":null}' },
    ]);
    await m.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, stage, error, parked_at)
       select $1, id, 0, id, 'parked', 1, 'shape', 'document: TypeError: no price (line 2, column 10)', now() from unnest($2::bigint[]) id`,
      [no, ids],
    );
  });
  after(async () => await on?.close());

  it('is tried on parked messages while it is written, marks the line, saves, and tries them again', async () => {
    const { web } = on;
    for (const look of LOOKS) {
      const seen = await on.see(look);
      const { page } = seen;
      await page.goto('/functions/document?sink=products');
      await showPart(page, 'Samples and results');
      await page.getByText(`{"id":${BIGINT},"price":"12,50"}`).first().waitFor();
      await showPart(page, 'Code');
      await writeCode(
        page,
        'transform',
        '(action, record) => ({\n  price: record.price.replace(",", "."), id: record.id })',
      );
      await page.locator('.cm-lintRange-error').waitFor();
      if (look.width === 390) {
        await page.getByRole('button', { name: 'Samples and results 1 failed' }).waitFor();
        await expectAccessible(page, 'the code of a function, narrow');
        await screenshot(page, 'functions-code-390');
      }
      await showPart(page, 'Samples and results');
      await page.getByText(`{"price":"12.50","id":${BIGINT}}`).waitFor();
      await page.getByText(/Cannot read properties of null/).waitFor();
      await expectAccessible(page, `function ${look.width}`);
      await screenshot(page, `functions-editor-${look.width}`);
      await seen.close();
    }
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/sinks/products/function');
    await page.getByRole('button', { name: 'Close editor document' }).waitFor();
    await page.getByText('12,50').first().waitFor();
    await writeCode(page, 'transform', '(action, record) => ({ id: record.id })');
    await page.getByText(`{"id":${BIGINT}}`, { exact: true }).waitFor();
    await expectAccessible(page, 'functions of a sink');
    await screenshot(page, 'functions-sink-1280');
    await page.getByRole('button', { name: 'Save and retry 2' }).click();
    await page.getByText('retrying 2 messages').waitFor();
    // The page knows that nothing has failed any more, and whoever goes on writing keeps the editor.
    await page.getByRole('button', { name: /retry 2$/i }).waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Code of the transform' }).count()).to.equal(1);
    expect((await web.call('GET', '/api/functions/document')).json.code).to.contain('({ id: record.id })');
    expect((await web.call('GET', '/api/sinks/products/messages/count?state=parked')).json.count).to.equal(0);
    await seen.close();
  });

  it('is made, refused with line and column, listed with who uses it, and deleted while nobody does', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/functions/new');
    await page.getByRole('textbox', { name: 'Code of the transform' }).waitFor();
    await expectAccessible(page, 'a new function');
    await page.getByLabel('Name').fill('by-table');
    await writeCode(page, 'transform', '(action, record) => ({ a: })');
    await page.getByRole('button', { name: 'Create function' }).click();
    await page.getByRole('alert').waitFor();
    await writeCode(page, 'transform', '(action, record) => ({ a: record.id })');
    await page.getByRole('button', { name: 'Create function' }).click();
    await page.getByText('Created by-table').waitFor();
    await page.goto('/functions');
    await page.getByRole('link', { name: 'products' }).waitFor();
    await expectAccessible(page, 'functions');
    await screenshot(page, 'functions-list-1280');
    await page.getByRole('link', { name: 'document' }).click();
    const used = page.getByRole('button', { name: /^Delete/ });
    expect(await used.getAttribute('title')).to.equal('Used by products');
    await page.goto('/functions/by-table');
    await page.getByRole('button', { name: /^Delete/ }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('Deleted by-table').waitFor();
    await seen.close();
  });
});
