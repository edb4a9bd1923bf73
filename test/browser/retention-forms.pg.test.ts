/** Change retentions are made and changed in the browser, on tables of a real database. */
import { expect } from 'chai';
import pg from 'pg';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible, LOOKS, screenshot } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { sharedSource, type TestDatabase } from '../support/postgres/postgres.ts';

const SCHEMA = `
create table orders (id int primary key, customer_id int not null, status text);
create table prices (id int primary key, price numeric);
create publication p for table orders, prices;
`;

describe('browser: forms of change retentions', () => {
  let on: TestConsole;
  let source: TestDatabase;
  let client: pg.Client;
  before(async function () {
    on = await openConsole(this, { privateAllowed: true });
    source = await (await sharedSource()).createDatabase();
    client = new pg.Client(source.url);
    await client.connect();
    await client.query(SCHEMA);
  });
  after(async () => {
    await on?.close();
    await client?.end();
    await source?.drop();
  });
  const shop = (): string =>
    `databases: [{ name: shop, url: '${source.url}', slot: { name: s }, publication: { name: p } }]\n`;

  for (const look of LOOKS) {
    it(`make one whose table is made by the SQL that was copied, at ${look.width} px`, async () => {
      await applyConfig({ db: on.m.db, keys: KEYS }, parse(shop()).config);
      const into = `Orders of ${look.width}`;
      const seen = await on.see(look);
      const { page } = seen;
      await page.goto('/change-retentions');
      await page.getByRole('link', { name: 'New change retention' }).first().click();
      await expectAccessible(page, `new change retention, empty ${look.width}`);
      await page.getByLabel('Database', { exact: true }).selectOption('shop');
      await page.getByRole('radio', { name: 'prices' }).check();
      await page.getByRole('radio', { name: 'orders', exact: true }).check();
      expect(await page.getByRole('radio', { name: 'prices' }).isChecked()).to.equal(false);
      await page.getByLabel('Target database').selectOption('shop');
      await page.getByLabel('Change table', { exact: true }).fill('orders');
      await page.getByText('is the source table itself').waitFor();
      await page.getByLabel('Change table', { exact: true }).fill(into);
      await page.getByRole('radio', { name: 'A Millrace job' }).check();
      await page.getByRole('textbox', { name: 'Kept for' }).fill('soon');
      await page.getByText('must be a period of time').waitFor();
      await page.getByRole('textbox', { name: 'Kept for' }).fill('7 days');
      await page.getByText('Actions, filters').click();
      for (const action of ['insert', 'update', 'delete']) await page.getByLabel(action, { exact: true }).uncheck();
      await page.getByText('must name at least one action').waitFor();
      await page.getByLabel('delete', { exact: true }).check();
      await page.getByRole('radio', { name: 'I run the SQL myself' }).check();
      await page.getByText('Run this on').waitFor();
      await page.getByRole('button', { name: 'I ran it, check' }).click();
      await page.getByText('does not exist').first().waitFor();
      await page.getByText('Run the SQL above').waitFor();
      expect(await page.getByText('create table if not exists').count()).to.equal(1);
      await screenshot(page, `retention-new-missing-${look.width}`);
      await expectAccessible(page, `new change retention, its table is missing ${look.width}`);
      await page.reload();
      expect(await page.getByRole('radio', { name: 'orders', exact: true }).isChecked()).to.equal(true);
      expect(await page.getByRole('textbox', { name: 'Kept for' }).inputValue()).to.equal('7 days');
      await client.query((await page.getByText('create table if not exists').textContent()) ?? '');
      await page.getByRole('button', { name: 'I ran it, check' }).click();
      await page.getByText('fits, and may be written').waitFor();
      await screenshot(page, `retention-new-${look.width}`);
      await page.getByLabel('Name', { exact: true }).fill(`history-${look.width}`);
      await page.getByRole('button', { name: 'As YAML' }).click();
      await page.getByText(`- name: history-${look.width}`).waitFor();
      await expectAccessible(page, `new change retention, as YAML ${look.width}`);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Create change retention' }).click();
      await page.getByRole('heading', { name: `history-${look.width}`, level: 1 }).waitFor();
      const { json } = await on.web.call('GET', `/api/change_retentions/history-${look.width}`);
      expect(json).to.deep.include({
        ...{ actions: ['delete'], create_if_not_exists: false, source_table_name: 'orders' },
        ...{ destination_table_name: into, retention: { by: 'job', keep: '7 days', every: '10 minutes' } },
      });
      await page.getByText('The newest entries').waitFor();
      const query = page.getByText('select committed_at');
      const asked = (await query.textContent())!;
      expect((await client.query(asked)).rows).to.deep.equal([]);
      await page.getByRole('link', { name: 'Entries' }).click();
      await page.getByText('No entries yet').waitFor();
      expect(await query.textContent()).to.equal(asked);
      await page.goto('/change-retentions/new');
      expect(await page.getByLabel('Database', { exact: true }).inputValue()).to.equal('');
      await seen.close();
    });

    it(`show the SQL of each policy, at ${look.width} px`, async () => {
      await applyConfig({ db: on.m.db, keys: KEYS }, parse(shop()).config);
      const seen = await on.see(look);
      const { page } = seen;
      await page.goto('/change-retentions/new?database=shop');
      await page.getByRole('radio', { name: 'orders', exact: true }).check();
      await page.getByLabel('Target database').selectOption('shop');
      await page.getByText('Millrace runs this on').waitFor();
      const sql = page.getByLabel('SQL', { exact: true });
      await sql.getByText('"public"."orders_events"').first().waitFor();
      await page.getByRole('radio', { name: 'pg_cron' }).check();
      await page.getByLabel('Delete every').fill('1 hour');
      await sql.getByText('0 * * * *').waitFor();
      await page.getByLabel('Database that has pg_cron').fill('postgres');
      await sql.getByText('In database postgres').waitFor();
      await page.getByRole('radio', { name: 'pg_partman' }).check();
      await page.getByLabel('Partition size').fill('1 week');
      await sql.getByText('7 days').waitFor();
      await page.getByLabel('Version of pg_partman').selectOption('4');
      await sql.getByText('native').waitFor();
      await expectAccessible(page, `new change retention, by pg_partman ${look.width}`);
      await page.getByRole('button', { name: 'Create change retention' }).click();
      await page.getByRole('heading', { name: 'orders-history', level: 1 }).waitFor();
      const { json } = await on.web.call('GET', '/api/change_retentions/orders-history');
      expect(json).to.deep.include({
        ...{ create_if_not_exists: true, destination_table_name: 'orders_events' },
        retention: { by: 'pg_partman', keep: '30 days', interval: '7 days' },
      });
      await on.web.call('DELETE', '/api/change_retentions/orders-history?force=true');
      await seen.close();
    });

    it(`change one after the difference was shown; what somebody else did is not lost, at ${look.width} px`, async () => {
      const name = `changed-${look.width}`;
      const entry = { source_table_name: 'prices', destination_database: 'shop', destination_table_name: name };
      const filed = `change_retentions: [{ name: filed, source_database: shop, source_table_name: prices, destination_database: shop, destination_table_name: filed }]`;
      await applyConfig({ db: on.m.db, keys: KEYS }, parse(`${shop()}${filed}`).config, { from: 'start' });
      const made = await on.web.call('POST', '/api/change_retentions', {
        body: { name, source_database: 'shop', ...entry, retention: { by: 'job', keep: '30 days' } },
      });
      expect(made.status).to.equal(201);
      const seen = await on.see(look);
      const { page } = seen;
      const dialog = page.getByRole('alertdialog');
      await page.goto(`/change-retentions/${name}`);
      await page.getByRole('link', { name: 'Settings', exact: true }).first().click();
      // Its table is chosen from those that are there, as for a new one.
      await page.getByRole('radio', { name: 'orders', exact: true }).check();
      await page.getByRole('button', { name: 'Undo all' }).click();
      await page.getByRole('radio', { name: 'prices', checked: true }).waitFor();
      await page.getByRole('textbox', { name: 'Kept for' }).fill('never');
      await page.getByText('must be a period of time').waitFor();
      await page.getByRole('button', { name: 'Save… (Some values are not valid yet)' }).waitFor();
      await page.getByRole('textbox', { name: 'Kept for' }).fill('60 days');
      await page.getByRole('button', { name: 'Save…', exact: true }).click();
      await dialog.getByText('retention.keep').waitFor();
      await expectAccessible(page, `save a change retention ${look.width}`);
      const body = {
        retention: { every: '1 hour' },
        filters: [{ column_name: 'price', operator: '>', comparison_value: 1 }],
      };
      expect((await on.web.call('PATCH', `/api/change_retentions/${name}`, { body })).status).to.equal(200);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('token admin has changed it in the meantime').waitFor();
      await page.keyboard.press('Escape');
      await page.getByText('token admin changed it in the meantime').waitFor();
      await page.getByLabel('What was changed in the meantime').getByText('retention.every').waitFor();
      await expectAccessible(page, `change retention, changed meanwhile ${look.width}`);
      await screenshot(page, `retention-settings-${look.width}`);
      await page.getByRole('button', { name: 'Apply my changes on top' }).click();
      await page.getByRole('button', { name: 'Save…', exact: true }).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText(`Saved ${name}`).waitFor();
      const { json } = await on.web.call('GET', `/api/change_retentions/${name}`);
      expect(json.retention).to.deep.equal({ by: 'job', keep: '60 days', every: '1 hour' });
      expect(json.filters).to.have.length(1);
      await page.getByLabel('Name', { exact: true }).fill(`${name}-renamed`);
      await page.getByRole('radio', { name: 'Nothing: entries are kept' }).check();
      await page.getByRole('button', { name: 'Save…', exact: true }).click();
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: `${name}-renamed`, level: 1 }).waitFor();
      expect((await on.web.call('GET', `/api/change_retentions/${name}-renamed`)).json.retention).to.equal(null);
      await page.goto('/change-retentions/filed/settings');
      await page.getByText('Declared in the configuration file').waitFor();
      await page.getByRole('radio', { name: 'A Millrace job' }).check();
      await page.getByText('by: job').waitFor();
      await expectAccessible(page, `a change retention of the file ${look.width}`);
      await screenshot(page, `retention-filed-${look.width}`);
      await page.getByRole('button', { name: 'Undo all' }).click();
      await page.getByRole('button', { name: 'Release to the API…' }).click();
      await dialog.getByRole('button', { name: 'Release to the API' }).click();
      await page.getByText('Released from the configuration file').waitFor();
      await page.getByRole('button', { name: 'Return to the file…' }).click();
      await dialog.getByRole('button', { name: 'Return to the file' }).click();
      await page.getByText('Declared in the configuration file').waitFor();
      await seen.close();
    });
  }
});
