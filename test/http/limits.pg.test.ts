/** What a client may ask of the server: headers and bodies in time, connections, requests at once, answers that are read. */
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { createAdmission } from '../../src/http/admission.ts';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { openSession, untilBlocked } from '../support/postgres/sessions.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';
import { until } from '../support/until.ts';

const ORDERS = '/api/http_pull_consumers/orders';
const AUTH = 'Host: localhost\r\nAuthorization: Bearer orders-token\r\n';

describe('http: limits', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  let no: number;
  const sockets: Socket[] = [];
  before(async () => {
    m = await messageDatabase();
    ({ no } = await addPullSink(m.db, { name: 'orders' }));
  });
  after(async () => await m.drop());
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await web.close();
  });

  /** A connection that has sent this; `text` is what came back. */
  function raw(sent: string): { socket: Socket; text: () => string; closed: Promise<void> } {
    let text = '';
    const socket = connect(web.web.port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      text += bytes.toString();
    });
    if (sent !== '') socket.write(sent);
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    return { socket, text: () => text, closed };
  }

  /** Status and code of an answer, which must be whole. */
  function errorIn(text: string): [number, string] {
    const [head = '', body = ''] = text.split('\r\n\r\n');
    expect(head)
      .to.match(/\r\nContent-Type: application\/json; charset=utf-8\r\n/i)
      .and.match(/\r\nX-Request-Id: \S{36}\r\n/i);
    expect(head).to.match(new RegExp(`\r\nContent-Length: ${Buffer.byteLength(body)}(\r\n|$)`, 'i'));
    const { code, summary, request_id } = JSON.parse(body);
    expect(summary).to.match(/^[A-Z]/);
    expect(head).to.include(`X-Request-Id: ${request_id}`);
    return [Number(head.split(' ')[1]), code];
  }

  it('cuts who sends no headers, or too slowly, and who does not end its body', async () => {
    web = await testWeb({ db: m.db }, { limits: { headersMs: 100, requestMs: 300, checkMs: 20 } });
    const nothing = raw('');
    const headers = raw(`GET /livez HTTP/1.1\r\n${AUTH}`);
    const body = raw(`POST ${ORDERS}/ack HTTP/1.1\r\n${AUTH}Content-Length: 1000\r\n\r\n{"ack_ids":`);
    await Promise.all([nothing.closed, headers.closed, body.closed]);
    for (const { text } of [headers, body]) expect(errorIn(text())).to.deep.equal([408, 'request_timeout']);
    expect(web.logged.filter(({ level }) => level === 'error')).to.deep.equal([]);
    expect((await web.call('GET', '/livez')).status).to.equal(200);
  });

  it('refuses headers of more than 16 KB', async () => {
    web = await testWeb({ db: m.db });
    const long = 'x'.repeat(20_000);
    for (const [path, header] of [
      ['/livez', long],
      [`/api/sinks/${long}`, ''],
      [`/api/sinks?q=${long}`, ''],
    ]) {
      const { text, closed } = raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Long: ${header}\r\n\r\n`);
      await closed;
      expect(errorIn(text())).to.deep.equal([431, 'headers_too_large']);
    }
  });

  it('answers what is no request in the form of its errors', async () => {
    web = await testWeb({ db: m.db });
    for (const sent of ['nonsense\r\n\r\n', `GET /livez HTTP/1.1\r\nno header\r\n\r\n`, '\x16\x03\x01\x02\0\x01']) {
      const { text, closed } = raw(sent);
      await closed;
      expect(errorIn(text())).to.deep.equal([400, 'bad_request']);
    }
    const body = raw(`POST ${ORDERS}/ack HTTP/1.1\r\n${AUTH}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`);
    await body.closed;
    expect(errorIn(body.text())).to.deep.equal([400, 'bad_request']);
    const answered = raw(`GET /livez HTTP/1.1\r\n${AUTH}\r\n`);
    await until('it is answered', () => answered.text().includes('{"status":"ok"}'));
    answered.socket.write('nonsense\r\n\r\n');
    await answered.closed;
    expect(errorIn(answered.text().slice(answered.text().lastIndexOf('HTTP/1.1 ')))).to.deep.equal([
      400,
      'bad_request',
    ]);
    expect((await web.call('GET', '/livez')).status).to.equal(200);
  });

  it('closes connections that are only kept for later when new ones come, and answers those', async () => {
    web = await testWeb({ db: m.db }, { limits: { connections: 20 } });
    for (let i = 0; i < 60; i += 1) {
      const one = raw(`GET /livez HTTP/1.1\r\n${AUTH}\r\n`);
      await until(`${i} is answered`, async () => one.text().includes('{"status":"ok"}'));
    }
    const open = sockets.filter(({ closed }) => !closed).length;
    expect(open).to.be.within(1, 20);
  });

  it('refuses more requests of one consumer or token than it can have under way, and no others', async () => {
    await addPullSink(m.db, { name: 'other' });
    web = await testWeb({ db: m.db }, { pull: { admission: { maxRequests: 5 } } });
    const holder = await openSession(m.db);
    await holder.query('begin');
    await appendMessages(m.db, no, [{ group: 1 }]);
    await holder.query(`select millrace.receive('orders')`);
    const waiter = await openSession(m.db);
    const blocked = waiter.query(`select millrace.receive('orders')`);
    await untilBlocked(m.db, waiter, holder);
    const polls = Array.from({ length: 9 }, () => web.call('POST', `${ORDERS}/receive`, { token: 'orders-token' }));
    const first = await Promise.race(polls);
    expect([first.status, first.json.code, first.headers.get('retry-after')]).to.deep.equal([
      429,
      'too_many_requests',
      '1',
    ]);
    const other = await web.call('POST', '/api/http_pull_consumers/other/receive');
    expect(other.status).to.equal(200);
    await holder.query('rollback');
    const statuses = (await Promise.all(polls)).map(({ status }) => status).sort();
    expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 429, 429, 429, 429]);
    await blocked;
    await Promise.all([holder.close(), waiter.close()]);
    expect((await web.call('POST', `${ORDERS}/receive`, { token: 'orders-token' })).status).to.equal(200);
    await m.db.query('delete from millrace_private.messages');
  });

  it('refuses more logins of one address than it can have under way, and no others', async () => {
    web = await testWeb({ db: m.db }, { management: { maxRequests: 2 }, proxies: 1 });
    const body = { email: 'nobody@example.com', password: 'staple' };
    const ask = async (from: string, method: string, path: string, sent?: object): Promise<number> =>
      (await web.call(method, `/api/${path}`, { token: null, body: sent, headers: { 'x-forwarded-for': from } }))
        .status;
    const head =
      'Host: localhost\r\nX-Forwarded-For: 192.0.2.1\r\nContent-Type: application/json\r\nContent-Length: 50';
    for (const _ of [1, 2]) raw(`POST /api/sessions HTTP/1.1\r\n${head}\r\n\r\n{`);
    await until('both are let in', async () => (await ask('192.0.2.1', 'GET', 'openapi.json')) === 429);
    expect(await ask('192.0.2.1', 'POST', 'sessions', body)).to.equal(429);
    expect(await ask('192.0.2.2', 'POST', 'sessions', body)).to.equal(401);
  });

  it('keeps no more than 32 MB of answers that the clients of a consumer do not read', async () => {
    web = await testWeb({ db: m.db });
    const { no: large } = await addPullSink(m.db, { name: 'large' });
    const record = `{"t":"${'x'.repeat(8 * 1024 * 1024)}"}`;
    for (let group = 1; group <= 8; group += 1) await appendMessages(m.db, large, [{ group, record }]);
    const path = '/api/http_pull_consumers/large/receive?batch_size=8';
    const admin = 'Host: localhost\r\nAuthorization: Bearer admin-token\r\n';
    const leased = async (): Promise<number> => {
      const { rows } = await m.db.query<{ leased: number }>(
        `select leased::integer from millrace.consumer_status where sink_name = 'large'`,
      );
      return rows[0]!.leased;
    };
    const silent = (): Socket => {
      const { socket } = raw(`GET ${path} HTTP/1.1\r\n${admin}\r\n`);
      return socket.pause();
    };
    silent();
    await until('what fits is leased', async () => (await leased()) === 3);
    silent();
    await until('one is more than fits', async () => (await leased()) === 4);
    const refused = await web.call('GET', path);
    expect([refused.status, refused.json.code]).to.deep.equal([429, 'too_many_requests']);
    expect(await leased()).to.equal(4);
    for (const socket of sockets) socket.destroy();
    await until('there is room again', async () => (await web.call('GET', path)).status === 200);
  });
});

describe('http: admission', () => {
  const refused = (work: () => unknown): string | undefined => {
    try {
      work();
      return undefined;
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it('counts requests and bytes of each name, and lets all out again', () => {
    const admission = createAdmission({ maxRequests: 2, maxBytes: 100 });
    const one = admission.enter(['a', 'x'], 10);
    const two = admission.enter(['a', 'y'], 90);
    expect(refused(() => admission.enter(['a', 'z'], 0))).to.equal('too_many_requests');
    expect(
      refused(() => admission.enter(['b', 'y'], 11)),
      'bytes',
    ).to.equal('too_many_requests');
    const three = admission.enter(['b', 'x'], 90);
    one();
    one();
    expect(refused(() => admission.enter(['a', 'z'], 11))).to.equal('too_many_requests');
    const four = admission.enter(['a', 'z'], 10);
    for (const leave of [two, three, four]) leave();
    admission.enter(['a', 'x'], 1_000)();
  });
});
