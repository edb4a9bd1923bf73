/** Every page, while names, rows, errors and answers hold what a careless page would run, or show as something else. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { quoteIdentifier, quoteLiteral } from '../../src/model/quote.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { addresses, addressOf } from '../support/browser/addresses.ts';
import { PASSWORD } from '../support/browser/browser.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { appendMessages } from '../support/fixtures/fixtures.ts';
import { execute, sharedSource } from '../support/postgres/postgres.ts';

const HOSTILE = `<img src=x onerror="alert(1)"></script><script>alert(2)</script> javascript:alert(3) \u202egnp.exe \u001b[31mred {{7*7}} \${8*8} '"\`&amp;`;

const COLUMN = '</script><b>"x"';

describe('browser: what others wrote', () => {
  let on: TestConsole;
  const places: Record<string, string> = {};
  before(async function () {
    const answer = HOSTILE;
    const check = {
      id: 'index_missing',
      key: 'k',
      link: null,
      item: HOSTILE,
      status: 'error' as const,
      summary: HOSTILE,
    };
    const rest = {
      remedy: HOSTILE,
      sql: HOSTILE,
      run_on: HOSTILE,
      command: HOSTILE,
      answer,
      docs: 'docs/search-index.md',
    };
    const checks = [{ ...check, ...rest, subject: { kind: 'sink' as const, name: HOSTILE } }];
    on = await openConsole(this, { examine: async () => ({ ok: false, checks }), privateAllowed: true });
    await applyConfig({ db: on.m.db, keys: KEYS }, parse(FILE).config);
    Object.assign(places, await fill());
  });
  after(async () => await on?.close());

  /** What the parameters of addresses name. */
  async function fill(): Promise<Record<string, string>> {
    const { m, web } = on;
    await web.call('POST', '/api/functions/document/release');
    await web.call('PATCH', '/api/functions/document', {
      body: { description: HOSTILE, code: `(action, record) => ({ ...record, a: ${JSON.stringify(HOSTILE)} })` },
    });
    await web.call('POST', '/api/sinks/products/release');
    await web.call('PATCH', '/api/sinks/products', { body: { annotations: { team: HOSTILE } } });
    await web.call('POST', '/api/users', {
      body: { email: 'eve@example.org', name: HOSTILE.slice(0, 150), password: 'correct horse' },
    });
    const { rows } = await m.db.query<{ no: number }>(`select no from millrace_private.sinks where name = 'products'`);
    const { no } = rows[0]!;
    const text = JSON.stringify(HOSTILE);
    const [id] = await appendMessages(m.db, no, [
      { record: `{"id":1,${text}:${text}}`, changes: `{${text}:${text}}`, recordPks: [HOSTILE] },
    ]);
    await m.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, stage, error, parked_at)
       values ($1, $2, 0, $2, 'parked', 1, 'send', $3, now())`,
      [no, id, HOSTILE],
    );
    await m.db.query(
      `insert into millrace_private.circuits (sink_no, reason, error, probe_at) values ($1, 'index_missing', $2, now())`,
      [no, HOSTILE],
    );
    await m.db.query(`update millrace_private.source_tables set table_name = $1`, [HOSTILE.slice(0, 60)]);
    const begun = await web.call('POST', '/api/sinks/products/verifications');
    await m.db.query(
      `update millrace_private.operations set state = 'failed', reason = $1, remedy = $1, lines = array[$1], ended_at = now(), attempt = 1`,
      [HOSTILE],
    );
    return {
      sink: 'products',
      fn: 'document',
      database: 'shop',
      retention: 'history',
      message: String(id),
      operation: begun.json.id,
    };
  }

  it('is text on every page, and nothing else', async () => {
    const { web } = on;
    const seen = await on.see({ expected: /Failed to load resource/ });
    const { page, context } = seen;
    const foreign: string[] = [];
    context.on('dialog', (dialog) => {
      foreign.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    context.on('request', (request) => {
      if (!request.url().startsWith(web.url) && !request.url().startsWith('data:')) foreign.push(request.url());
    });
    await logInAs(web.url, page);
    let shown = 0;
    for (const address of addresses()) {
      await page.goto(addressOf(address, places));
      await page.locator('h1').waitFor();
      await page.locator('[aria-label=Loading]').first().waitFor({ state: 'detached' });
      expect(
        await page.evaluate<number>(
          `document.querySelectorAll('img, main script, iframe, [href^="javascript:"]').length`,
        ),
        address,
      ).to.equal(0);
      if ((await page.locator('body').textContent())?.includes('<img src=x')) shown += 1;
    }
    expect(shown, 'pages that show it').to.be.greaterThan(4);
    expect(foreign).to.deep.equal([]);
    await seen.close();
  });

  it('are names of tables and columns of a real source: text where they are chosen and tried', async () => {
    const source = await (await sharedSource()).createDatabase();
    const table = '<img src=x onerror=alert(4)>';
    const name = quoteIdentifier(table);
    await execute(
      source.url,
      `create table ${name} (${quoteIdentifier(COLUMN)} int primary key, "\u202etxt" text);
       insert into ${name} values (1, ${quoteLiteral(HOSTILE)}); create publication p for table ${name}`,
    );
    const body = { name: 'hostile', url: source.url, slot: { name: 's' }, publication: { name: 'p' } };
    const seen = await on.see();
    const { page, context } = seen;
    const dialogs: string[] = [];
    context.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    try {
      expect((await on.web.call('POST', '/api/postgres_databases?test=false', { body })).status).to.equal(201);
      await page.goto('/databases/hostile/tables');
      await page.getByRole('cell', { name: `public.${table}` }).waitFor();
      await page.goto('/sinks/new?database=hostile');
      await page.getByRole('checkbox', { name: table }).check();
      await page.getByText('Send the row as it is').waitFor();
      await page.getByText(`1 table selected`).waitFor();
      await page.goto('/functions/new');
      await page.getByLabel('Database').selectOption('hostile');
      await page.getByLabel('Samples').selectOption(`Rows of public.${table}`);
      const sample = page.getByText(/^read \{/);
      await sample.waitFor();
      expect(await sample.textContent()).to.contain('<script>alert(2)</script>');
      const bidi = await sample.evaluate(
        (one) =>
          (globalThis as unknown as { getComputedStyle(of: unknown): { unicodeBidi: string } }).getComputedStyle(one)
            .unicodeBidi,
      );
      expect(bidi).to.equal('isolate');
      expect(await page.evaluate<number>('document.querySelectorAll("img, main script").length')).to.equal(0);
      expect(dialogs).to.deep.equal([]);
    } finally {
      await seen.close();
      await on.web.call('DELETE', '/api/postgres_databases/hostile?force=true');
      await source.drop();
    }
  });
});

/** Of a browser, in the list of sessions. */
async function logInAs(url: string, page: Page): Promise<void> {
  const who = (await (await page.request.get('/api/whoami')).json()) as { user: { email: string } };
  const answer = await fetch(`${url}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': HOSTILE.replace(/[^ -~]/g, '') },
    body: JSON.stringify({ email: who.user.email, password: PASSWORD }),
  });
  expect(answer.ok).to.equal(true);
}
