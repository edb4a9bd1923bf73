/** What waits for a sink, and what failed: a list without end, groups of equal errors, one message in full, and a way out. */
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { expectAccessible, LOOKS, screenshot } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { searchDestination } from '../support/engines/search-sink.ts';
import { sinkSettings } from '../support/fixtures/captured.ts';
import { addShop } from '../support/fixtures/fixtures.ts';
import { insertSink } from '../support/fixtures/sinks.ts';
import type { MessageDatabase } from '../support/postgres/message-database.ts';

const FIRST_ID = 1_795_250_360_000_000;
const WAITING = 100_000;
const PARKED = 20_000;
const BIGINT = '9223372036854775807';
const NUMERIC = '12345678901234567890.1200';

describe('browser: messages', () => {
  let on: TestConsole;
  before(async function () {
    on = await openConsole(this);
    await fill(on.m);
  });
  after(async () => await on?.close());

  it('lists what waits and what is parked, in groups of equal errors, with filters in the address', async () => {
    for (const look of LOOKS) {
      const seen = await on.see(look);
      const { page } = seen;
      await page.goto('/sinks/products-index/messages?state=parked');
      await page.getByText('mapper_parsing_exception').first().waitFor();
      await page.getByRole('link', { name: 'k-0', exact: true }).waitFor();
      await expectAccessible(page, `messages ${look.width}`);
      await screenshot(page, `messages-list-${look.width}`);
      await page.getByRole('link', { name: 'k-0', exact: true }).click();
      await page.getByText(BIGINT).waitFor();
      await screenshot(page, `messages-drawer-${look.width}`);
      // Nothing under the header that stays.
      await page.evaluate('scrollTo(0, 0)');
      await expectAccessible(page, `a message ${look.width}`);
      await seen.close();
    }
  });

  it('finds, copies and saves with every digit, tries one again and gives a cause up, with its number typed', async () => {
    const { m } = on;
    const seen = await on.see();
    const { page, context } = seen;
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.goto('/sinks/products-index/messages');
    await page.getByRole('button', { name: 'Key', exact: true }).click();
    await page.getByRole('textbox', { name: 'Key' }).fill('k-5');
    await page.keyboard.press('Enter');
    await page.getByText('1 message in total').waitFor();
    expect(new URL(page.url()).searchParams.get('key')).to.equal('k-5');
    await append(m, { first: WAITING + 5, count: 1 });
    await page.getByText('1 newer').waitFor();
    await page.keyboard.press('r');
    await page.getByText('2 messages in total').waitFor();
    await page.getByRole('link', { name: 'k-5', exact: true }).first().click();
    await page.getByText(NUMERIC).waitFor();
    // It says so for two seconds alone: somebody looks before it is pressed.
    await Promise.all([
      page.getByText('Copied', { exact: true }).waitFor(),
      page.getByRole('button', { name: 'Copy', exact: true }).click(),
    ]);
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByLabel('Message', { exact: true }).getByRole('button', { name: 'Download' }).click(),
    ]);
    for (const text of [copied, await readFile(await saved.path(), 'utf8')]) {
      expect(text).to.contain(`"id":${BIGINT}`).and.contain(`"price":${NUMERIC}`);
    }
    const [all] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).first().click(),
    ]);
    const lines = (await readFile(await all.path(), 'utf8')).trim().split('\n');
    expect(lines).to.have.length(2);
    expect(lines[0]).to.contain(BIGINT).and.contain(NUMERIC);
    await page.getByRole('tab', { name: 'Same row' }).click();
    await page.getByRole('tabpanel').getByText('behind it, in order').waitFor();
    const parked = page.locator('[aria-labelledby=drawer-title]').getByText('Parked', { exact: true }).first();
    await parked.waitFor();
    await page.locator('#drawer-title').locator('..').getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('button', { name: 'Retry 1' }).click();
    await page.getByText('Retrying 1 message').waitFor();
    await parked.waitFor({ state: 'detached' });
    await page.getByText('Waiting', { exact: true }).first().waitFor();
    await page.keyboard.press('Escape');

    await page.goto('/sinks/products-index/messages?state=parked');
    const line = page.getByRole('listitem').filter({ hasText: 'TypeError' }).first();
    await line.getByRole('button', { name: 'View' }).click();
    await page
      .getByText(/^Searched/)
      .or(page.getByText('in total'))
      .first()
      .waitFor();
    await line.getByRole('button', { name: 'Discard' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('textbox').fill('400');
    await expectAccessible(page, 'discard');
    await screenshot(page, 'messages-discard-1280');
    await dialog.getByRole('button', { name: 'Discard 400' }).click();
    await page.getByText('Discarded 400 messages').waitFor();
    await page.getByText('No matching messages').waitFor();
    const { rows } = await m.db.query<{ parked: number }>(
      "select count(*)::integer as parked from millrace_private.delivery_states where state = 'parked'",
    );
    expect(rows[0]!.parked).to.equal(PARKED - 1 - 400);
    await seen.close();
  });

  it('shows the newest first where somebody wants that, in the address, and says what has come since', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/sinks/products-index/messages');
    await page.getByText('First 200 of').waitFor();
    await page.getByRole('button', { name: 'Newest first', pressed: false }).click();
    await page.getByText('Newest 200 of').waitFor();
    expect(new URL(page.url()).searchParams.get('order')).to.equal('newest');
    const first = page.getByRole('row').nth(1).getByRole('link');
    const before = await first.textContent();
    await append(on.m, { first: WAITING + 100, count: 1 });
    await page.getByText('1 newer').waitFor();
    expect(await first.textContent()).to.equal(before);
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await page.getByText('1 newer').waitFor({ state: 'detached' });
    await page.evaluate('scrollTo(0, 0)');
    await page.getByRole('link', { name: 'k-100', exact: true }).waitFor();
    await page.goto('/sinks/products-index/messages?state=parked&order=newest');
    await page.getByRole('button', { name: 'Newest first', pressed: true }).click();
    await page.getByRole('link', { name: 'k-0', exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('order')).to.equal(null);
    // Back over what was chosen, one after the other, and forward again.
    await page.getByRole('link', { name: 'k-0', exact: true }).click();
    await page.locator('#drawer-title').waitFor();
    const open = page.url();
    await page.getByRole('tab', { name: 'Same row' }).click();
    await page.getByRole('tab', { name: 'Same row', selected: true }).waitFor();
    await page.goBack();
    await page.getByRole('tab', { name: 'Same row', selected: false }).waitFor();
    expect(page.url()).to.equal(open);
    await page.goBack();
    await page.locator('#drawer-title').waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByRole('button', { name: 'Newest first', pressed: true }).waitFor();
    await page.goForward();
    await page.getByRole('button', { name: 'Newest first', pressed: false }).waitFor();
    await page.goForward();
    await page.locator('#drawer-title').waitFor();
    expect(page.url()).to.equal(open);
    await seen.close();
  });

  it('says of none that it has come since, before the newest that matches is found', async () => {
    const seen = await on.see();
    const { page } = seen;
    // The oldest but three: pages in which nothing matches come first.
    const asked = page.waitForRequest(/[?&]after=/);
    await page.goto('/sinks/products-index/messages?key=k-3&order=newest');
    expect(new URL((await asked).url()).searchParams.get('after')).to.equal(String(FIRST_ID + 3));
    await page.getByText('1 message in total').waitFor();
    await seen.close();
  });

  it('finds a message by its id from anywhere, and says when there is none', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/databases');
    await page.getByRole('heading', { name: 'Databases' }).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox');
    await field.fill(String(FIRST_ID - 1));
    await page.getByText('No message with this id is waiting or has failed').waitFor();
    await field.fill(String(FIRST_ID + 4_711));
    await page.getByRole('option', { name: 'message of products-index' }).waitFor();
    await expectAccessible(page, 'a message that was found');
    await page.keyboard.press('Enter');
    await page.getByText('k-4711').first().waitFor();
    expect(new URL(page.url()).pathname).to.equal(`/sinks/products-index/messages/${FIRST_ID + 4_711}`);
    await seen.close();
  });

  it('draws only what is in sight of very many, and shows no row to whoever may not read rows', async () => {
    const seen = await on.see({ scopes: ['read'] });
    const { page } = seen;
    await page.goto('/sinks/products-index/messages');
    await page.getByText('First 200 of').waitFor();
    await page.evaluate('scrollTo(0, document.body.scrollHeight)');
    await page.getByText('First 400 of').waitFor();
    expect(await page.locator('tbody tr').count()).to.be.lessThan(80);
    await page.getByText('needs read:data').first().waitFor();
    expect(await page.content()).not.to.contain('mapper_parsing_exception');
    const retry = page.getByRole('button', { name: /^Retry/ }).first();
    expect(await retry.getAttribute('aria-disabled')).to.equal('true');
    expect(await page.getByRole('button', { name: /^Key/ }).getAttribute('aria-disabled')).to.equal('true');
    await expectAccessible(page, 'messages without read:data');
    await seen.close();
  });
});

/** A search index with 100,000 messages, the first 20,000 of them parked for three reasons. */
async function fill({ db }: MessageDatabase): Promise<void> {
  const { databaseId } = await addShop(db);
  const settings = sinkSettings({ name: 'products-index', destination: searchDestination('http://127.0.0.1:9') });
  const { no } = await insertSink(db, { name: settings.name, kind: 'search_index', databaseId, settings, lanes: 1 });
  await db.query('select millrace_private.add_sink_storage($1)', [no]);
  await db.query('select millrace_private.publish_catalog()');
  await append({ db }, { first: 0, count: WAITING });
  await db.query(
    `insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, stage, error, parked_at)
     select $1::integer, $2::bigint + g, 0, g, 'parked', 1, case when g % 50 = 7 then 'shape' else 'send' end,
            case when g % 50 = 7 then 'product-document: TypeError: cannot read properties of undefined (line 4, column 12)'
                 when g % 9 = 3 then 'version_conflict_engine_exception: [' || g || ']: version conflict'
                 else '{"type":"mapper_parsing_exception","reason":"failed to parse field [price] of type [double] in document with id ''k-' || g || '''"}' end,
            now() - interval '17 minutes' + g * interval '10 ms'
       from generate_series(0, $3::integer - 1) g`,
    [no, FIRST_ID, PARKED],
  );
}

/** Waiting ones; each of a row of its own, until the rows begin anew. */
async function append(
  { db }: Pick<MessageDatabase, 'db'>,
  { first, count }: { first: number; count: number },
): Promise<void> {
  await db.query(
    `insert into millrace_private.messages (sink_no, lane, id, group_key, source_table, action, record_pks, commit_lsn,
            commit_idx, committed_at, record)
     select (select k.no from millrace_private.sinks k), 0, $1::bigint + g, g % $4::integer,
            (select t.no from millrace_private.source_tables t), case when g % 3 = 0 then 'insert' else 'update' end, '["k-' || g % $4::integer || '"]', 1000 + g, 0, timestamptz '2026-11-22 02:41:07.123Z' + g * interval '20 ms',
            '{"id":${BIGINT},"name":"mill wheel","price":${NUMERIC},"html":"<img src=x onerror=alert(1)>","number":' || g || '}'
       from generate_series($2::integer, $2::integer + $3::integer - 1) g`,
    [FIRST_ID, first, count, WAITING],
  );
}
