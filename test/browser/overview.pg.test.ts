/** The first page: what to do first, what needs attention and what does something about it, and the playground's cards. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { VERSION } from '../../src/runtime/version.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible, screenshot } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { addShop, appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';
import type { MessageDatabase } from '../support/postgres/message-database.ts';

const SINKS = `
sinks:
  - { name: orders-worker, database: shop, destination: { type: pull } }
  - { name: audit-worker, database: shop, status: paused, destination: { type: pull } }
  - name: products-index
    database: shop
    destination: { type: elasticsearch, endpoint_url: 'http://localhost:9200', index_name: products, auth_type: none }
`;
const declared = (slot: string): string =>
  `databases: [{ name: shop, url: 'postgres://u:p@h/d', slot: { name: ${slot} }, publication: { name: p } }]\n${SINKS}`;

/** Where something fails, something is parked, something is paused, and a verification is under way. */
async function bringTrouble({ db }: MessageDatabase): Promise<void> {
  await addShop(db);
  await db.query(
    `insert into millrace_private.processes (id, role, host, pid, version, key_id, seen_at)
     select gen_random_uuid(), role, 'shop-1', 70, $1, 'k', clock_timestamp() + interval '10 min' from unnest(array['capture', 'worker', 'web']) role`,
    [VERSION],
  );
  await db.query(
    `insert into millrace_private.sink_counters (sink_no, step, at, persisted, delivered, latency)
     select s.no, 'minute', date_trunc('minute', clock_timestamp()) - n * interval '1 min', c, c, array[c]
       from millrace_private.sinks s, generate_series(1, 59) n,
            lateral (select round(900 + 700 * sin(n / 7.0) + s.no * 20)::bigint as c) x
      where s.name <> 'audit-worker' and (s.name <> 'products-index' or n > 12)`,
  );
  await db.query(
    `insert into millrace_private.database_counters (database_no, step, at, lag_bytes, kept_bytes, limit_bytes)
     select no, 'minute', date_trunc('minute', clock_timestamp()), 8192, 301000, 68719476736 from millrace_private.databases`,
  );
  await db.query(
    `insert into millrace_private.circuits (sink_no, reason, error, probe_at)
     select no, 'index_missing', 'no such index [products]', clock_timestamp() + interval '1 h'
       from millrace_private.sinks where name = 'products-index'`,
  );
  await db.query(
    `insert into millrace_private.operations (kind, database_no, sink_no, request, requested_by, state, phase, started_at, progress)
     select 'verify', d.no, s.no, '{}', 'user ann', 'running', 'comparing', clock_timestamp(),
            '{"table": "public.products", "done": 122000, "total": 200000, "percent": 61, "per_second": 6700, "seconds_left": 12}'
       from millrace_private.sinks s, millrace_private.databases d where s.name = 'products-index'`,
  );
}

describe('browser: the overview', () => {
  let on: TestConsole;
  before(async function () {
    on = await openConsole(this);
  });
  after(async () => await on?.close());
  const apply = (slot: string) => applyConfig({ db: on.m.db, keys: KEYS }, parse(declared(slot)).config);
  const noOf = async (sink: string): Promise<number> =>
    (await on.m.db.query<{ no: number }>('select no from millrace_private.sinks where name = $1', [sink])).rows[0]!.no;

  it('says what to do first, then what is wrong, and does something about it', async () => {
    const { m } = on;
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/');
    await page.getByText('Connect your first database').waitFor();
    await expectAccessible(page, 'overview, first run');
    await screenshot(page, 'overview-first-1280');
    await apply('s');
    await bringTrouble(m);
    await parkOnArrival(m.db, await noOf('orders-worker'), [
      (await appendMessages(m.db, await noOf('orders-worker'), [{}]))[0]!,
    ]);
    await appendMessages(m.db, await noOf('products-index'), [{}, {}]);
    await page.getByRole('button', { name: 'Probe now products-index' }).waitFor();
    await page.getByRole('link', { name: 'verification of products-index' }).waitFor();
    await page.getByText('12 s left').waitFor();
    await expectAccessible(page, 'overview, trouble');
    await screenshot(page, 'overview-trouble-1280');
    // Figures that no JavaScript number holds are drawn and written like any other.
    await m.db.query(
      `with sinks as (update millrace_private.sink_counters set persisted = 9007199254740993, delivered = 9007199254740993)
       update millrace_private.database_counters set kept_bytes = 9007199254740993, limit_bytes = 9223372036854775807`,
    );
    await page.getByText('8.0 PB of 8.0 EB').waitFor();
    expect(await page.locator('main').textContent()).to.not.contain('NaN');
    await page.getByRole('button', { name: 'Probe now products-index' }).click();
    await page.getByText('Probing products-index now').waitFor();
    await page.getByRole('button', { name: 'Retry 1 orders-worker' }).click();
    await page.getByRole('button', { name: 'Retry 1 orders-worker' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Resume audit-worker' }).click();
    await page.getByText('Resumed audit-worker').waitFor();
    await page.getByRole('button', { name: 'Pause verification of products-index' }).click();
    await page.getByRole('button', { name: 'Resume verification of products-index' }).waitFor();
    await page.getByRole('link', { name: 'Open products-index' }).first().click();
    await page.getByRole('heading', { name: 'products-index', exact: true }).waitFor();
    await seen.close();
  });

  it('in the playground says what to try, with a token that works, until it is dismissed', async () => {
    const { m, web } = on;
    await apply('millrace_playground');
    const reader = await on.see({ scopes: ['read'], width: 390, dark: true });
    await reader.page.goto('/');
    const refused = reader.page.getByRole('button', { name: 'Create a token and a command' });
    expect(await refused.getAttribute('aria-disabled')).to.equal('true');
    await expectAccessible(reader.page, 'overview, playground 390');
    await screenshot(reader.page, 'overview-playground-390');
    await reader.close();
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/');
    await page.getByRole('button', { name: 'Create a token and a command' }).click();
    await page.getByRole('button', { name: 'Create the token' }).click();
    const curl = (await page.getByRole('figure', { name: 'curl' }).locator('pre').textContent()) ?? '';
    expect(curl).to.contain(`${web.url}/api/http_pull_consumers/orders-worker/receive?batch_size=5`);
    await expectAccessible(page, 'a token for the playground');
    const { rows } = await m.db.query(
      "select scopes from millrace_private.api_tokens where name like 'orders-worker-%'",
    );
    expect(rows).to.deep.equal([{ scopes: ['consume:orders-worker'] }]);
    await page.getByRole('button', { name: 'Close' }).click();
    await screenshot(page, 'overview-playground-1280');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Sinks' }).waitFor();
    expect(await page.getByText('This playground is a small shop').count()).to.equal(0);
    await seen.close();
  });
});
