/** How far capture and sinks are behind, in time, wherever the console shows it. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { type CaptureBeats, openCaptureBeats } from '../../src/messages/beat.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { expectAccessible, setClockWrong } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { addShop, appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';

const DECLARED = `databases: [{ name: shop, url: 'postgres://u:p@h/d', slot: { name: s }, publication: { name: p } }]
sinks:
  - { name: orders-worker, database: shop, destination: { type: pull } }
  - { name: parked-worker, database: shop, destination: { type: pull } }
`;

describe('browser: the pace', () => {
  let on: TestConsole;
  let beats: CaptureBeats;
  let orders: number;
  before(async function () {
    on = await openConsole(this);
    const { db } = on.m;
    await applyConfig({ db, keys: KEYS }, parse(DECLARED).config);
    const { databaseNo } = await addShop(db);
    await db.query(
      `insert into millrace_private.positions (database_no, state) values ($1, 'streaming')
       on conflict (database_no) do update set state = excluded.state`,
      [databaseNo],
    );
    await db.query(
      `insert into millrace_private.database_counters (database_no, step, at, lag_bytes)
       values ($1, 'minute', date_trunc('minute', clock_timestamp()) + interval '30 min', 8192)`,
      [databaseNo],
    );
    beats = openCaptureBeats(db, databaseNo);
    beats.go(7, () => 2_500);
    const { rows } = await db.query<{ no: number }>('select no from millrace_private.sinks order by name');
    const [first, parked] = rows.map(({ no }) => no) as [number, number];
    orders = first;
    await parkOnArrival(db, parked, await appendMessages(db, parked, [{}]));
    await appendMessages(db, orders, [{}, {}]);
    await db.query(`update millrace_private.messages set committed_at = now() - interval '3 h' where sink_no = $1`, [
      orders,
    ]);
    await db.query(
      `select millrace_private.add_counters(jsonb_build_array(jsonb_build_object(
         'sink_no', $1::integer, 'delivered', 5, 'first_ago_ms', 0, 'last_ago_ms', 0, 'last_ms', 3.2)))`,
      [orders],
    );
  });
  after(async () => {
    await beats?.end();
    await on?.close();
  });

  it('is how long the oldest message waits, parked ones left out, and how far capture is behind its source', async () => {
    const seen = await on.see();
    const { page } = seen;
    await page.goto('/');
    const cell = (name: string, text: string) =>
      page.getByRole('row').filter({ hasText: name }).getByRole('cell', { name: text, exact: true }).first();
    await cell('shop', '2.5 s, 8.0 kB').waitFor();
    await cell('orders-worker', '3 h').waitFor();
    const oldest = page.getByRole('row').filter({ hasText: 'parked-worker' }).getByRole('cell').nth(3);
    await oldest.filter({ hasText: /^Oldest\s*–$/ }).waitFor();
    await page.goto('/databases/shop');
    await page.getByText('2.5 s, 8.0 kB behind').waitFor();
    await seen.close();
  });

  it('of a sink is what it is behind, or that it is in step, with its first delivery and its last', async () => {
    const seen = await on.see();
    const { page } = seen;
    await setClockWrong(page, 0);
    await page.goto('/sinks/orders-worker');
    const pace = page.getByRole('note', { name: 'Pace' });
    await pace.getByText('3 h behind', { exact: true }).waitFor();
    await pace.getByText(/^First message delivered .+ after creation$/).waitFor();
    await pace.getByText('Last delivered').waitFor();
    await page.getByText('p95').first().waitFor();
    await on.m.db.query('delete from millrace_private.messages where sink_no = $1', [orders]);
    await pace.getByText('In step: 3 ms behind', { exact: true }).waitFor();
    await expectAccessible(page, 'a sink in step');
    const ok = page.getByText('OK', { exact: true });
    await ok.waitFor();
    // Time goes by, in which nobody answers: how it was is not how it is.
    await page.route('**/api/**', (route) => route.abort());
    await page.getByText('No answer since').waitFor();
    await page.evaluate('globalThis.isAheadMs = 20_000');
    await ok.waitFor({ state: 'detached' });
    await page.getByText('Unknown', { exact: true }).waitFor();
    await page.getByText(/The data below is \d+ s old/).waitFor();
    await expectAccessible(page, 'a sink of long ago');
    await page.unroute('**/api/**');
    await ok.waitFor();
    await page.goto('/sinks/orders-worker/messages');
    await page.getByText('Nothing is pending', { exact: true }).waitFor();
    await page.getByText('Last delivered').waitFor();
    await expectAccessible(page, 'messages of a sink in step');
    // By the clock of the service: that of this machine says what it likes.
    for (const hours of [-7, 5]) {
      const wrong = await on.see();
      await setClockWrong(wrong.page, hours * 3_600_000);
      await wrong.page.goto('/sinks/orders-worker');
      const note = wrong.page.getByRole('note', { name: 'Pace' });
      await note.getByText(/^First message delivered .+ after creation$/).waitFor();
      await note.getByText(/^Last delivered (now|[\d.]+ (s|min) ago)$/).waitFor();
      // That of what was noted here is told by the clock here.
      await wrong.page.getByRole('button', { name: /^(now|\d+ m?s ago)/ }).waitFor();
      await wrong.close();
    }
    await seen.close();
  });

  it('that changes is not read aloud with each figure, also when something works again', async () => {
    const seen = await on.see();
    const { page } = seen;
    const spoken = async (): Promise<string> =>
      (await page.locator('[role=status], [role=alert], [aria-live]').allTextContents()).join(' ');
    await on.m.db.query('delete from millrace_private.messages where sink_no = $1', [orders]);
    await appendMessages(on.m.db, orders, [{}, {}]);
    await on.m.db.query(
      `insert into millrace_private.circuits (sink_no, reason, error, probe_at)
       values ($1, 'index_missing', 'no such index', clock_timestamp() + interval '1 h')`,
      [orders],
    );
    await page.goto('/sinks/orders-worker');
    await page.getByText('index_missing').first().waitFor();
    await on.m.db.query('delete from millrace_private.circuits');
    await page.getByText('Working again since').waitFor();
    await page.getByRole('status').getByText('Working again.', { exact: true }).waitFor();
    await page.getByText('2 messages pending.', { exact: true }).waitFor();
    expect(await spoken()).to.not.match(/\d/);
    await on.m.db.query('delete from millrace_private.messages where sink_no = $1', [orders]);
    await page.getByRole('status').getByText('Working again. Everything has been delivered.').waitFor();
    expect(await spoken()).to.not.match(/\d/);
    await seen.close();
  });
});
