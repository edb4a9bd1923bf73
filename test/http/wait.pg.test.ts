/** Long polls over HTTP: waking, hanging up, white space, too many, the end of the process, a database that is gone. */
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { openPool } from '../../src/db/pool.ts';
import { createMetrics } from '../../src/runtime/metrics.ts';
import { type AddedSink, addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { startCluster } from '../support/postgres/postgres.ts';
import { type FakeListener, fakeListener, type Reply, type TestWeb, testWeb } from '../support/processes/web.ts';
import { pullFrom } from '../support/pull/pull.ts';
import { until } from '../support/until.ts';

describe('http: long poll', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  let listener: FakeListener;
  let sink: AddedSink;
  let path: string;
  let made = 0;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());
  beforeEach(async () => {
    made += 1;
    sink = await addPullSink(m.db, { name: `wait-${made}`, maxWaiting: 2 });
    path = `/api/http_pull_consumers/${sink.name}`;
    listener = fakeListener();
    web = await testWeb(
      { db: m.db, listener, metrics: createMetrics({ process: false }) },
      { pull: { longWaitMs: 30_000, blankEveryMs: 10 } },
    );
  });
  afterEach(async () => await web.close());

  const waiting = async (count: number): Promise<void> => {
    await until(`${count} wait`, async () => {
      const { text } = await web.call('GET', '/metrics');
      return text.includes(`millrace_waiting_receives ${count}\n`);
    });
  };
  const poll = async (query: string): Promise<Reply> => await web.call('GET', `${path}/receive?${query}`);
  const idsOf = (reply: Reply): number[] =>
    reply.json.data.map((each: { ack_id: string }) => Number(each.ack_id.slice(33)));

  /** A client that is not polite. */
  function rawGet(query: string): Socket {
    const socket = connect(web.web.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `GET ${path}/receive?${query} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer admin-token\r\n\r\n`,
    );
    return socket;
  }

  it('answers as soon as there is a notification', async () => {
    const polled = poll('wait_for=20s');
    await waiting(1);
    const ids = await appendMessages(m.db, sink.no, [{ group: 1 }]);
    listener.emit('millrace_messages', String(sink.no));
    const reply = await polled;
    expect(idsOf(reply)).to.deep.equal(ids);
    expect(reply.text, 'no blanks for a short wait').to.match(/^\{/);
    expect(reply.headers.get('content-length')).to.equal(String(reply.text.length));
  });

  it('answers when a message before it in its group is acknowledged', async () => {
    const [, second] = await appendMessages(m.db, sink.no, [{ group: 1 }, { group: 1 }]);
    const first = await poll('batch_size=1');
    const polled = poll('wait_for=20s');
    await waiting(1);
    const ack = await web.call('POST', `${path}/ack`, { body: { ack_ids: [first.json.data[0].ack_id] } });
    expect(ack.json.count).to.equal(1);
    expect(idsOf(await polled)).to.deep.equal([second]);
  });

  it('answers an empty list when the time is over', async () => {
    const reply = await poll('wait_for=30');
    expect([reply.status, reply.text]).to.deep.equal([200, '{"data":[]}']);
  });

  it('answers 429 with Retry-After when too many wait', async () => {
    const polls = [poll('wait_for=20s'), poll('wait_for=20s')];
    await waiting(2);
    const reply = await poll('wait_for=400');
    expect([reply.status, reply.json.code]).to.deep.equal([429, 'too_many_waiting']);
    expect(reply.headers.get('retry-after')).to.equal('1');
    expect((await poll('wait_for=0')).status).to.equal(200);
    await web.close();
    await Promise.all(polls);
  });

  it('counts what was acknowledged also where a request has no place to wait', async () => {
    await appendMessages(m.db, sink.no, [{ group: 1 }]);
    const { json } = await poll('wait_for=0');
    const polls = [poll('wait_for=20s'), poll('wait_for=20s')];
    await waiting(2);
    const body = { ack_ids: [json.data[0].ack_id], wait_for: '20s' };
    expect((await web.call('POST', `${path}/receive`, { body })).status).to.equal(429);
    const { text } = await web.call('GET', '/metrics');
    expect(text).to.contain(`millrace_answered_messages_total{consumer="${sink.name}",answer="ack"} 1\n`);
    await web.close();
    await Promise.all(polls);
  });

  /** Resolves when the reply has begun. */
  const begin = async (query: string): Promise<Response> =>
    await fetch(`${web.url}${path}/receive?${query}`, { headers: { authorization: 'Bearer admin-token' } });

  it('begins the reply to a long wait early, with blanks before the JSON', async () => {
    const response = await begin('wait_for=60s');
    expect([response.status, response.headers.get('content-type')]).to.deep.equal([
      200,
      'application/json; charset=utf-8',
    ]);
    const ids = await appendMessages(m.db, sink.no, [{ group: 1 }]);
    listener.emit('millrace_messages', '');
    const text = await response.text();
    expect(text).to.match(/^ +\{/);
    expect(JSON.parse(text).data[0].ack_id).to.match(new RegExp(`-${ids[0]}$`));
  });

  it('ends as an empty list when it fails after its reply began', async () => {
    const response = await begin('wait_for=60s');
    await m.db.query('alter function millrace_private.next_messages rename to messages_next');
    listener.emit('millrace_messages', '');
    const text = await response.text();
    await m.db.query('alter function millrace_private.messages_next rename to next_messages');
    expect(text.trimStart()).to.equal('{"data":[]}');
    expect(web.logged.map((line) => line.message)).to.include('a receive failed after its reply began');
  });

  it('leases nothing for a client that hangs up', async () => {
    const client = rawGet('wait_for=20s');
    await waiting(1);
    client.destroy();
    await waiting(0);
    const ids = await appendMessages(m.db, sink.no, [{ group: 1 }]);
    listener.emit('millrace_messages', '');
    const reply = await poll('wait_for=0');
    expect(idsOf(reply)).to.deep.equal(ids);
  });

  it('gives back what a client did not read to its end', async () => {
    const text = 'x'.repeat(4 * 1024 * 1024);
    const ids = await appendMessages(
      m.db,
      sink.no,
      [1, 2, 3].map((group) => ({ group, record: `{"t":"${text}"}` })),
    );
    const client = rawGet('batch_size=3');
    // It reads nothing at all: most of the answer has no place between the two.
    client.pause();
    await until('leased', async () => {
      const { rows } = await m.db.query('select from millrace_private.leases where sink_no = $1', [sink.no]);
      return rows.length === 1;
    });
    client.destroy();
    const pull = pullFrom(m.db, sink.no);
    await until('given back', async () => (await pull.deliveryStates()).length === 3);
    expect((await pull.deliveryStates()).map((each) => [each.state, each.attempts])).to.deep.equal([
      ['waiting', 0],
      ['waiting', 0],
      ['waiting', 0],
    ]);
    expect((await pull.receive(3)).ids).to.deep.equal(ids);
  });

  it('sends those who wait away with an empty list when the process stops, and refuses new connections', async () => {
    const stop = new AbortController();
    const running = web.web.run(stop.signal);
    const polled = poll('wait_for=20s');
    await waiting(1);
    stop.abort();
    const reply = await polled;
    expect([reply.status, reply.text]).to.deep.equal([200, '{"data":[]}']);
    await running;
    const refused = await poll('').catch((error: Error) => error);
    expect(refused).to.be.instanceOf(TypeError);
  });
});

describe('http: without a database', function () {
  this.timeout(120_000);

  it('answers 503 with Retry-After, and recovers', async () => {
    const cluster = await startCluster();
    const database = await cluster.createDatabase();
    const db = openPool({ address: database.url, max: 2, applicationName: 'millrace test', path: 'role' });
    const web = await testWeb({ db });
    const missing = await web.call('GET', '/readyz');
    expect([missing.status, missing.json.code], 'no schema').to.deep.equal([503, 'unavailable']);
    await cluster.stop();
    for (const [method, path] of [
      ['POST', '/api/http_pull_consumers/orders/receive'],
      ['POST', '/api/http_pull_consumers/orders/ack'],
      ['GET', '/readyz'],
    ] as const) {
      const reply = await web.call(method, path);
      expect([reply.status, reply.json.code], path).to.deep.equal([503, 'unavailable']);
      expect(reply.headers.get('retry-after'), path).to.equal('1');
      expect(Object.keys(reply.json)).to.deep.equal(['code', 'summary']);
    }
    const health = await web.call('GET', '/healthz');
    expect([health.status, health.headers.get('retry-after'), health.json]).to.deep.equal([
      503,
      '1',
      { status: 'unknown', reasons: ['message_database'], databases: [], sinks: [] },
    ]);
    expect((await web.call('GET', '/livez', { token: null })).json).to.deep.equal({ status: 'ok' });
    await web.close();
    await db.close();
  });

  it('answers 503 when a consumer is held by somebody for too long', async () => {
    const m = await messageDatabase();
    const { no } = await addPullSink(m.db, { name: 'orders' });
    await appendMessages(m.db, no, [{ group: 1 }]);
    const web = await testWeb({ db: m.db });
    const reply = await m.db.transaction(async (tx) => {
      await pullFrom(tx, no).receive(1);
      return await web.call('POST', '/api/http_pull_consumers/orders/receive');
    });
    expect([reply.status, reply.headers.get('retry-after')]).to.deep.equal([503, '1']);
    await web.close();
    await m.drop();
  });
});
