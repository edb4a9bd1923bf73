/** What somebody has begun to write is there again when they come back to it, and for nobody else. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { createUser } from '../../src/admin/users.ts';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible, PASSWORD, screenshot, writeCode } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';

const MINE = '(action, record) => ({ mine: record.id })';

const HISTORY = `change_retentions:
  - { name: history, source_database: shop, source_table_name: a, destination_database: shop, destination_table_name: b }
`;

describe('browser: what is begun', () => {
  let on: TestConsole;
  before(async function () {
    on = await openConsole(this);
    for (const name of ['ann', 'eve']) {
      const user = { email: `${name}@example.org`, name, scopes: ['admin'], password: PASSWORD };
      await createUser(on.m.db, user, { kind: 'cli', name: 'test' });
    }
    const body = { name: 'document', type: 'transform', code: '(action, record) => record' };
    const made = await on.web.call('POST', '/api/functions', { body });
    expect(made.status, made.text).to.equal(201);
    const webhook = (name: string): string =>
      `  - { name: ${name}, database: shop, destination: { type: webhook, url: 'http://h/' },
      filters: [{ column_name: id, operator: =, comparison_value: '9007199254740993' }] }\n`;
    const shop =
      "databases: [{ name: shop, url: 'postgres://u:p@h/d', slot: { name: s }, publication: { name: p } }]\n";
    await applyConfig(
      { db: on.m.db, keys: KEYS },
      parse(`${shop}sinks:\n${webhook('one')}${webhook('two')}${HISTORY}`).config,
    );
  });
  after(async () => await on?.close());

  const code = (page: Page) => page.getByRole('textbox', { name: 'Code of the transform' });

  it('is there after another page and after a reload, until it is taken back or saved', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/functions/document');
    await writeCode(page, 'transform', MINE);
    await page.getByText('Modified', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.getByRole('heading', { name: 'Operations' }).waitFor();
    await page.goBack();
    await page.getByText('Modified', { exact: true }).waitFor();
    expect(await code(page).textContent()).to.equal(MINE);
    await page.reload();
    await page.getByText('Modified', { exact: true }).waitFor();
    expect(await code(page).textContent()).to.equal(MINE);

    await on.web.call('PATCH', '/api/functions/document', { body: { code: '() => ({ theirs: 1 })' } });
    await page.reload();
    await page.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.reload();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await code(page).textContent()).to.equal(MINE);
    await seen.close();
  });

  it('is there of the settings of a sink, without secrets, until it is saved or undone', async () => {
    const seen = await on.see();
    const { page } = seen;
    const timeout = page.getByLabel('Timeout (ms)');
    await page.goto('/sinks/one/settings');
    await page.getByText('Limits and connection').click();
    await timeout.fill('4321');
    await page.getByLabel('Signing secrets').fill('whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0');
    await page.getByRole('link', { name: 'Messages', exact: true }).click();
    expect(await page.evaluate('JSON.stringify(sessionStorage)'))
      .to.contain('4321')
      .and.not.contain('whsec_');
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByText('Your unsaved changes are still here').waitFor();
    expect(await timeout.inputValue()).to.equal('4321');
    await page.reload();
    await page.getByText('secrets were not kept: enter them again').waitFor();
    await expectAccessible(page, 'settings that are not saved yet');
    await screenshot(page, 'sinks-settings-unsaved-1280');
    await page.goto('/sinks/two/settings');
    await timeout.waitFor({ state: 'attached' });
    expect(await timeout.inputValue()).to.equal('10000');
    await page.goBack();
    await page.getByText('Your unsaved changes are still here').waitFor();
    await page.getByRole('button', { name: 'Save…' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText('destination.timeout_ms').waitFor();
    expect(await dialog.getByText('filters').count()).to.equal(0);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved one').waitFor();
    await page.reload();
    await timeout.waitFor({ state: 'attached' });
    expect(await timeout.inputValue()).to.equal('4321');
    expect(await page.getByText('Your unsaved changes are still here').count()).to.equal(0);

    await page.getByText('Limits and connection').click();
    await timeout.fill('5000');
    await page.reload();
    await page.getByRole('button', { name: 'Undo all changes' }).click();
    await page.reload();
    await timeout.waitFor({ state: 'attached' });
    expect(await timeout.inputValue()).to.equal('4321');
    const { json } = await on.web.call('GET', '/api/sinks/one');
    expect(json.destination.timeout_ms).to.equal(4321);
    expect(JSON.stringify(json.destination.signing_secrets ?? null)).not.to.contain('whsec');
    await seen.close();
  });

  it('is there of a change retention: its settings, and a replay whose keys one looks up meanwhile', async () => {
    const seen = await on.see();
    const { page } = seen;
    const keys = page.getByLabel('Keys');
    const table = page.getByLabel('Change table', { exact: true });
    await page.goto('/change-retentions/history/replay');
    await page.getByLabel('Sink', { exact: true }).selectOption('one');
    await keys.fill('17\n18');
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await table.fill('b_events');
    await page.getByRole('link', { name: 'Replay', exact: true }).click();
    await keys.waitFor();
    expect(await keys.inputValue()).to.equal('17\n18');
    expect(await page.getByLabel('Sink', { exact: true }).inputValue()).to.equal('one');
    await page.reload();
    await keys.waitFor();
    expect(await keys.inputValue()).to.equal('17\n18');
    await page.getByRole('button', { name: 'Start over' }).click();
    expect(await keys.inputValue()).to.equal('');
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByText('Your unsaved changes are still here').waitFor();
    expect(await table.inputValue()).to.equal('b_events');
    await seen.close();
  });

  it('is not there of the settings of another sink to which one goes straight back', async () => {
    const seen = await on.see();
    const { page } = seen;
    const url = page.getByLabel('URL');
    await page.goto('/sinks/two/settings');
    await url.waitFor();
    await page.getByRole('link', { name: 'Sinks' }).first().click();
    await page.getByRole('link', { name: 'one', exact: true }).click();
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await url.fill('http://mine/');
    await page.evaluate('history.go(-3)');
    await page.getByRole('heading', { name: 'two', level: 1 }).waitFor();
    await url.waitFor();
    expect(await url.inputValue()).to.equal('http://h/');
    await page.getByText('No changes to save').waitFor({ state: 'attached' });
    await seen.close();
  });

  it('is there of the settings of a database, without its password, until it is saved or undone', async () => {
    const seen = await on.see();
    const { page } = seen;
    const host = page.getByLabel('Host', { exact: true });
    const publication = page.getByLabel('Publication', { exact: true });
    await page.goto('/databases/shop/settings');
    await host.fill('elsewhere');
    await page.getByLabel('Password').fill('open sesame');
    await page.getByRole('link', { name: 'Tables', exact: true }).click();
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByText('secrets were not kept: enter them again').waitFor();
    expect(await host.inputValue()).to.equal('elsewhere');
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.to.contain('sesame');
    await page.getByRole('button', { name: 'Undo all changes' }).click();
    expect(await host.inputValue()).to.equal('h');
    await page.reload();
    await host.waitFor();
    expect(await host.inputValue()).to.equal('h');
    await publication.fill('p2');
    await page.reload();
    await page.getByText('Your unsaved changes are still here').waitFor();
    await expectAccessible(page, 'settings of a database that are not saved yet');
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved shop').waitFor();
    await page.reload();
    await publication.waitFor();
    expect(await publication.inputValue()).to.equal('p2');
    expect(await page.getByText('Your unsaved changes are still here').count()).to.equal(0);
    await seen.close();
  });

  it('is there of a database and of a function that are not made yet', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/databases/new');
    await page.getByLabel('Address').fill('postgres://mill:open-sesame@db.example.org/shop');
    await page.getByLabel('Host', { exact: true }).waitFor();
    await page.getByLabel('User').fill('miller');
    await page.reload();
    expect(await page.getByLabel('User').inputValue()).to.equal('miller');
    expect(await page.getByLabel('Host', { exact: true }).inputValue()).to.equal('db.example.org');
    expect(await page.getByLabel('Password').inputValue()).to.equal('');
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.to.contain('sesame');
    await page.getByRole('button', { name: 'Start over' }).click();
    await page.getByLabel('Address').waitFor();
    await page.goto('/functions/new');
    await page.getByLabel('Name', { exact: true }).fill('mine');
    await writeCode(page, 'transform', MINE);
    await page.getByRole('link', { name: 'Functions' }).first().click();
    await page.getByRole('link', { name: 'New function' }).click();
    await page.getByLabel('Name', { exact: true }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('mine');
    expect(await code(page).textContent()).to.equal(MINE);
    await page.getByRole('button', { name: 'Create function' }).click();
    await page.getByText('Created mine').waitFor();
    await page.goto('/functions/new');
    await page.getByLabel('Name', { exact: true }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).to.equal('');
    await seen.close();
  });

  it('is not shown to the next person in the same tab', async () => {
    const seen = await on.see({ scopes: null });
    const { page } = seen;
    const logIn = async (name: string): Promise<void> => {
      await page.getByLabel('Email').fill(`${name}@example.org`);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
    };
    const name = page.getByLabel('Name', { exact: true });
    await page.goto('/login?next=/sinks/new');
    await logIn('ann');
    await name.fill('ann-alone');
    await page.reload();
    await name.waitFor();
    expect(await name.inputValue()).to.equal('ann-alone');
    await page.getByRole('button', { name: 'ann' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await logIn('eve');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goto('/sinks/new');
    await name.waitFor();
    expect(await name.inputValue()).to.equal('');
    await seen.close();
  });
});
