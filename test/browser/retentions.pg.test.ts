/** Change retentions in the browser, on a change table of a real database: how they are, what they keep, how it is replayed. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import { statement } from '../../src/db/statement.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible, screenshot } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { sharedSource } from '../support/postgres/postgres.ts';

const PARTITIONED = statement('sinks/change-table/create-partitioned-table').text.replace('<event_table>', 'public.b');

describe('browser: change retentions', () => {
  let on: TestConsole;
  let archive: Database;
  let drop: () => Promise<void>;
  before(async function () {
    on = await openConsole(this);
    const made = await (await sharedSource()).createDatabase();
    drop = () => made.drop();
    archive = openPool({ address: made.url, max: 2, applicationName: 'test', path: 'role' });
    const file = FILE.replace(
      'functions:',
      `  - { name: archive, url: '${made.url}', slot: { name: c }, publication: { name: c } }\nfunctions:`,
    ).replace('destination_database: shop', 'destination_database: archive');
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(file).config);
  });
  after(async () => {
    await on?.close();
    await archive?.close();
    await drop?.();
  });

  it('says how one is, pauses it, and finds the missing partition with the SQL that makes it', async () => {
    await archive.query(
      `${PARTITIONED}; create table b_old partition of b for values from ('2020-01-01') to ('2020-01-02')`,
    );
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/change-retentions');
    await page.getByText('public.a', { exact: true }).waitFor();
    await expectAccessible(page, 'change retentions');
    await screenshot(page, 'retentions-list-1280');
    await page.getByRole('link', { name: 'history' }).click();
    await page.getByText('A Millrace job').waitFor();
    await page.getByText('30 days', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('no partition takes an entry of now').waitFor();
    await expectAccessible(page, 'a change retention whose partition is missing');
    await screenshot(page, 'retentions-overview-1280');
    await archive.query((await page.locator('pre', { hasText: 'partition of' }).textContent()) ?? '');
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.getByText('no partition takes an entry of now').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Pause history' }).click();
    await page.getByRole('button', { name: 'Resume history' }).click();
    await page.getByRole('button', { name: 'Pause history' }).waitFor();
    await page.getByRole('link', { name: 'Messages', exact: true }).click();
    await page.getByText('Nothing is pending', { exact: true }).waitFor();
    await expectAccessible(page, 'messages of a change retention');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto('/change-retentions/history');
    await page.getByText('A Millrace job').waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectAccessible(page, 'a change retention at 390 px');
    await screenshot(page, 'retentions-overview-390');
    await page.goto('/change-retentions');
    await page.getByText('public.a', { exact: true }).waitFor();
    await expectAccessible(page, 'change retentions at 390 px');
    expect(await page.title()).to.contain('Change retentions');
    await seen.close();
  });

  it('shows entries as they come, with each digit, and replays what was counted first', async () => {
    const { m } = on;
    const { rows } = await m.db.query<{ id: string }>(`select id from millrace_private.databases where name = 'shop'`);
    const keep = async (from: number, to: number): Promise<void> => {
      await archive.query(
        `insert into b (seq, source_database_id, source_table_oid, source_table_schema, source_table_name, record_pk,
           record, changes, action, committed_at)
         select n, $1, 1, 'public', 'a', n, '{"big": 9223372036854775807, "price": 12345678901234567890.1200}',
           '{"price": 1}', 'update', now() from generate_series($2::int, $3::int) n`,
        [rows[0]!.id, from, to],
      );
    };
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/change-retentions/history/entries');
    await page.getByText('No entries yet').waitFor();
    await expectAccessible(page, 'no entries');
    await keep(1, 150);
    await page.getByRole('link', { name: '150', exact: true }).click();
    await page.getByText('12345678901234567890.1200').waitFor();
    expect(await page.getByLabel('Record, its text').textContent()).to.contain('9223372036854775807');
    await expectAccessible(page, 'an entry');
    await screenshot(page, 'retentions-entries-1280');
    await keep(151, 153);
    await page.getByText('3 newer entries').waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByRole('link', { name: '153', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await keep(154, 154);
    await page.getByRole('link', { name: '154', exact: true }).waitFor();
    for (const seq of [155, 156, 157]) {
      await keep(seq, seq);
      await page.getByRole('link', { name: String(seq), exact: true }).waitFor();
    }
    const asked = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.includes('limit=500'))
        .map(({ startTime }) => startTime),
    );
    expect(asked.length, 'looks for newer entries').to.be.above(4);
    // Also where entries come at each look, it does not look again at once.
    expect(Math.min(...asked.slice(1).map((at, place) => at - asked[place]!))).to.be.above(1_500);
    await page.getByRole('link', { name: 'Replay' }).click();
    await page.getByLabel('Sink').selectOption('orders');
    await page.getByLabel('From seq').fill('x');
    await page.getByRole('button', { name: 'Count them' }).click();
    await page.getByText('must be the seq of an entry').first().waitFor();
    await page.getByLabel('From seq').fill('101');
    await page.getByRole('button', { name: 'Count them' }).click();
    await page.getByRole('heading', { name: '57 entries' }).waitFor();
    await expectAccessible(page, 'a counted replay');
    await screenshot(page, 'retentions-replay-1280');
    await page.setViewportSize({ width: 390, height: 844 });
    await expectAccessible(page, 'a counted replay at 390 px');
    await page.getByRole('button', { name: 'Replay 57 entries' }).click();
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await page.getByRole('heading', { name: 'replay of orders' }).waitFor();
    await page.goto('/change-retentions/history/entries?record_pk=17');
    await page.getByRole('link', { name: '17', exact: true }).waitFor();
    await expectAccessible(page, 'entries of a row at 390 px');
    await screenshot(page, 'retentions-entries-390');
    await seen.close();
    const reader = await on.see({ scopes: ['read'] });
    await reader.page.goto('/change-retentions/history/entries');
    await reader.page.getByText('needs the scope read:data').waitFor();
    await reader.close();
  });
});
