/** What a destination answers is shown unchanged, and messages on their way step by step: through a real lane and a scripted engine. */
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import type { LaneSink } from '../../src/deliver/target.ts';
import { createLog } from '../../src/runtime/log.ts';
import { openSandbox, type Sandbox } from '../../src/transform/sandbox.ts';
import { builtConsole, expectAccessible, openBrowser, screenshot, see } from '../support/browser/browser.ts';
import { NOBODY, openTestSearchSink, searchDestination } from '../support/engines/search-sink.ts';
import { type IndexLane, openIndexLane } from '../support/fixtures/index-lane.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';
import { until } from '../support/until.ts';

const SCHEMA =
  'create table products (id int primary key, name text, price numeric); alter table products replica identity full';
const MAPPING = {
  type: 'mapper_parsing_exception',
  reason: "failed to parse field [price] of type [long] in document with id '4'. Preview of field's value: '12,50'",
  caused_by: { type: 'illegal_argument_exception', reason: 'For input string: "12,50"' },
};
const MALFORMED =
  '{"error":{"root_cause":[{"type":"illegal_argument_exception","reason":"Malformed content, found extra data after parsing: START_OBJECT"}],"type":"illegal_argument_exception","reason":"Malformed content, found extra data after parsing: START_OBJECT"},"status":400}';

describe('browser: errors and trace', () => {
  let browser: Browser;
  let sandbox: Sandbox;
  let lane: IndexLane;
  let web: TestWeb;
  let rows = 0;
  before(async function () {
    browser = await openBrowser(this);
    sandbox = openSandbox({ log: createLog({ level: 'silent', role: 'test' }) });
    lane = await openIndexLane(SCHEMA, sandbox);
    web = await testWeb({ db: lane.on.messages.db, console: await builtConsole() }, { keepHealthMs: 0 });
  });
  after(async () => {
    await browser?.close();
    await web?.close();
    await lane?.close();
    await sandbox?.close();
  });

  /** Another row comes, and the lane runs until it has done what it can. */
  async function change(more: Partial<LaneSink> = {}): Promise<void> {
    const { db } = lane.on.messages;
    rows += 1;
    const before = await lane.pending();
    await lane.on.source.query('insert into products values ($1, $2, $3)', [rows, 'mill wheel', '12.50']);
    await until('the row is there', async () => (await lane.pending()) > before);
    await db.query('update millrace_private.circuits set probe_at = now()');
    await lane.run(more);
  }

  it('shows each of the five kinds of errors as the engine says it', async () => {
    const seen = await see(browser, { db: lane.on.messages.db, url: web.url });
    const { page } = seen;
    await page.goto('/sinks/index/messages');
    const shows = async (text: string): Promise<void> => {
      await page.locator('pre, p').filter({ hasText: text }).first().waitFor();
    };
    const failing = async (): Promise<string> => (await lane.status()).error!;

    const unreachable = openTestSearchSink(searchDestination(NOBODY));
    await change({ sink: unreachable });
    await unreachable.close();
    expect(await failing()).to.contain('127.0.0.1:9');
    await shows(await failing());

    lane.engine.engine.deleteIndex('products');
    await change();
    expect(await failing()).to.contain('index_not_found_exception');
    await shows(await failing());
    await expectAccessible(page, 'an index that is missing');
    await screenshot(page, 'messages-index-missing-1280');
    lane.engine.engine.createIndex('products');

    const denied = '{"error":{"type":"security_exception","reason":"missing authentication credentials"},"status":401}';
    lane.engine.fail({ kind: 'status', status: 401, text: denied }, { times: 10 });
    await change();
    expect(await failing()).to.contain('missing authentication credentials');
    await shows(await failing());
    lane.engine.fix();

    lane.engine.fail({ kind: 'items', decide: ({ id }) => (id === '4' ? { status: 400, error: MAPPING } : undefined) });
    await change();
    lane.engine.fail({ kind: 'status', status: 400, text: MALFORMED }, { times: 10 });
    await change();
    const parked = await lane.deliveryStates();
    expect(parked.map(({ state }) => state)).to.deep.equal(['parked', 'parked']);
    expect(parked[0]!.error).to.contain(MAPPING.reason);
    expect(parked[1]!.error).to.contain('Malformed content');
    lane.engine.fix();
    await page.goto('/sinks/index/messages?state=parked');
    for (const { error } of parked) await shows(error!);
    await page.getByRole('link', { name: '4', exact: true }).click();
    await page.getByLabel('Error', { exact: true }).getByText(MAPPING.reason).waitFor();
    await page.getByText('(the field with the error)').waitFor();
    await page.getByRole('tab', { name: 'Attempts 1' }).click();
    await page.getByText('Try 1', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Document' }).click();
    await page.getByLabel('Document', { exact: true }).getByText('12.50').waitFor();
    await seen.close();
  });

  it('shows messages on their way while one looks, and what failed when nobody did', async () => {
    const seen = await see(browser, { db: lane.on.messages.db, url: web.url });
    const { page } = seen;
    await page.goto('/sinks/index/trace');
    await page.getByRole('row').filter({ hasText: 'mapper_parsing_exception' }).waitFor();
    await page.getByText('No messages yet').waitFor();
    await change();
    const first = page.getByRole('button', { name: /public\.products.*delivered/ }).first();
    await first.waitFor();
    // Also where it was seen before it was settled.
    await first.getByText(/^settle \d/).waitFor();
    await first.click();
    await page.getByLabel('Message', { exact: true }).getByText('mill wheel').waitFor();
    await expectAccessible(page, 'trace');
    await screenshot(page, 'trace-1280');
    await page.getByLabel('Failures only').click();
    await page.getByText('None of them failed').waitFor();
    expect(new URL(page.url()).search).to.contain('failures');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByLabel('Failures only').click();
    await expectAccessible(page, 'trace 390');
    await screenshot(page, 'trace-390');
    await seen.close();
  });

  it('gives a function recent messages to be tried on, which stay as somebody wrote them', async () => {
    const made = await web.call('POST', '/api/functions', {
      body: { name: 'tried', type: 'transform', code: '(action, record) => ({ named: record.name })' },
    });
    expect(made.status, made.text).to.equal(201);
    const seen = await see(browser, { db: lane.on.messages.db, url: web.url });
    const { page } = seen;
    await page.goto('/functions/tried?sink=index');
    await page.getByLabel('Samples').selectOption('Recent messages of index');
    await change();
    await page.getByText('{"named":"mill wheel"}').first().waitFor();
    await expectAccessible(page, 'a function on recent messages');
    await page.getByRole('button', { name: 'Edit sample 1' }).click();
    await page.getByLabel('record', { exact: true }).fill('{"name":"sluice"}');
    await page.getByText('{"named":"sluice"}').waitFor();
    const others = page.getByText('{"named":"mill wheel"}');
    const before = await others.count();
    await change();
    await others.nth(before).waitFor();
    expect(await page.getByText('{"named":"sluice"}').count()).to.equal(1);
    await seen.close();
  });
});
