/** A verification that was ended before it had compared everything. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';

describe('browser: an operation that was ended', () => {
  let on: TestConsole;
  before(async function () {
    on = await openConsole(this);
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(FILE).config);
  });
  after(async () => await on?.close());

  it('does not say that the index matches its tables', async () => {
    const made = await on.web.call('POST', '/api/sinks/products/verifications', { body: { repair: false } });
    const { id } = made.json as { id: string };
    const seen = await on.see();
    const { page } = seen;
    await page.goto(`/operations/${id}`);
    await on.web.call('POST', `/api/operations/${id}/cancel`);
    await page.getByText('not everything was compared').waitFor();
    expect(await page.getByText('The index matches its tables').count()).to.equal(0);
    await expectAccessible(page, 'a verification that was cancelled');
    await on.m.db.query("update millrace_private.operations set state = 'done' where id = $1", [id]);
    await page.getByText('The index matches its tables').waitFor();
    await seen.close();
  });
});
