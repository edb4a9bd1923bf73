/** Databases: one is connected from a pasted address, its tables say what is in the way, its settings are changed, it is removed. */
import { expect } from 'chai';
import { expectAccessible, LOOKS, screenshot } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { execute, sharedSource, type TestDatabase } from '../support/postgres/postgres.ts';

const TABLES = `create table products (id bigint primary key, name text, price numeric(10, 2));
create table orders (id bigint primary key, total numeric);
alter table orders replica identity full;
create table audit_trail (at timestamptz, who text);
create unlogged table scratch (id int primary key);
create view cheap as select * from products where price < 1;
create schema sales;
create table sales.regions (id int primary key);
insert into products select n, 'mill wheel', n from generate_series(1, 1000) n;
analyze`;

describe('browser: databases', () => {
  let on: TestConsole;
  let source: TestDatabase;
  before(async function () {
    on = await openConsole(this, { privateAllowed: true });
    source = await (await sharedSource()).createDatabase();
    await execute(source.url, TABLES);
  });
  after(async () => {
    await on?.close();
    await source?.drop();
  });

  it('are connected from a pasted address, once what is in the way is run as it was copied', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/databases');
    await page.getByText('Connect your first database').waitFor();
    await expectAccessible(page, 'databases, empty');
    await screenshot(page, 'databases-empty-1280');
    await page.getByRole('link', { name: 'Connect a database' }).first().click();
    await page.getByLabel('Address').fill(source.url.replace(/\/\/([^@]*)@[^/]*/, '//$1@127.0.0.1:1'));
    expect(await page.getByLabel('Host').inputValue()).to.equal('127.0.0.1');
    await page.getByRole('button', { name: 'Check connection' }).click();
    await page.getByText('One problem').waitFor();
    await page.getByText('nothing listens at this address').waitFor();
    await page.getByLabel('Port').fill(new URL(source.url).port);
    await page.getByLabel('Create slot and publication').uncheck();
    await page.getByRole('button', { name: 'Other names' }).click();
    await page.getByLabel('Slot', { exact: true }).fill(`${source.name}_slot`);
    await page.getByLabel('Publication', { exact: true }).fill('by_hand');
    await page.getByLabel('Name', { exact: true }).fill('shop');
    await page.getByRole('button', { name: 'Check connection' }).click();
    await page.getByText('2 problems').waitFor();
    // What to do is said in the words of this form.
    await page.getByText('Or tick “Create slot and publication” above.').first().waitFor();
    expect(await page.getByLabel('Checks').textContent()).to.not.contain('create_if_not_exists');
    await expectAccessible(page, 'connect, refused');
    await screenshot(page, 'databases-connect-1280');
    for (const sql of await page
      .getByLabel('Checks')
      .getByLabel('SQL', { exact: true })
      .locator('pre')
      .allTextContents())
      await execute(source.url, sql);
    await page.getByRole('button', { name: 'I ran it, check again' }).first().click();
    await page.getByText('Ready to be captured').waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page, 'connect, checked, narrow');
    await screenshot(page, 'databases-checked-390');
    await page.setViewportSize({ width: 1280, height: 800 });
    await screenshot(page, 'databases-checked-1280');
    const connect = page.getByRole('button', { name: 'Connect', exact: true });
    // The answer is lost on its way: nobody says that it is tried again by itself.
    await page.route('**/api/postgres_databases', (route) => route.abort(), { times: 1 });
    await connect.click();
    await page.getByText('look before you try again').waitFor();
    const taken = { status: 409, json: { code: 'name_taken', summary: 'there is a database shop already' } };
    await page.route('**/api/postgres_databases', (route) => route.fulfill(taken), { times: 1 });
    await connect.click();
    await page.getByText('It is already taken.').waitFor();
    expect(await page.getByLabel('Name', { exact: true }).getAttribute('aria-invalid')).to.equal('true');
    await connect.click();
    await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor();
    await seen.close();
  });

  it('show their tables, with what keeps changes from coming, and are changed and removed', async () => {
    const { web } = on;
    for (const look of LOOKS) {
      const seen = await on.see(look);
      const { page } = seen;
      await page.goto('/');
      // No sink reads from it: it is not told as well.
      await page.getByText('Not captured').waitFor();
      await page.goto('/databases');
      await page.getByRole('link', { name: 'shop' }).waitFor();
      await expectAccessible(page, `databases ${look.width}`);
      await screenshot(page, `databases-list-${look.width}`);
      await page.goto('/databases/shop');
      await page.getByLabel('Replication slots of this server').waitFor();
      await page.getByText('No problems found.').waitFor();
      await expectAccessible(page, `database ${look.width}`);
      await screenshot(page, `databases-overview-${look.width}`);
      await page.goto('/databases/shop/tables?q=audit');
      await page.locator('summary').click();
      await page.locator('details pre').getByText('replica identity full').waitFor();
      const listed = page.getByRole('region', { name: 'Tables' });
      for (const [name, why] of [
        ['scratch', 'public.scratch is unlogged'],
        ['cheap', 'public.cheap is a view'],
      ] as const) {
        await page.getByLabel('Search tables').fill(name);
        await listed.getByText(`public.${name}`, { exact: true }).waitFor();
        await page.locator('summary').click();
        await listed.getByText(why).waitFor();
      }
      await page.getByLabel('Search tables').fill('');
      await page.getByText('sales.regions', { exact: true }).waitFor();
      expect(new URL(page.url()).search).to.equal('');
      await expectAccessible(page, `tables ${look.width}`);
      await screenshot(page, `databases-tables-${look.width}`);
      await page.goto('/databases/shop/settings');
      await page.getByRole('heading', { name: 'Remove' }).waitFor();
      await expectAccessible(page, `settings ${look.width}`);
      await screenshot(page, `databases-settings-${look.width}`);
      await seen.close();
    }
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/databases/shop/settings');
    await page.getByText('Advanced', { exact: true }).click();
    await page.getByLabel('Connections').fill('5');
    const changed = { method: 'PATCH', body: { pool_size: 4 } };
    expect((await web.call(changed.method, '/api/postgres_databases/shop', { body: changed.body })).status).to.equal(
      200,
    );
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('token admin has changed it in the meantime').waitFor();
    await expectAccessible(page, 'outdated');
    await screenshot(page, 'databases-outdated-1280');
    await page.getByRole('button', { name: 'Save anyway' }).click();
    await page.getByText('Saved shop').waitFor();
    expect((await web.call('GET', '/api/postgres_databases/shop')).json.pool_size).to.equal(5);
    await page.getByLabel('Annotations').fill('team: shop');
    await page.getByLabel('Statement that creates').fill('create table x ()');
    await page.getByLabel('Create the slot if it does not exist').check();
    await page.getByLabel('TLS').selectOption({ label: 'Required, certificate verified' });
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    // Each is said where it is, and nothing that was typed is lost.
    await page
      .getByText(/^\d fields? (?:is|are) not valid$/)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
    await page
      .getByText(/must be a `?create publication`? statement/)
      .first()
      .waitFor();
    await page
      .getByText(/there is no `?ca`?/)
      .first()
      .waitFor();
    await expectAccessible(page, 'settings, refused');
    await page.getByLabel('TLS').selectOption({ label: 'If the server offers it, not verified' });
    await page.getByLabel('Statement that creates').fill('create publication by_hand for table products');
    await page.getByLabel('Name', { exact: true }).fill('warehouse');
    await page.getByRole('button', { name: 'Save…' }).click();
    await expectAccessible(page, 'settings, saving');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Saved warehouse').waitFor();
    await page.waitForURL('**/databases/warehouse/settings');
    const stored = (await web.call('GET', '/api/postgres_databases/warehouse')).json;
    expect(stored.annotations).to.deep.equal({ team: 'shop' });
    expect(stored.slot.create_if_not_exists).to.equal(true);
    expect(stored.publication).to.deep.include({
      ...{ create_if_not_exists: false, init_sql: 'create publication by_hand for table products' },
    });
    expect(stored.ssl).to.equal('prefer');
    // As it was: somebody else has made its slot, which stays.
    const again = { name: 'shop', slot: { create_if_not_exists: false } };
    await web.call('PATCH', '/api/postgres_databases/warehouse', { body: again });
    await page.goto('/databases/shop/settings');
    await page.getByRole('button', { name: 'Remove…' }).click();
    await page.getByLabel('Type shop to continue').fill('shop');
    await expectAccessible(page, 'remove');
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('Left behind in the source').waitFor();
    const left = (await page.getByLabel('SQL', { exact: true }).locator('pre').textContent()) ?? '';
    for (const sql of left.split('\n')) await execute(source.url, sql);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByText('Connect your first database').waitFor();
    await seen.close();
  });
});
