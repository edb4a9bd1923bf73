/** A verification that was ended before it had compared everything. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible, screenshot } from '../support/browser/browser.ts';
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

  it('says in a list how much was done of what and how long it took; a card of one that never began has no line for it', async () => {
    const { db } = on.m;
    await db.query('delete from millrace_private.operations');
    const ask = () => on.web.call('POST', '/api/sinks/products/verifications', { body: { repair: false } });
    await ask();
    await db.query(
      `update millrace_private.operations
          set state = 'done', started_at = created_at, ended_at = created_at + interval '12 s', progress = '{"done": 122000}'`,
    );
    const { id } = (await ask()).json as { id: string };
    await on.web.call('POST', `/api/operations/${id}/cancel`);
    const seen = await on.see({ width: 390 });
    const { page } = seen;
    await page.goto('/operations');
    const ended = page.getByRole('row').filter({ hasText: 'Done' });
    await ended.getByText('122\u202f000 rows').waitFor();
    await ended.getByText('Took 12 s').waitFor();
    const never = page.getByRole('row').filter({ hasText: 'Cancelled' });
    expect(await never.getByText('Progress', { exact: true }).isVisible()).to.equal(false);
    await screenshot(page, 'operations-ended-390');
    await seen.close();
  });
});
