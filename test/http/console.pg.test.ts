/** How the web role serves the console: what a browser gets at any address, what it is told not to do, and what curl sees. */
import { connect } from 'node:net';
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
      expect(headers.get('content-security-policy')).to.equal(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
          "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'",
      );
      expect(headers.get('cache-control')).to.equal('no-store');
    }
    expect(nonces.size).to.equal(4);
    for (const path of ['/api/nothing', '/healthz', '/api', '/assets/none.js', '/API/nothing', '/Metrics']) {
      const reply = await get(path, { accept: BROWSER });
      expect(reply.headers.get('content-type'), path).to.not.contain('text/html');
      expect(reply.headers.get('x-millrace-build'), path).to.equal('b1');
    }
    const capitals = await get('/API/Sinks', { accept: BROWSER, authorization: 'Bearer read-token' });
    expect([capitals.status, capitals.json?.data.length]).to.deep.equal([200, 1]);
  });

  it('tells a browser with every answer, also an error, to make nothing else of it, and to come back over TLS', async () => {
    const api = { accept: 'application/json', authorization: 'Bearer admin-token' };
    const seen = new Set<number>();
    for (const [path, headers, method] of [
      ['/', { accept: BROWSER }],
      ['/assets/main-abc.js', {}],
      ['/assets/none.js', {}],
      ['/api/sinks', api],
      ['/api/sinks', {}],
      ['/api/sinks/none', api],
      ['/api/sinks', api, 'PUT'],
      ['/api/http_pull_consumers/orders/receive', api],
      ['/api/http_pull_consumers/none/receive', api],
      ['/api/%ff', api],
      ['/healthz', {}],
      ['/livez', {}],
      ['/', { accept: '*/*' }],
      ['/', {}, 'POST'],
    ] as [string, Record<string, string>, string?][]) {
      const what = `${method ?? 'GET'} ${path}`;
      const plain = await get(path, headers, method);
      seen.add(plain.status);
      const said = (name: string): string | null => plain.headers.get(name);
      expect(said('content-security-policy'), what).to.match(/^default-src 'none'; .*frame-ancestors 'none'/);
      expect(
        [said('x-content-type-options'), said('referrer-policy'), said('cross-origin-opener-policy')],
        what,
      ).to.deep.equal(['nosniff', 'no-referrer', 'same-origin']);
      expect([said('strict-transport-security'), said('access-control-allow-origin')], what).to.deep.equal([
        null,
        null,
      ]);
      const tls = await get(path, { ...headers, 'x-forwarded-proto': 'https' }, method);
      expect(tls.headers.get('strict-transport-security'), what).to.equal('max-age=31536000');
    }
    expect([...seen].sort()).to.deep.equal([200, 400, 401, 404, 405]);
    // What Node itself cannot read.
    const socket = connect(web.web.port, '127.0.0.1');
    socket.end('nonsense\r\n\r\n');
    const answer = (await socket.toArray()).join('');
    expect(answer)
      .to.match(/^HTTP\/1\.1 400 /)
      .and.contain("\r\nContent-Security-Policy: default-src 'none'; frame-ancestors 'none'\r\n")
      .and.contain('\r\nX-Content-Type-Options: nosniff\r\n');
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
