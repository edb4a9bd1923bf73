/** The pull API row by row: what is answered, and in which shape. */
import { expect } from 'chai';
import { type AddedSink, addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { insertSink } from '../support/fixtures/sinks.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type Reply, type TestWeb, testWeb } from '../support/processes/web.ts';

const ORDERS = '/api/http_pull_consumers/orders';

describe('http: pull API', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  let orders: AddedSink;
  before(async () => {
    m = await messageDatabase();
    orders = await addPullSink(m.db, { name: 'orders' });
    web = await testWeb({ db: m.db });
  });
  after(async () => {
    await web.close();
    await m.drop();
  });
  afterEach(async () => {
    await m.db.query('delete from millrace_private.messages');
    await m.db.query('delete from millrace_private.leases');
    await m.db.query('delete from millrace_private.delivery_states');
  });

  const groups = (count: number) => Array.from({ length: count }, (_, i) => ({ group: i + 1 }));
  const receive = async (body: unknown = {}, path = ORDERS): Promise<Reply> =>
    await web.call('POST', `${path}/receive`, { body });
  const ackIdsOf = (reply: Reply): string[] => reply.json.data.map((each: { ack_id: string }) => each.ack_id);

  it('answers messages flat, with an ack_id, and takes the acknowledgement', async () => {
    const [id] = await appendMessages(m.db, orders.no, [
      { group: 1, action: 'update', record: '{"id":1,"n":12345678901234567890.10}', changes: '{"n":"ü"}' },
    ]);
    const reply = await receive();
    expect(reply.status).to.equal(200);
    expect(reply.headers.get('content-type')).to.equal('application/json; charset=utf-8');
    expect(reply.headers.get('cache-control')).to.equal('no-store');
    expect(reply.text, 'digits stay as they are').to.include('12345678901234567890.10');
    const [message] = reply.json.data;
    expect(Object.keys(message)).to.deep.equal(['ack_id', 'record', 'changes', 'action', 'metadata']);
    expect(message.changes).to.deep.equal({ n: 'ü' });
    expect(message.action).to.equal('update');
    expect(message.metadata.consumer).to.deep.equal({
      id: orders.id,
      name: 'orders',
      annotations: { owner: 'billing' },
    });
    expect(message.ack_id).to.match(new RegExp(`^[0-9a-f]{32}-${id}$`));
    const ack = await web.call('POST', `${ORDERS}/ack`, { body: { ack_ids: [message.ack_id] } });
    expect([ack.status, ack.text]).to.deep.equal([200, '{"success":true,"count":1}']);
    const again = await web.call('POST', `${ORDERS}/ack`, { body: { ack_ids: [message.ack_id] } });
    expect([again.status, again.text]).to.deep.equal([200, '{"success":true,"count":0}']);
  });

  it('answers 200 with an empty list when there is nothing, also for a paused consumer', async () => {
    expect(await receive()).to.include({ status: 200, text: '{"data":[]}' });
    const paused = await addPullSink(m.db, { name: 'paused', status: 'paused' });
    await appendMessages(m.db, paused.no, groups(1));
    const reply = await receive({ wait_for: 0 }, '/api/http_pull_consumers/paused');
    expect([reply.status, reply.text]).to.deep.equal([200, '{"data":[]}']);
  });

  it('is found by name and by id, under both paths, by POST and by GET', async () => {
    await appendMessages(m.db, orders.no, groups(4));
    const replies = [
      await web.call('POST', `/api/http_pull_consumers/${orders.id}/receive`),
      await web.call('POST', '/api/sequin_streams/orders/receive', { body: '' }),
      await web.call('GET', `/api/sequin_streams/${orders.id.toUpperCase()}/receive?batch_size=1`),
      await web.call('GET', `${ORDERS}/receive?max_batch_size=5&wait_for=10s&more=1`),
    ];
    expect(replies.map((reply) => [reply.status, reply.json.data.length])).to.deep.equal([
      [200, 1],
      [200, 1],
      [200, 1],
      [200, 1],
    ]);
    const ids = replies.flatMap(ackIdsOf);
    const ack = await web.call('POST', '/api/sequin_streams/orders/ack', { body: { ack_ids: ids } });
    expect(ack.json).to.deep.equal({ success: true, count: 4 });
  });

  it("answers a sequin_stream in Sequin's nested shape", async () => {
    const nested = await addPullSink(m.db, { name: 'nested', type: 'sequin_stream' });
    await appendMessages(m.db, nested.no, groups(2));
    const reply = await receive({ batch_size: 5 }, '/api/sequin_streams/nested');
    expect(reply.json.data).to.have.lengthOf(2);
    for (const each of reply.json.data) {
      expect(Object.keys(each)).to.deep.equal(['ack_id', 'data']);
      expect(Object.keys(each.data)).to.deep.equal(['record', 'changes', 'action', 'metadata']);
    }
  });

  for (const type of ['pull', 'sequin_stream'] as const) {
    it(`answers what a transform made under data (${type})`, async () => {
      const name = `shaped-${type.replace('_', '-')}`;
      const shaped = await addPullSink(m.db, { name, type });
      await appendMessages(m.db, shaped.no, [
        { group: 1, payload: '[1, {"a": 1.50}]' },
        { group: 2, payload: '"text"' },
      ]);
      const reply = await receive({ batch_size: 5 }, `/api/http_pull_consumers/${name}`);
      const [one, two] = ackIdsOf(reply);
      expect(reply.text).to.equal(
        `{"data":[{"ack_id":"${one}","data":[1, {"a": 1.50}]},{"ack_id":"${two}","data":"text"}]}`,
      );
    });
  }

  it('hands out batch_size messages in order', async () => {
    const ids = await appendMessages(m.db, orders.no, groups(20));
    const reply = await receive({ batch_size: '15' });
    expect(ackIdsOf(reply).map((each) => Number(each.slice(33)))).to.deep.equal(ids.slice(0, 15));
    const rest = await receive({ max_batch_size: 1000 });
    expect(rest.json.data).to.have.lengthOf(5);
  });

  it('acknowledges and receives in one request, and says how many were acknowledged', async () => {
    const [, second] = await appendMessages(m.db, orders.no, [{ group: 1 }, { group: 1 }]);
    const first = await receive({ ack_ids: [] });
    const next = await receive({ ack_ids: [...ackIdsOf(first), 'unknown'], batch_size: 10, wait_for: '1s' });
    expect([first.json.acked, next.json.acked, ackIdsOf(next)[0]!.slice(32)]).to.deep.equal([0, 1, `-${second}`]);
    expect((await receive({ ack_ids: ackIdsOf(next) })).text).to.equal('{"data":[],"acked":1}');
    expect((await web.call('GET', `${ORDERS}/receive?ack_ids=x`)).text).to.equal('{"data":[]}');
  });

  it('gives back and extends', async () => {
    await appendMessages(m.db, orders.no, groups(2));
    const [one, two] = ackIdsOf(await receive({ batch_size: 2 }));
    const extend = await web.call('POST', `${ORDERS}/extend`, { body: { ack_ids: [one], visibility_timeout: '5m' } });
    expect([extend.status, extend.json]).to.deep.equal([200, { success: true, count: 1 }]);
    const later = await web.call('POST', `${ORDERS}/nack`, { body: { ack_ids: [two], delay: '10m' } });
    expect([later.status, later.json]).to.deep.equal([200, { success: true, count: 1 }]);
    expect((await receive({ batch_size: 2 })).json.data).to.deep.equal([]);
    const now = await web.call('POST', `${ORDERS}/nack`, { body: { ack_ids: [one, 'unknown'] } });
    expect(now.json).to.deep.equal({ success: true, count: 1 });
    expect((await receive({ batch_size: 2 })).json.data).to.have.lengthOf(1);
  });

  it('401 without, with a malformed and with an unknown token', async () => {
    const headers: (Record<string, string> | undefined)[] = [
      undefined,
      { authorization: 'Basic YTpi' },
      { authorization: 'Bearer ' },
      { authorization: 'Bearer a b' },
      { authorization: 'Bearer revoked-token' },
      { authorization: `Bearer ${'x'.repeat(2_000)}` },
    ];
    for (const each of headers) {
      for (const path of [`${ORDERS}/receive`, '/api/http_pull_consumers/nobody/ack']) {
        const reply = await web.call('POST', path, {
          token: null,
          body: { ack_ids: ['x'] },
          ...(each ? { headers: each } : {}),
        });
        expect(reply.status, JSON.stringify(each)).to.equal(401);
        expect(reply.headers.get('www-authenticate')).to.equal('Bearer');
        expect(Object.keys(reply.json)).to.deep.equal(['code', 'summary']);
        expect(reply.json.code).to.equal('unauthorized');
      }
    }
  });

  it('403 without the scope, whether the consumer exists or not', async () => {
    await addPullSink(m.db, { name: 'others' });
    const cases: [string, string][] = [
      ['read-token', ORDERS],
      ['orders-token', '/api/http_pull_consumers/others'],
      ['orders-token', '/api/http_pull_consumers/nobody'],
      ['read-token', '/api/http_pull_consumers/nobody'],
    ];
    for (const [token, path] of cases) {
      for (const verb of ['receive', 'ack', 'nack', 'extend']) {
        const reply = await web.call('POST', `${path}/${verb}`, { token, body: {} });
        expect([reply.status, reply.json.code], `${token} ${path}/${verb}`).to.deep.equal([403, 'forbidden']);
      }
    }
    for (const path of [ORDERS, `/api/sequin_streams/${orders.id}`]) {
      expect((await web.call('POST', `${path}/receive`, { token: 'orders-token' })).status).to.equal(200);
    }
  });

  it('404 for an unknown consumer and for another kind of sink', async () => {
    const { rows } = await m.db.query<{ id: string }>('select id from millrace_private.databases');
    await insertSink(m.db, { name: 'an-index', kind: 'search_index', databaseId: rows[0]!.id, lanes: 1 });
    const names = ['nobody', 'an-index', 'a%00b', '%E2%98%83', 'x'.repeat(500), '00000000-0000-0000-0000-000000000000'];
    for (const name of names) {
      for (const verb of ['receive', 'ack']) {
        const reply = await web.call('POST', `/api/http_pull_consumers/${name}/${verb}`, { body: { ack_ids: ['x'] } });
        expect([reply.status, reply.json.code], name).to.deep.equal([404, 'not_found']);
      }
    }
    expect((await web.call('POST', '/api/http_pull_consumers/a%ZZ/receive')).status).to.equal(400);
    const nothing = await web.call('GET', '/api/http_pull_consumers/orders/nothing');
    expect(nothing.json).to.deep.equal({ code: 'not_found', summary: 'There is nothing at this path' });
  });

  it('400 names each field that is wrong', async () => {
    const cases: [string, string, unknown, string[]][] = [
      ['POST', 'receive', { batch_size: 0 }, ['batch_size']],
      ['POST', 'receive', { batch_size: 1001 }, ['batch_size']],
      ['POST', 'receive', { batch_size: 1.5 }, ['batch_size']],
      ['POST', 'receive', { batch_size: '1.5' }, ['batch_size']],
      ['POST', 'receive', { batch_size: 'ten' }, ['batch_size']],
      ['POST', 'receive', { batch_size: [1] }, ['batch_size']],
      ['POST', 'receive', { max_batch_size: -1 }, ['max_batch_size']],
      ['POST', 'receive', { wait_for: -1 }, ['wait_for']],
      ['POST', 'receive', { wait_for: '5h' }, ['wait_for']],
      ['POST', 'receive', { wait_for: '' }, ['wait_for']],
      ['POST', 'receive', { wait_for: 300_001 }, ['wait_for']],
      ['POST', 'receive', { wait_for: '6m', batch_size: 'x' }, ['batch_size', 'wait_for']],
      ['POST', 'receive', [], ['body']],
      ['POST', 'receive', '{"batch_size":', ['body']],
      ['POST', 'receive', '"text"', ['body']],
      ['GET', 'receive?batch_size=', undefined, ['batch_size']],
      ['GET', 'receive?batch_size=1&batch_size=2', undefined, ['batch_size']],
      ['GET', 'receive?wait_for=x', undefined, ['wait_for']],
      ['POST', 'ack', {}, ['ack_ids']],
      ['POST', 'ack', '', ['ack_ids']],
      ['POST', 'ack', { ack_ids: [] }, ['ack_ids']],
      ['POST', 'ack', { ack_ids: 'x' }, ['ack_ids']],
      ['POST', 'ack', { ack_ids: ['x', ''] }, ['ack_ids']],
      ['POST', 'ack', { ack_ids: ['x', 1] }, ['ack_ids']],
      ['POST', 'ack', { ack_ids: Array.from({ length: 10_001 }, () => 'x') }, ['ack_ids']],
      ['POST', 'nack', { ack_ids: ['x'], delay: '13h' }, ['delay']],
      ['POST', 'extend', { ack_ids: ['x'] }, ['visibility_timeout']],
      ['POST', 'extend', { ack_ids: ['x'], visibility_timeout: 100 }, ['visibility_timeout']],
      ['POST', 'extend', {}, ['ack_ids', 'visibility_timeout']],
      ['POST', 'receive', { ack_ids: [1] }, ['ack_ids']],
    ];
    for (const [method, path, body, fields] of cases) {
      const headers = typeof body === 'string' ? { 'content-type': 'application/json' } : {};
      const reply = await web.call(method, `${ORDERS}/${path}`, { ...(body === undefined ? {} : { body }), headers });
      const label = `${path} ${JSON.stringify(body)?.slice(0, 60)}`;
      expect([reply.status, reply.json.code], label).to.deep.equal([400, 'bad_request']);
      expect(Object.keys(reply.json.validation_errors), label).to.deep.equal(fields);
    }
  });

  it('ignores fields that it does not know, nulls, and ack_ids that cannot be ours', async () => {
    expect((await receive({ consumer: 'x', batch_size: null, wait_for: null })).status).to.equal(200);
    const body = { ack_ids: ['\u0000', '\ud800', 'x'.repeat(5_000), "'; drop table x --"], extra: true };
    const reply = await web.call('POST', `${ORDERS}/ack`, { body });
    expect([reply.status, reply.json]).to.deep.equal([200, { success: true, count: 0 }]);
  });

  it('413 over 1 MB, 415 for what is not JSON, 405 for other methods', async () => {
    const large = await web.call('POST', `${ORDERS}/ack`, { body: { ack_ids: ['x'.repeat(1024 * 1024)] } });
    expect([large.status, large.json.code]).to.deep.equal([413, 'payload_too_large']);
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx']) {
      const reply = await web.call('POST', `${ORDERS}/ack`, { body: 'a=1', headers: { 'content-type': type } });
      expect([reply.status, reply.json.code], type).to.deep.equal([415, 'unsupported_media_type']);
    }
    const plus = await web.call('POST', `${ORDERS}/receive`, {
      body: '{}',
      headers: { 'content-type': 'application/vnd.api+json; charset=utf-8' },
    });
    expect(plus.status).to.equal(200);
    await appendMessages(m.db, orders.no, groups(1));
    for (const [method, verb, allow] of [
      ['PUT', 'receive', 'GET, POST'],
      ['HEAD', 'receive', 'GET, POST'],
      ['GET', 'ack', 'POST'],
      ['DELETE', 'nack', 'POST'],
    ] as const) {
      const reply = await web.call(method, `${ORDERS}/${verb}`);
      expect([reply.status, reply.headers.get('allow')], `${method} ${verb}`).to.deep.equal([405, allow]);
    }
    expect((await receive()).json.data, 'HEAD has leased nothing').to.have.lengthOf(1);
  });

  it('never answers 304 with messages, and passes a request id on', async () => {
    const headers = { 'if-none-match': '*', 'x-request-id': 'trace-1' };
    const reply = await web.call('GET', `${ORDERS}/receive`, { headers });
    expect(reply.status).to.equal(200);
    expect(reply.headers.get('etag')).to.equal(null);
    expect(reply.headers.get('x-powered-by')).to.equal(null);
    expect(reply.headers.get('x-request-id')).to.equal('trace-1');
    const other = await web.call('GET', `${ORDERS}/receive`, { headers: { 'x-request-id': 'no good id' } });
    expect(other.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/);
  });

  it('hides what went wrong inside, and logs it with the request id', async () => {
    const broken = await testWeb({
      db: m.db,
      findToken: () => Promise.reject(new Error('a secret detail')),
    });
    const reply = await broken.call('POST', `${ORDERS}/receive`);
    expect([reply.status, reply.json.code]).to.deep.equal([500, 'internal']);
    expect(reply.text).to.not.include('secret');
    const line = broken.logged.find((each) => each.level === 'error');
    expect(line?.details).to.include({ request_id: reply.headers.get('x-request-id') });
    await broken.close();
  });
});
