/** What a browser sees at `/`, and what curl does. */
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { homePage } from '../../src/http/home-page.ts';
import { addPullSink } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('http: the page at /', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  let no: number;
  before(async () => {
    m = await messageDatabase();
    ({ no } = await addPullSink(m.db, { name: 'orders' }));
    web = await testWeb({ db: m.db }, { keepHealthMs: 0 });
  });
  after(async () => {
    await web.close();
    await m.drop();
  });

  const look = async (accept: string) => await web.call('GET', '/', { token: null, headers: { accept } });

  it('shows a browser what /healthz says, and nothing that could run', async () => {
    const page = await look(BROWSER);
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([200, 'text/html; charset=utf-8']);
    expect(page.text)
      .to.contain('All is well: 1 database, 1 sink.')
      .and.to.contain('>orders<')
      .and.to.contain('>shop<');
    expect(page.text).to.not.match(/<script|<img|style=| on\w+=|https?:/i);
    const policy = page.headers.get('content-security-policy');
    const style = /<style>(.*?)<\/style>/s.exec(page.text)![1]!;
    expect(policy).to.contain("default-src 'none'").and.to.contain("frame-ancestors 'none'");
    expect(policy).to.contain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(page.headers.get('x-content-type-options')).to.equal('nosniff');
    expect(page.headers.get('cache-control')).to.equal('no-store');
  });

  it('shows what needs somebody, and not what a destination or a row said', async () => {
    await m.db.query(
      `insert into millrace_private.circuits (sink_no, reason, error, probe_at)
       values ($1, 'index_missing', 'a value of a row', now())`,
      [no],
    );
    const { text } = await look(BROWSER);
    expect(text).to.contain('1 of 2 databases and sinks needs attention.').and.to.contain('index missing since 20');
    expect(text).to.contain('class="state bad"').and.not.to.contain('a value of a row');
    await m.db.query(`select millrace.pause('orders')`);
    expect((await look(BROWSER)).text)
      .to.contain('All is well')
      .and.to.contain('class="state rest"');
    await m.db.query(`select millrace.resume('orders')`);
    await m.db.query('delete from millrace_private.circuits');
  });

  it('answers curl with a line, and whoever wants neither with the same', async () => {
    for (const accept of ['*/*', 'text/plain', 'application/json', 'text/html;q=0, */*']) {
      const reply = await look(accept);
      expect([reply.status, reply.headers.get('content-type')], accept).to.deep.equal([
        200,
        'text/plain; charset=utf-8',
      ]);
      expect(reply.text).to.equal('Millrace. All is well: 1 database, 1 sink. See /healthz\n');
    }
    expect((await web.call('POST', '/', { token: null })).status).to.equal(405);
    const head = await web.call('HEAD', '/', { token: null, headers: { accept: BROWSER } });
    expect([head.status, head.text]).to.deep.equal([200, '']);
  });

  it('works while the database is down', async () => {
    const gone = await testWeb({
      db: m.db,
      health: { query: async () => await Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1')) },
    });
    const page = await gone.call('GET', '/', { token: null, headers: { accept: BROWSER } });
    expect([page.status, page.text.includes('The message database cannot be reached')]).to.deep.equal([200, true]);
    expect(page.text).to.not.contain('10.0.0.1');
    await gone.close();
  });

  it('escapes every name', () => {
    const name = `<script>alert(1)</script>"'&`;
    const text = homePage({
      health: {
        databases: [{ name, state: name, state_since: null, level: 'failing', reasons: [] }],
        sinks: [
          {
            name,
            kind: name,
            database: name,
            status: 'active',
            health: name,
            failing_since: new Date(0),
            level: 'failing',
            reasons: [name, 'other'],
          },
        ],
      },
      at: new Date(0),
    });
    expect(text).to.not.contain('<script');
    expect(text.match(/&lt;script&gt;alert\(1\)&lt;\/script&gt;&quot;&#39;&amp;/g)).to.have.length(6);
  });
});
