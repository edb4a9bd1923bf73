/** How the web role serves the console: what a browser gets at any address, what it is told not to do, and what curl sees. */
import { expect } from 'chai';
import type { ConsoleFiles } from '../../src/http/console-files.ts';
import { addPullSink } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

const FILES: ConsoleFiles = {
  build: 'b1',
  page: '<meta property="csp-nonce" nonce="__NONCE__"><p>console</p>',
  assets: new Map([
    [
      'main-abc.js',
      { type: 'text/javascript; charset=utf-8', body: Buffer.from('plain'), packed: { br: Buffer.from('packed') } },
    ],
  ]),
};

describe('http: the console', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  before(async () => {
    m = await messageDatabase();
    await addPullSink(m.db, { name: 'orders' });
    web = await testWeb({ db: m.db, console: FILES }, { keepHealthMs: 0 });
  });
  after(async () => {
    await web.close();
    await m.drop();
  });

  const get = async (path: string, headers: Record<string, string>, method = 'GET') =>
    await web.call(method, path, { token: null, headers });

  it('gives a browser the page at any address but those of the API, each with a nonce of its own', async () => {
    const nonces = new Set<string>();
    for (const path of ['/', '/sinks/orders/messages?state=parked', '/setup', '/no/such/page']) {
      const { status, headers, text } = await get(path, { accept: BROWSER });
      expect([status, headers.get('content-type')], path).to.deep.equal([200, 'text/html; charset=utf-8']);
      const nonce = /nonce="([^"]+)"/.exec(text)![1]!;
      nonces.add(nonce);
      expect(headers.get('content-security-policy'))
        .to.contain("default-src 'none'")
        .and.to.contain("script-src 'self';")
        .and.to.contain(`style-src 'self' 'nonce-${nonce}'`)
        .and.to.contain("frame-ancestors 'none'")
        .and.to.contain("require-trusted-types-for 'script'");
      expect(headers.get('cache-control')).to.equal('no-store');
      expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).to.deep.equal([
        'nosniff',
        'no-referrer',
      ]);
      expect(headers.get('cross-origin-opener-policy')).to.equal('same-origin');
      expect(headers.get('strict-transport-security')).to.equal(null);
    }
    expect(nonces.size).to.equal(4);
    const tls = await get('/', { accept: BROWSER, 'x-forwarded-proto': 'https' });
    expect(tls.headers.get('strict-transport-security')).to.match(/^max-age=\d+/);
    for (const path of ['/api/nothing', '/healthz', '/api', '/assets/none.js', '/API/nothing', '/Metrics']) {
      const reply = await get(path, { accept: BROWSER });
      expect(reply.headers.get('content-type'), path).to.not.contain('text/html');
      expect(reply.headers.get('x-millrace-build'), path).to.equal('b1');
    }
    const capitals = await get('/API/Sinks', { accept: BROWSER, authorization: 'Bearer read-token' });
    expect([capitals.status, capitals.json?.data.length]).to.deep.equal([200, 1]);
  });

  it('gives files packed to whoever can unpack them, for a year', async () => {
    const packed = await get('/assets/main-abc.js', { 'accept-encoding': 'gzip, br' });
    expect([packed.status, packed.headers.get('cache-control')]).to.deep.equal([
      200,
      'public, max-age=31536000, immutable',
    ]);
    expect([packed.headers.get('content-encoding'), packed.headers.get('vary')]).to.deep.equal([
      'br',
      'Accept-Encoding',
    ]);
    const plain = await get('/assets/main-abc.js', { 'accept-encoding': 'identity' });
    expect([plain.text, plain.headers.get('content-encoding')]).to.deep.equal(['plain', null]);
    expect((await get('/assets/..%2fpackage.json', {})).status).to.equal(404);
  });

  it('answers curl with a line, and whoever wants neither with the same', async () => {
    for (const accept of ['*/*', 'text/plain', 'application/json', 'text/html;q=0, */*']) {
      const reply = await get('/', { accept });
      expect([reply.status, reply.headers.get('content-type')], accept).to.deep.equal([
        200,
        'text/plain; charset=utf-8',
      ]);
      expect(reply.text).to.equal('Millrace. All is well: 1 database, 1 sink. See /healthz\n');
    }
    expect((await web.call('POST', '/', { token: null })).status).to.equal(405);
    const head = await get('/', { accept: BROWSER }, 'HEAD');
    expect([head.status, head.text]).to.deep.equal([200, '']);
  });

  it('says what to do where it is not built, or the database is down', async () => {
    const bare = await testWeb({
      db: m.db,
      health: { query: async () => await Promise.reject(new Error('connect ECONNREFUSED 10.0.0.1')) },
    });
    const page = await bare.call('GET', '/', { token: null, headers: { accept: BROWSER } });
    expect([page.status, page.text.includes('npm run build')]).to.deep.equal([503, true]);
    const line = await bare.call('GET', '/', { token: null });
    expect([line.status, line.text]).to.deep.equal([
      200,
      'Millrace. The message database cannot be reached, or has no schema yet. See /healthz\n',
    ]);
    await bare.close();
  });
});
