/** What comes late, fails for a while or is seldom so: pages of sinks and change retentions say it, and go on by themselves. */
import { expect } from 'chai';
import pg from 'pg';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { statement } from '../../src/db/statement.ts';
import { KEYS, parse } from '../catalog/support.ts';
import type { Seen } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { sharedSource, type TestDatabase } from '../support/postgres/postgres.ts';

const SCHEMA = `
create table paths (path text primary key, size int);
insert into paths values ('C:\\it''s', 1);
create publication p for table paths;
analyze;
`;
const TABLE = statement('sinks/change-table/create-table').text.replace('<event_table>', 'public.kept');

describe('browser: what comes late', () => {
  let on: TestConsole;
  let source: TestDatabase;
  let client: pg.Client;
  let seen: Seen;
  before(async function () {
    on = await openConsole(this, { privateAllowed: true });
    source = await (await sharedSource()).createDatabase();
    client = new pg.Client(source.url);
    await client.connect();
    await client.query(`${SCHEMA}; ${TABLE}`);
    await applyConfig(
      { db: on.m.db, keys: KEYS },
      parse(`
databases: [{ name: shop, url: '${source.url}', slot: { name: s }, publication: { name: p } }]
sinks:
  - { name: some, database: shop, source: { include_tables: [paths] }, destination: { type: pull } }
  - { name: others, database: shop, source: { exclude_schemas: [audit], exclude_tables: [public.paths] }, destination: { type: pull } }
change_retentions:
  - { name: history, source_database: shop, source_table_schema: public, source_table_name: paths,
      destination_database: shop, destination_table_schema: public, destination_table_name: kept }
`).config,
    );
  });
  beforeEach(async () => {
    seen = await on.see();
  });
  afterEach(async () => await seen?.close());
  after(async () => {
    await on?.close();
    await client?.end();
    await source?.drop();
  });

  const keep = async (seq: number): Promise<void> => {
    const { rows } = await on.m.db.query<{ id: string }>('select id from millrace_private.databases');
    await client.query(
      `insert into kept (seq, source_database_id, source_table_oid, source_table_schema, source_table_name, record_pk,
         record, action, committed_at) values ($1::bigint, $2, 1, 'public', 'paths', $1::text, '{}', 'insert', now())`,
      [seq, rows[0]!.id],
    );
  };

  it('who looks is not waited for: the overview and the code of the page are asked for meanwhile', async () => {
    const own = await on.see();
    const isKnown = Promise.withResolvers<void>();
    await own.page.route('**/api/whoami', async (route) => {
      await isKnown.promise;
      await route.continue();
    });
    const asked = [/\/api\/overview$/, /\/assets\/doctor-[\w-]+\.js$/].map((url) => own.page.waitForRequest(url));
    await own.page.goto('/doctor');
    await Promise.all(asked);
    isKnown.resolve();
    await own.page.getByRole('heading', { name: 'Doctor', level: 1 }).waitFor();
    await own.close();
  });

  it('asks again what would change, when nobody answered', async () => {
    const { page } = seen;
    await page.goto('/sinks/some/settings');
    await page.route('**/plan', (route) => route.abort());
    await page.getByLabel('Lease (ms)').fill('45000');
    await page.getByText('Millrace does not answer').first().waitFor();
    await page.unroute('**/plan');
    await page.getByText('Millrace does not answer').first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('alertdialog').getByText('destination.visibility_timeout_ms').waitFor();
  });

  it('reads samples and runs a function again, when nobody answered or could run it', async () => {
    const { page } = seen;
    const failing = ['abort', 503];
    await page.route('**/functions/run', async (route) => {
      const next = failing.shift();
      if (next === undefined)
        await route.fulfill({ json: { results: [{ ok: true, result: { run: 1 }, took_ms: 1, error: null }] } });
      else if (next === 'abort') await route.abort();
      else await route.fulfill({ status: 503, json: { code: 'unavailable', summary: 'no sandbox could be started' } });
    });
    await page.route('**/tables/*/rows*', (route) => route.abort(), { times: 1 });
    await page.goto('/functions/new?database=shop&table=public.paths');
    await page.getByText('Millrace does not answer').first().waitFor();
    await page.getByText('no sandbox could be started').waitFor();
    await page.getByText('{"run":1}').waitFor();
    expect(await page.getByRole('alert').count()).to.equal(0);
  });

  it('shows what a new sink would send, once somebody can say', async () => {
    const body = { name: 'sizes', type: 'transform', code: '(action, record) => ({ size: record.size })' };
    const made = await on.web.call('POST', '/api/functions', { body });
    expect(made.status, made.text).to.equal(201);
    const { page } = seen;
    await page.route('**/functions/run', (route) => route.abort(), { times: 1 });
    await page.goto('/sinks/new?database=shop&table=public.paths');
    await page.getByLabel('Use an existing function').first().check();
    await page.getByLabel('Transform', { exact: true }).selectOption('sizes');
    await page.getByText('Millrace does not answer').waitFor();
    await page.getByText('{"size":1}').waitFor();
    expect(await page.getByText('Millrace does not answer').count()).to.equal(0);
  });

  it('shows an entry that comes after one of a higher seq, also where there are few', async () => {
    const { page } = seen;
    await keep(10);
    await page.goto('/change-retentions/history/entries');
    await page.getByRole('link', { name: '10', exact: true }).waitFor();
    await keep(9);
    await page.getByRole('link', { name: '9', exact: true }).waitFor();
  });

  it('replays what was counted, also when times are shown in another zone by then', async () => {
    const { page } = seen;
    await keep(11);
    await page.goto('/change-retentions/history/replay');
    await page.getByLabel('Sink').selectOption('some');
    await page.getByLabel('Committed since').fill('2020-01-01T12:00:00');
    const sinceSent = async (button: string): Promise<unknown> => {
      const asked = page.waitForRequest(/\/replays$/);
      await page.getByRole('button', { name: button, exact: true }).click();
      return (await asked).postDataJSON().since;
    };
    const counted = await sinceSent('Count them');
    await page.getByTitle('Times in UTC').click();
    await page.getByRole('button', { name: /^Replay .* entr/ }).click();
    expect(await sinceSent('Replay')).to.equal(counted);
    await page.getByRole('heading', { name: 'replay of some' }).waitFor();
  });

  it('says that messages on their way are not known any more, beside those that were', async () => {
    const { page } = seen;
    await page.goto('/sinks/some/trace');
    await page.getByText('No messages yet').waitFor();
    const body = { summary: 'the message database is full', code: 'full' };
    await page.route('**/api/**/preview*', (route) => route.fulfill({ status: 503, json: body }));
    await page.getByRole('alert').getByText('the message database is full').waitFor();
    await page.unroute('**/api/**/preview*');
    await page.getByText('the message database is full').waitFor({ state: 'detached' });
  });

  it('leaves out no exception of a sink, and writes a key as SQL reads it under every setting', async () => {
    const { page } = seen;
    await page.goto('/sinks/others');
    await page.getByText('all published tables, except schema audit, public.paths').waitFor();
    await page.goto('/sinks/some');
    await page.getByText(`where "path" = e'C:\\\\it''s'`).waitFor();
  });

  it('says why there is nothing for as long as nobody answers, also while it is asked again', async () => {
    const { page } = seen;
    await page.route('**/api/**/preview*', (route) =>
      route.fulfill({ status: 503, json: { summary: 'it is full', code: 'full' } }),
    );
    const asked = Promise.withResolvers<void>();
    await page.goto('/sinks/some/trace');
    const why = page.getByRole('alert').getByText('it is full');
    await why.waitFor();
    // All else of the page has come.
    await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'detached' });
    // The next try is under way, and nobody knows better yet.
    await page.route('**/api/**/preview*', () => asked.resolve());
    await asked.promise;
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect([await why.count(), await page.getByRole('status', { name: 'Loading' }).count()]).to.deep.equal([1, 0]);
  });

  it('takes an answer that does not come for none', async () => {
    const { page } = seen;
    // Its patience is the only thing here that is 15 s long.
    await page.addInitScript(`{
      const timeout = AbortSignal.timeout;
      AbortSignal.timeout = (ms) => timeout.call(AbortSignal, ms === 15_000 && globalThis.isImpatient ? 1 : ms);
    }`);
    await page.goto('/sinks/some');
    await page.getByRole('note', { name: 'Pace' }).or(page.getByText('Nobody has received')).first().waitFor();
    await page.route('**/api/overview', () => undefined);
    await page.evaluate('globalThis.isImpatient = true');
    await page.getByText('No answer since').waitFor();
  });

  it('finds a message that one of those asked has, and says so when others, or all, cannot say', async () => {
    const { page } = seen;
    const id = '1700000000000000';
    await page.route('**/api/overview*', async (route) => {
      const overview = await (await route.fetch()).json();
      for (const sink of overview.sinks) sink.pending = 1;
      await route.fulfill({ json: overview });
    });
    await page.route(`**/messages/${id}*`, (route) =>
      route.request().url().includes('/sinks/others/')
        ? route.fulfill({ status: 503, json: { summary: 'it is full', code: 'full' } })
        : route.fulfill({ json: { id } }),
    );
    await page.goto('/');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('combobox').fill(id);
    await page.getByRole('option', { name: 'message of some' }).waitFor();
    await page.getByText('Could not check for another one. It is full.').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await page.route('**/api/overview*', (route) => route.abort());
    await page.reload();
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByRole('combobox').fill(id);
    await page.getByText('Could not check for a message with this id. Millrace does not answer.').waitFor();
  });
});
