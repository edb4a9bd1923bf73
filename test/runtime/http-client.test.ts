import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { maskOf } from '../../src/model/mask.ts';
import { type HttpClient, openHttpClient, retryAfter } from '../../src/runtime/http-client.ts';

describe('a request', () => {
  let server: http.Server;
  let client: HttpClient;
  const came: string[] = [];
  const held: http.ServerResponse[] = [];

  beforeEach(async () => {
    came.length = 0;
    held.length = 0;
    server = http.createServer((request, response) => {
      came.push(request.url!);
      const [, status, bytes] = request.url!.split('/');
      if (status === 'held') held.push(response);
      else response.writeHead(Number(status)).end(Buffer.alloc(Number(bytes), 'x'));
      server.emit('came');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    client = openHttpClient({
      origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      connections: 1,
      tls: { ca: null, verify: true },
      connectTimeoutMs: 10_000,
      answerTimeoutMs: 10_000,
      totalMs: 10_000,
      longestRetryAfterMs: 1_000,
      place: { host: '', login: '', database: '', ca: '', unverified: '', plain: '', encrypted: '' },
      mask: maskOf([], []),
      now: Date.now,
    });
  });
  afterEach(async () => {
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  const request = (path: string, wantsText: boolean, signal = new AbortController().signal) =>
    client.request({ method: 'POST', path, headers: {}, body: Buffer.from('{}'), signal, wantsText });
  const lengthOf = async (path: string, wantsText: boolean) => {
    const reply = await request(path, wantsText);
    return reply.kind === 'answer' ? [reply.status, reply.text.length] : [reply.kind];
  };

  it('has the text of its answer where it is wanted, and of what is no success as much as its error needs', async () => {
    expect(await lengthOf('/200/300000', true)).to.deep.equal([200, 300_000]);
    expect(await lengthOf('/200/300000', false)).to.deep.equal([200, 0]);
    expect(await lengthOf('/202/1000', false)).to.deep.equal([202, 0]);
    expect(await lengthOf('/500/300000', false)).to.deep.equal([500, 262_144]);
    expect(await lengthOf('/404/12', true)).to.deep.equal([404, 12]);
  });

  it('that waits for a connection ends with its signal, and never goes out', async () => {
    const first = request('/held', true);
    await once(server, 'came');
    const leave = new AbortController();
    const second = request('/200/1', true, leave.signal);
    const third = request('/200/3', true, leave.signal);
    leave.abort();
    expect([await second, await third]).to.deep.equal([{ kind: 'aborted' }, { kind: 'aborted' }]);
    expect(await request('/200/4', true, leave.signal)).to.deep.equal({ kind: 'aborted' });
    held[0]!.end('here');
    expect(await first).to.include({ kind: 'answer', text: 'here' });
    expect(await lengthOf('/200/5', true)).to.deep.equal([200, 5]);
    expect(came).to.deep.equal(['/held', '/200/5']);
  });

  it('under way ends with its signal too', async () => {
    const leave = new AbortController();
    const reply = request('/held', false, leave.signal);
    await once(server, 'came');
    leave.abort();
    expect(await reply).to.deep.equal({ kind: 'aborted' });
  });
});

describe('Retry-After', () => {
  it('is seconds or a date, never negative, and no longer than is said', () => {
    const now = { nowMs: Date.parse('2026-01-01T00:00:00Z'), longestMs: 600_000 };
    expect(retryAfter('7', now)).to.equal(7000);
    // Those who count more finely than the standard: read as a date, 2.5 is the fifth of February 2001.
    expect([retryAfter('2.5', now), retryAfter(' 59.700', now)]).to.deep.equal([2500, 59_700]);
    expect(retryAfter('Thu, 01 Jan 2026 00:00:05 GMT', now)).to.equal(5000);
    expect(retryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now)).to.equal(0);
    expect(retryAfter('999999', now)).to.equal(600_000);
    for (const value of [undefined, '', 'soon']) expect(retryAfter(value, now)).to.equal(undefined);
  });
});
