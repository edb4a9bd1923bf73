/** What a careless or a hostile client can send: each answer is a clear refusal that names the field, and nothing is done. */
import { connect } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { ROUTES } from '../../src/api/routes.ts';
import { type Managed, managed } from './support.ts';

const INHERITED = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
const RECEIVE = '/api/http_pull_consumers/orders/receive';
const ACK = '/api/http_pull_consumers/orders/ack';

describe('api: hostile requests', function () {
  this.timeout(60_000);
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => {
    const failed = all.web.logged.filter(({ level }) => level === 'error');
    await all.close();
    expect(failed, 'errors of ours').to.deep.equal([]);
  });
  const pathOf = (path: string): string =>
    path.replace(':sink', path.includes('change_retentions') ? 'history' : 'orders').replaceAll(/:\w+/g, 'shop');
  const send = async (method: string, path: string, body: string, headers: Record<string, string> = {}) =>
    await all.web.call(method, path, { body, headers: { 'content-type': 'application/json', ...headers } });
  const exchange = async (request: Buffer | string): Promise<string> => {
    const socket = connect(Number(new URL(all.web.url).port), '127.0.0.1');
    const received: Buffer[] = [];
    socket.write(request);
    for await (const part of socket) {
      received.push(part as Buffer);
      if (Buffer.concat(received).includes('\r\n\r\n')) break;
    }
    socket.destroy();
    return Buffer.concat(received).toString();
  };
  const raw = async (path: string, body: Buffer, headers: string): Promise<string> => {
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer admin-token\r\nContent-Length: ${body.length}\r\n${headers}\r\n\r\n`;
    return await exchange(Buffer.concat([Buffer.from(head), body]));
  };

  it('fields that every object has by itself are unknown ones, in each query and each body', async () => {
    const query = INHERITED.map((name) => `${name}=1`).join('&');
    const body = `{${INHERITED.map((name) => `"${name}": 1`).join(', ')}}`;
    for (const { method, path, body: schema, scope } of ROUTES) {
      if (path === '/api/sessions' || path === '/api/openapi.json') continue;
      const asked = await send(method, `${pathOf(path)}?${query}`, schema ? '{}' : '').catch(() => undefined);
      if (method !== 'GET') {
        expect(asked?.status, `${method} ${path}`).to.equal(400);
        const { status, text } = await send(method, pathOf(path), body);
        expect(status, `${method} ${path} ${scope} ${text}`).to.be.within(400, 499);
      }
      const got = method === 'GET' ? await all.web.call('GET', `${pathOf(path)}?${query}`) : asked!;
      expect(got.status, `${method} ${path}`).to.equal(400);
      expect(Object.keys(got.json.validation_errors), `${method} ${path}`).to.include.members(INHERITED);
    }
    const { status, json } = await all.web.call('POST', '/api/sessions', {
      token: null,
      body: '{"constructor": 1, "__proto__": {"email": "a@example.org", "password": "x"}}',
      headers: { 'content-type': 'application/json' },
    });
    expect(status).to.equal(422);
    expect(Object.keys(json.validation_errors)).to.include.members(['constructor', '__proto__', 'email', 'password']);
  });

  it('a key that objects have by themselves is kept where any key may be, or refused', async () => {
    const annotate = async (annotations: string) =>
      await send('PATCH', '/api/sinks/idle', `{"annotations": ${annotations}}`);
    const kept = await annotate('{"constructor": "a", "toString": "b", "": "c"}');
    expect([kept.status, kept.json.annotations]).to.deep.equal([200, { constructor: 'a', toString: 'b', '': 'c' }]);
    const refused = await annotate('{"__proto__": "a"}');
    expect([refused.status, Object.keys(refused.json.validation_errors)]).to.deep.equal([422, ['annotations']]);
    expect((await annotate('{}')).status).to.equal(200);
  });

  it('numbers that are none, or too large, are refused by name', async () => {
    for (const number of [
      '1e400',
      '-1e400',
      '9007199254740993',
      '1.5',
      '-1',
      '0',
      '"1e3"',
      '[1]',
      '{}',
      'true',
      '"0x10"',
    ]) {
      const receive = await send('POST', RECEIVE, `{"batch_size": ${number}}`);
      expect([receive.status, Object.keys(receive.json.validation_errors)], number).to.deep.equal([
        400,
        ['batch_size'],
      ]);
      if (number === '0') continue;
      const wait = await send('POST', RECEIVE, `{"wait_for": ${number}}`);
      expect([wait.status, Object.keys(wait.json.validation_errors)], number).to.deep.equal([400, ['wait_for']]);
      const retries = await send('PATCH', '/api/sinks/orders', `{"max_retry_count": ${number}}`);
      expect([retries.status, Object.keys(retries.json.validation_errors)], number).to.deep.equal([
        422,
        ['max_retry_count'],
      ]);
    }
    for (const limit of ['0', '-1', '1001', '1e3', '9007199254740993', '', ' 1', '1&limit=2', 'NaN', '0x1'])
      expect((await all.web.call('GET', `/api/sinks?limit=${limit}`)).json.validation_errors, limit).to.have.keys(
        'limit',
      );
  });

  it('texts that nothing can hold are refused, and long ones lead nowhere', async () => {
    const long = 'a'.repeat(8_000);
    expect((await all.web.call('GET', `/api/sinks/${long}`)).status).to.equal(404);
    expect((await all.web.call('GET', `/api/sinks/${long}/messages`)).status).to.equal(404);
    const known = await send(
      'POST',
      '/api/sinks',
      JSON.stringify({ name: long, database: 'shop', destination: { type: 'pull' } }),
    );
    expect([known.status, Object.keys(known.json.validation_errors)]).to.deep.equal([422, ['name']]);
    for (const id of ['"\\u0000"', '"\\ud800"', '""', '1', 'null', '{}', '[]']) {
      const { status, json } = await send('POST', ACK, `{"ack_ids": [${id}]}`);
      // Of an id that we never gave nothing is done; it is no fault.
      if (status === 200) expect(id).to.match(/^"\\u/);
      else expect([status, Object.keys(json.validation_errors)], id).to.deep.equal([400, ['ack_ids']]);
    }
    for (const ids of [
      '{}',
      '"a"',
      '1',
      'null',
      '[]',
      JSON.stringify(Array.from({ length: 100_000 }, (_, at) => `${at}`)),
    ]) {
      const { status, json } = await send('POST', ACK, `{"ack_ids": ${ids}}`);
      expect([status, Object.keys(json.validation_errors)], ids.slice(0, 20)).to.deep.equal([400, ['ack_ids']]);
    }
  });

  it('a path is what it says: no slash, no dot and no percent sign leads to something else', async () => {
    for (const name of ['or%64ers', 'orders'])
      expect((await all.web.call('GET', `/api/sinks/${name}`)).status, name).to.equal(200);
    for (const name of [
      'a%2Fb',
      '%2e%2e%2fsinks',
      'orders%2Fmetrics',
      'orders%00',
      'orders%20',
      'ORDERS',
      'orders;x',
      '%ff%fe',
      '%E0%A4',
      '%',
      '%zz',
      'constructor',
      '__proto__',
    ]) {
      const { status, json } = await all.web.call('GET', `/api/sinks/${name}`);
      expect(status, name).to.be.oneOf([400, 404]);
      expect(json, name).to.include.keys('code', 'summary', 'request_id');
    }
  });

  it('a version that was never given is refused, and one that is not that of the thing changes nothing', async () => {
    const patch = (tag: string) =>
      send('PATCH', '/api/sinks/orders', '{"annotations": {"a": "b"}}', { 'if-match': tag });
    for (const tag of [
      '""',
      'abc',
      '"abc"',
      '"-1"',
      '"1.0"',
      '"1" "2"',
      '"99999999999999999999"',
      ',',
      '"1",',
      'W/',
      "'1'",
    ]) {
      const { status, json } = await patch(tag);
      expect([status, Object.keys(json.validation_errors ?? {})], tag).to.deep.equal([400, ['If-Match']]);
    }
    for (const tag of ['"0"', '"999999999"', 'W/"999"', '"998","999"'])
      expect((await patch(tag)).status, tag).to.equal(412);
  });

  it('a cursor of another list, another filter or nobody is refused', async () => {
    const { json: first } = await all.web.call('GET', '/api/sinks?limit=1');
    const made = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const { filter } = JSON.parse(Buffer.from(first.next_cursor, 'base64url').toString());
    const wrong = [
      '',
      'x',
      '%00',
      made(null),
      made([]),
      made({}),
      made({ after: 1, filter }),
      made({ after: { a: 1 }, filter }),
    ];
    wrong.push(made({ after: 'a', filter: { ...filter, kind: 'webhook' } }), made({ after: 'a' }), 'a'.repeat(3_000));
    for (const cursor of wrong) {
      const { status, json } = await all.web.call('GET', `/api/sinks?limit=1&cursor=${cursor}`);
      expect([status, Object.keys(json.validation_errors)], cursor).to.deep.equal([400, ['cursor']]);
    }
    for (const path of ['/api/operations', '/api/audit', '/api/sinks/orders/messages', '/api/functions?type=filter'])
      for (const cursor of [
        first.next_cursor,
        made({ after: ['x', 1], filter: {} }),
        made({ after: 'x', filter: { a: 1 } }),
      ]) {
        const { status, json } = await all.web.call('GET', `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`);
        expect([status, Object.keys(json.validation_errors)], path).to.deep.equal([400, ['cursor']]);
      }
  });

  it('a body that is packed, broken or of another charset is read whole or refused', async () => {
    const body = Buffer.from('{"batch_size": 0}');
    const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
    const cases: [Buffer, string, number][] = [
      [gzipSync(body), 'Content-Encoding: gzip', 400],
      [deflateSync(body), 'Content-Encoding: deflate', 400],
      [body, 'Content-Encoding: gzip', 400],
      [body, 'Content-Encoding: br', 400],
      [body, 'Content-Encoding: compress', 415],
      [gzipSync(Buffer.alloc(20_000_000, ' ')), 'Content-Encoding: gzip', 413],
      [body, 'Content-Type: application/json; charset=latin1', 415],
      [body, 'Content-Type: application/json; charset=utf-99', 415],
      [body, 'Content-Type: text/json', 415],
      [body, 'Content-Type: application/x-www-form-urlencoded', 415],
      [body, 'Content-Type: multipart/form-data; boundary=x', 415],
      [Buffer.concat([Buffer.from('\ufeff'), body]), 'Content-Type: application/json', 400],
      [Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'Content-Type: application/json', 400],
      [Buffer.from('['.repeat(400_000)), 'Content-Type: application/json', 400],
      [Buffer.from(`${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`), 'Content-Type: application/json', 400],
    ];
    for (const [sent, headers, status] of cases)
      for (const path of [RECEIVE, '/api/sinks']) {
        const answer = await raw(path, sent, headers);
        const wanted = status === 400 && path === '/api/sinks' ? [400, 422] : [status];
        expect(statusOf(answer), `${path} ${headers} ${sent.subarray(0, 20)}: ${answer}`).to.be.oneOf(
          path === RECEIVE && sent.length > 100_000 ? [...wanted, 200] : wanted,
        );
      }
  });

  it('has done nothing', async () => {
    const { json } = await all.web.call('GET', '/api/sinks');
    expect(json.data.map(({ name }: { name: string }) => name)).to.deep.equal(['idle', 'orders', 'products']);
    expect(json.data.map(({ version }: { version: number }) => version)).to.deep.equal([3, 1, 1]);
  });
});
