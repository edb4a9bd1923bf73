/** Every page, while names, rows, errors and answers hold what a careless page would run, or show as something else. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { FILE } from '../api/support.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { addresses, addressOf } from '../support/browser/addresses.ts';
import { openConsole, type TestConsole } from '../support/browser/console.ts';
import { appendMessages } from '../support/fixtures/fixtures.ts';

const HOSTILE = `<img src=x onerror="alert(1)"></script><script>alert(2)</script> javascript:alert(3) \u202egnp.exe \u001b[31mred {{7*7}} \${8*8} '"\`&amp;`;

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
    on = await openConsole(this, { examine: async () => ({ ok: false, checks }) });
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
});
