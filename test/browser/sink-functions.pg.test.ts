/** A new sink's functions, written where the sink is made: tried on real rows, made with it, and refused in their own place. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible, LOOKS, screenshot, showPart, writeCode } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { execute, sharedSource, type TestDatabase } from '../support/postgres/postgres.ts';

const SCHEMA = `
create table products (id bigint primary key, name text not null, status text not null);
insert into products values (17, 'mill wheel', 'live'), (18, 'mill stone', 'draft');
create table orders (id int primary key, customer text);
insert into orders values (1, 'Ada');
create publication p for table products, orders;
analyze;
`;

const FILTER = "(action, record) => record.status !== 'draft'";
const ROUTING = "(action, record) => ({ index_name: 'products-' + record.status })";
const TRANSFORM = '(action, record) => ({ title: record.name })';

describe('browser: functions of a new sink', () => {
  let on: TestConsole;
  let source: TestDatabase;
  let engine: BulkServer;
  before(async function () {
    on = await openConsole(this, { privateAllowed: true });
    source = await (await sharedSource()).createDatabase();
    await execute(source.url, SCHEMA);
    engine = await startBulkServer({ indexes: ['products'] });
    const shop = `databases: [{ name: shop, url: '${source.url}', slot: { name: s }, publication: { name: p } }]\n`;
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(shop).config);
  });
  after(async () => {
    await on?.close();
    await engine?.close();
    await source?.drop();
  });

  for (const look of LOOKS)
    it(`a filter, a transform and a routing function are tried in the form and made with the sink, ${look.width}`, async () => {
      const seen = await on.see(look);
      const { page } = seen;
      const loaded: string[] = [];
      page.on('request', (request) => void loaded.push(new URL(request.url()).pathname));
      await page.goto('/sinks/new?database=shop&table=public.products');
      await page.getByLabel('Endpoint').fill(engine.url);
      await page.getByLabel('Index', { exact: true }).fill('products');
      await page.getByText('"mill wheel"').first().waitFor();
      const isEditor = (path: string): boolean => /\/(editor|workbench)-/.test(path);
      expect(loaded.filter(isEditor), 'loaded before somebody writes').to.deep.equal([]);

      const transform = page.getByRole('group', { name: 'Document' });
      await transform.getByRole('radio', { name: 'Write a function' }).check();
      await writeCode(page, 'transform', TRANSFORM);
      expect(loaded.filter(isEditor), 'loaded then').to.not.deep.equal([]);
      await showPart(page, 'Samples and results');
      await page.getByText('{"title":"mill wheel"}').waitFor();
      await page.getByText('Filter and routing functions').click();
      await page.getByRole('group', { name: 'Filter' }).getByRole('radio', { name: 'Write a function' }).check();
      await writeCode(page, 'filter', FILTER);
      await showPart(page, 'Samples and results');
      await page.getByText('true', { exact: true }).waitFor();
      await page.getByText('false', { exact: true }).waitFor();
      await page.getByRole('group', { name: 'Routing' }).getByRole('radio', { name: 'Write a function' }).check();
      await writeCode(page, 'routing', ROUTING);
      await showPart(page, 'Samples and results');
      await page.getByText('{"index_name":"products-draft"}').waitFor();
      await expectAccessible(page, `three functions ${look.width}`);
      await screenshot(page, `sinks-new-functions-${look.width}`);

      await page.getByRole('button', { name: 'As curl' }).click();
      await page.getByText('"name": "products-filter"').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'As YAML' }).click();
      await page.getByText('routing: products-routing').waitFor();
      await page.keyboard.press('Escape');

      const sink = `made-${look.width}`;
      await page.getByLabel('Name', { exact: true }).fill(sink);
      await page.getByLabel('Name of the filter').fill(`filter-${look.width}`);
      await page.getByLabel('Name of the transform').fill('No Name');
      await page.getByLabel('Name of the routing').fill(`routing-${look.width}`);
      await page.getByRole('button', { name: /^Create sink/ }).click();
      const refused = page.getByLabel('Name of the transform');
      await page.locator('[aria-invalid="true"]').waitFor();
      expect(await refused.getAttribute('aria-invalid'), 'its own name is marked').to.equal('true');
      await expectAccessible(page, `a function that is refused ${look.width}`);
      await refused.fill(`transform-${look.width}`);
      await page.locator('[aria-invalid="true"]').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: /^Create sink/ }).click();
      await page.getByRole('heading', { name: sink, level: 1 }).waitFor();
      const { json } = await on.web.call('GET', `/api/sinks/${sink}`);
      const names = ['filter', 'transform', 'routing'].map((use) => `${use}-${look.width}`);
      expect([json.filter, json.transform, json.routing]).to.deep.equal(names);
      const { json: made } = await on.web.call('GET', `/api/functions/filter-${look.width}`);
      expect(made.code.trim()).to.equal(FILTER);
      await seen.close();
    });

  it('of another table other rows are there, and of another kind no routing', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/sinks/new?database=shop&table=public.products');
    await page.getByRole('group', { name: 'Document' }).getByRole('radio', { name: 'Write a function' }).check();
    await page.getByText('"name":"mill wheel"').first().waitFor();
    await page.getByRole('checkbox', { name: 'products' }).uncheck();
    await page.getByText('Choose a table').waitFor();
    await page.getByRole('checkbox', { name: 'orders' }).check();
    await page.getByText('"customer":"Ada"').first().waitFor();
    await page.getByText('Filter and routing functions').click();
    await page.getByRole('group', { name: 'Routing' }).getByRole('radio', { name: 'Write a function' }).check();
    await page.getByRole('textbox', { name: 'Code of the routing' }).waitFor();
    await page.getByRole('radio', { name: 'Pull consumer' }).check();
    await page.getByRole('group', { name: 'Routing' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'As YAML' }).click();
    const yaml = page.getByRole('dialog');
    await yaml.getByText('transform: orders-document').waitFor();
    expect(await yaml.textContent()).to.not.contain('routing');
    await seen.close();
  });
});
