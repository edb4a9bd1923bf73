/** What was so a moment ago is not shown as if it were so, and what nobody can say is said. */
import { expect } from 'chai';
import type { Route } from 'playwright-core';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import type { Seen } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { addShop } from '../support/fixtures/fixtures.ts';
import { until } from '../support/until.ts';

const entry = (seq: number) => ({
  ...{ id: seq, seq, source_table_schema: 'public', source_table_name: 'a', record_pk: `key-${seq}`, action: 'insert' },
  ...{ record: {}, changes: null, committed_at: '2026-01-01T00:00:00Z', inserted_at: '2026-01-01T00:00:00Z' },
});

const REFUSED = { status: 503, json: { code: 'full', summary: 'the message database is full' } };

describe('browser: what is no longer so', () => {
  let on: TestConsole;
  let seen: Seen;
  before(async function () {
    on = await openConsole(this);
    const spare = "  - { name: spare, url: 'postgres://u:p@h3/d', slot: { name: c }, publication: { name: c } }\n";
    const file = FILE.replace('functions:', `${spare}functions:`);
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(file).config);
  });
  beforeEach(async () => {
    seen = await on.see();
  });
  afterEach(async () => await seen?.close());
  after(async () => await on?.close());

  it('is no difference that is about to be saved', async () => {
    const { page } = seen;
    await page.goto('/sinks/orders/settings');
    const dialog = page.getByRole('alertdialog');
    await page.getByLabel('Lease (ms)').fill('45000');
    await page.getByRole('button', { name: 'Save…' }).click();
    await dialog.getByText('45000').waitFor();
    await page.keyboard.press('Escape');
    const asked = Promise.withResolvers<Route>();
    await page.route('**/plan', asked.resolve, { times: 1 });
    await page.getByLabel('Lease (ms)').fill('46000');
    await page.getByRole('button', { name: 'Save…' }).click();
    await dialog.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await dialog.getByText('45000').count()).to.equal(0);
    await (await asked.promise).continue();
    await dialog.getByText('46000').waitFor();
  });

  it('is no change of somebody else that one saves oneself', async () => {
    const { page } = seen;
    await page.goto('/sinks/orders/settings');
    await page.getByLabel('Lease (ms)').fill('47000');
    await page.getByRole('button', { name: 'Save…' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('47000').waitFor();
    await page.evaluate(`new MutationObserver(() => {
      if (document.body.textContent.includes('changed it in the meantime')) globalThis.isTold = true;
    }).observe(document.body, { childList: true, subtree: true, characterData: true })`);
    // An answer that comes late: until then it is not known that all is read again.
    const isRead = Promise.withResolvers<void>();
    await page.route('**/api/overview*', async (route) => {
      await isRead.promise;
      await route.fallback().catch(() => undefined);
    });
    // As it is saved: the sink is asked for all the time.
    const again = page.waitForResponse(async (found) => {
      const isSink = found.request().method() === 'GET' && found.url().endsWith('/api/sinks/orders');
      // One that was broken off has nothing to read.
      const sink = isSink ? await found.json().catch(() => undefined) : undefined;
      return sink?.destination?.visibility_timeout_ms === 47_000;
    });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await again;
    isRead.resolve();
    await page.getByText('Saved orders').waitFor();
    expect(await page.evaluate('globalThis.isTold === true')).to.equal(false);
  });

  it('is no button that was pressed: what it did is told although it is gone', async () => {
    const { page } = seen;
    const { db } = on.m;
    await db.query(`insert into millrace_private.circuits (sink_no, reason, error, probe_at)
      select no, 'index_missing', 'no such index [p]', now() + interval '1 h' from millrace_private.sinks where name = 'products'`);
    await page.goto('/sinks/products');
    const wrong = page.getByRole('region', { name: 'What is wrong' });
    const probe = wrong.getByRole('button', { name: 'Probe now' });
    await probe.waitFor();
    const isGone = Promise.withResolvers<void>();
    await page.route('**/api/overview', async (route) => {
      await isGone.promise;
      await route.fallback().catch(() => undefined);
    });
    await page.route('**/probe', async (route) => {
      await db.query('delete from millrace_private.circuits');
      await route.fulfill({ json: {} });
    });
    await probe.click();
    // All is read again by then but the overview: only after that an act is over.
    await probe.waitFor({ state: 'detached' });
    isGone.resolve();
    await page.getByText('Probing the destination now').waitFor();
  });

  it('is no document that another function has made', async () => {
    const { page } = seen;
    await page.route('**/rows*', (route) =>
      route.fulfill({ json: { data: [{ record: { id: 1 }, metadata: {} }], next_cursor: null } }),
    );
    const made = { ok: true, result: { first: 1 }, took_ms: 0, error: null };
    await page.route('**/functions/run', (route) => route.fulfill({ json: { results: [made] } }));
    await page.goto('/sinks/new?database=shop&table=public.a');
    await page.getByRole('radio', { name: 'Use an existing function' }).check();
    await page.getByLabel('Transform').selectOption('document');
    const shown = page.getByText('{"first":1}');
    await shown.waitFor();
    const asked = Promise.withResolvers<Route>();
    await page.route('**/functions/run', asked.resolve, { times: 1 });
    await page.getByRole('radio', { name: 'Write a function' }).check();
    const held = await asked.promise;
    expect(await shown.count()).to.equal(0);
    await held.fallback();
    await shown.waitFor();
  });

  it('is no entry of long ago, where very many have come since', async () => {
    const { page } = seen;
    let newest = 100;
    let begun = 0;
    await page.route('**/entries?*', async (route) => {
      const isAnew = !route.request().url().includes('from_seq');
      if (isAnew) begun += 1;
      else newest += begun === 1 ? 450 : 0;
      const many = isAnew ? 100 : 460;
      const data = Array.from({ length: many }, (_, place) => entry(newest - place)).filter(({ seq }) => seq > 0);
      await route.fulfill({ json: { data, next_cursor: isAnew && newest > 100 ? 'older' : null } });
    });
    await page.goto('/change-retentions/history/entries');
    // They come faster than anybody sees the first of them.
    await until('its top is read anew', async () => begun === 2);
    expect(await page.getByRole('status', { name: 'Loading' }).count()).to.equal(0);
    await page.getByRole('link', { name: `key-${newest}`, exact: true }).waitFor();
  });

  it('is no connection that was looked at before its address was changed', async () => {
    const { page } = seen;
    await page.route('**/test_connection', (route) => route.fulfill({ json: { ok: true, checks: [] } }));
    await page.goto('/databases/new');
    await page.getByLabel('Address').fill('postgres://u:p@db.example.com:5432/shop');
    await page.getByRole('button', { name: 'Check connection' }).click();
    await page.getByText('Ready to be captured').waitFor();
    await page.getByLabel('Host').fill('db2.example.com');
    await page.getByText('Ready to be captured').waitFor({ state: 'detached' });
  });

  it('is no refusal of a dialog that was closed', async () => {
    const { page } = seen;
    await page.route('**/api/postgres_databases/spare*', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({ status: 409, json: { code: 'needs_force', summary: 'the source does not answer' } })
        : route.fallback(),
    );
    await page.goto('/databases/spare/settings');
    const ask = page.getByRole('button', { name: 'Remove…' });
    await ask.click();
    await page.getByLabel('Type spare to continue').fill('spare');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByRole('button', { name: 'Remove, and leave the rest' }).waitFor();
    await page.keyboard.press('Escape');
    await ask.click();
    await page.getByRole('button', { name: /^Remove \(Type spare/ }).waitFor();
    expect(await page.getByText('the source does not answer').count()).to.equal(0);
  });

  it('is no reader that has let go meanwhile', async () => {
    const { page } = seen;
    const still = { code: 'unavailable', summary: 'is still read by process 7 (capture)', remedy: 'Stop it', pid: 7 };
    let asked = 0;
    await page.route('**/api/postgres_databases/spare*', (route) => {
      if (route.request().method() !== 'DELETE') return route.fallback();
      asked += 1;
      return asked < 3 ? route.fulfill({ status: 503, json: still }) : route.fulfill({ json: { left: [] } });
    });
    await page.goto('/databases/spare/settings');
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByLabel('Type spare to continue').fill('spare');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Capture still reads from it').waitFor();
    expect(await page.getByText('Stop it').count()).to.equal(0);
    await page.getByText('Removed spare').waitFor();
    expect(asked).to.equal(3);
  });

  it('is no setting of a database that somebody else has changed, before one has begun to', async () => {
    const { page } = seen;
    const path = '/api/postgres_databases/spare';
    await page.goto('/databases/spare/settings');
    const name = page.getByLabel('Database', { exact: true });
    await name.waitFor();
    const change = async (database: string): Promise<void> => {
      const changed = await on.web.call('PATCH', path, { body: { database } });
      expect(changed.status, changed.text).to.equal(200);
    };
    await change('d4');
    await until('the new one is shown', async () => (await name.inputValue()) === 'd4');
    await page.getByLabel('User').fill('mine');
    await change('d5');
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByLabel('What someone else changed').getByText('d5').waitFor();
    expect(await page.getByLabel('What changes').getByText('mine').count()).to.equal(1);
  });

  it('is no step that a resync leaves out', async () => {
    const { page } = seen;
    await addShop(on.m.db);
    await on.m.db.query("update millrace_private.positions set state = 'needs_resync'");
    await page.goto('/databases/shop');
    await page.getByRole('button', { name: 'Resync…' }).click();
    const step = page.getByText('Search indexes are compared');
    await step.waitFor();
    await page.getByLabel('Compare search indexes afterwards').uncheck();
    await step.waitFor({ state: 'detached' });
  });

  it('is told where nobody answers: of the last delivery, and of where changes are kept', async () => {
    const { page } = seen;
    await page.route('**/metrics', (route) => route.fulfill(REFUSED));
    await page.goto('/sinks/orders/trace');
    await page.getByRole('alert').getByText(REFUSED.json.summary).waitFor();
    await page.route('**/api/change_retentions?*', (route) => route.fulfill(REFUSED));
    await page.goto('/change-retentions');
    await page.getByRole('alert').getByText(REFUSED.json.summary).waitFor();
    await page.getByRole('link', { name: 'history' }).waitFor();
  });

  it('is no choice of somebody who may not choose', async () => {
    const reader = await on.see({ scopes: ['read', 'read:data'] });
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(FILE).config);
    await on.web.call('POST', '/api/sinks/products/release');
    await reader.page.goto('/sinks/products/function');
    await reader.page.getByText('Needs the scope admin.').first().waitFor();
    expect(await reader.page.getByLabel('Transform of this sink').isDisabled()).to.equal(true);
    await reader.close();
  });

  it('keeps what is said of a fault while somebody points at it, whatever else is drawn anew', async () => {
    const { page } = seen;
    const fault = { ok: false, result: null, took_ms: 0, error: { message: 'no such name', line: 1, column: 3 } };
    await page.route('**/functions/run', (route) => route.fulfill({ json: { results: [fault] } }));
    await page.route('**/rows*', (route) =>
      route.fulfill({ json: { data: [{ record: { id: 1 }, metadata: {} }], next_cursor: null } }),
    );
    await page.goto('/functions/new?database=shop&table=public.a');
    await page.locator('.cm-lintRange-error').first().hover();
    const said = page.locator('.cm-tooltip-lint');
    await said.waitFor();
    await page.getByLabel('Description').focus();
    await page.keyboard.type('of a product');
    expect(await page.getByLabel('Description').inputValue()).to.equal('of a product');
    expect(await said.isVisible()).to.equal(true);
  });
});
