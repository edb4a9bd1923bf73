/** What waits for a sink, and what failed: a list without end, groups of equal errors, one message in full, and a way out. */
import type { Browser } from 'playwright-core';
import { builtConsole, expectAccessible, openBrowser, screenshot, see } from '../support/browser/browser.ts';
import { searchDestination } from '../support/engines/search-sink.ts';
import { sinkSettings } from '../support/fixtures/captured.ts';
import { addShop } from '../support/fixtures/fixtures.ts';
import { insertSink } from '../support/fixtures/sinks.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';

const FIRST_ID = 1_795_250_360_000_000;
const WAITING = 100_000;
const PARKED = 20_000;
const BIGINT = '9223372036854775807';
const NUMERIC = '12345678901234567890.1200';

describe('browser: messages', () => {
  let browser: Browser;
  let m: MessageDatabase;
  let web: TestWeb;
  before(async function () {
    browser = await openBrowser(this);
    m = await messageDatabase();
    await fill(m);
    web = await testWeb({ db: m.db, console: await builtConsole() }, { keepHealthMs: 0 });
  });
  after(async () => {
    await browser?.close();
    await web?.close();
    await m?.drop();
  });

  it('lists what waits and what is parked, in groups of equal errors, with filters in the address', async () => {
    for (const look of [
      { dark: false, width: 1280 },
      { dark: true, width: 390 },
    ] as const) {
      const seen = await see(browser, { db: m.db, url: web.url }, look);
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
});

/** A search index with 100,000 messages, the first 20,000 of them parked for three reasons. */
async function fill({ db }: MessageDatabase): Promise<void> {
  const { databaseId, tableNo } = await addShop(db);
  const settings = sinkSettings({ name: 'products-index', destination: searchDestination('http://127.0.0.1:9') });
  const { no } = await insertSink(db, { name: settings.name, kind: 'search_index', databaseId, settings, lanes: 1 });
  await db.query('select millrace_private.add_sink_storage($1)', [no]);
  await db.query('select millrace_private.publish_catalog()');
  await db.query(
    `insert into millrace_private.messages (sink_no, lane, id, group_key, source_table, action, record_pks, commit_lsn,
            commit_idx, committed_at, record)
     select $1::integer, 0, $2::bigint + g, g % 90000, $3::integer, case when g % 3 = 0 then 'insert' else 'update' end,
            '["k-' || g % 90000 || '"]', 1000 + g, 0, timestamptz '2026-11-22 02:41:07.123Z' + g * interval '20 ms',
            '{"id":${BIGINT},"name":"mill wheel","price":${NUMERIC},"html":"<img src=x onerror=alert(1)>","number":' || g || '}'
       from generate_series(0, $4::integer - 1) g`,
    [no, FIRST_ID, tableNo, WAITING],
  );
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
