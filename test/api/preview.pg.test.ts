/** A preview over HTTP, of a lane that delivers: nothing is kept before somebody looks, and no digit of a row is lost. */
import { expect } from 'chai';
import type { LaneSink } from '../../src/deliver/target.ts';
import { trim } from '../../src/messages/trim.ts';
import type { Outcome, Sink } from '../../src/model/sink.ts';
import { createLog } from '../../src/runtime/log.ts';
import { openSandbox, type Sandbox } from '../../src/transform/sandbox.ts';
import { appendMessages } from '../support/fixtures/fixtures.ts';
import { laneSink, runOnce } from '../support/fixtures/lane.ts';
import { code } from '../support/fixtures/sandbox.ts';
import type { Reply } from '../support/processes/web.ts';
import { type Managed, managed } from './support.ts';

/** Digits that no double has, and what jsonb refuses. */
const RECORD = '{"id":9223372036854775807,"price":12345678901234567890.1200,"note":"a \\u0000 b"}';

describe('api: the preview of a sink', () => {
  let all: Managed;
  let sandbox: Sandbox;
  let target: LaneSink;
  let answer: Outcome;
  before(async () => {
    all = await managed();
    sandbox = openSandbox({ log: createLog({ level: 'silent', role: 'test' }) });
    const sink: Sink = {
      ...{ batchSize: 100, batchBytes: 1_000_000, close: () => Promise.resolve() },
      test: () => Promise.resolve(undefined),
      send: (batch) => Promise.resolve({ outcomes: batch.map(() => answer) }),
    };
    target = laneSink({ no: await all.noOf('products'), sink, replaces: true });
  });
  beforeEach(async () => {
    answer = { kind: 'done' };
    await all.m.db.query('delete from millrace_private.recent_messages');
  });
  after(async () => {
    await sandbox?.close();
    await all?.close();
  });

  const get = async (query = '', sink = 'products'): Promise<Reply> =>
    await all.web.call('GET', `/api/sinks/${sink}/preview${query}`, { token: 'data-token' });
  const start = async (body?: object, sink = 'products', token = 'data-token'): Promise<Reply> =>
    await all.web.call('POST', `/api/sinks/${sink}/preview`, { token, body });
  /** As if a second had passed. */
  const deliver = async (records: readonly string[], more: Partial<LaneSink> = {}): Promise<void> => {
    await all.m.db.query("update millrace_private.recent_messages set at = at - interval '2 s'");
    await appendMessages(
      all.m.db,
      target.no,
      records.map((record) => ({ record })),
    );
    await runOnce({ db: all.m.db, sandbox }, { target: { ...target, sampledAt: 0, ...more } });
  };
  const stop = (): Promise<unknown> => all.m.db.query('delete from millrace_private.previews');

  it('keeps nothing before somebody looks, nor when the time is over', async () => {
    await deliver([RECORD]);
    expect((await get()).json).to.deep.equal({ until: null, data: [], next_cursor: null });
    const { until } = (await start({ seconds: 60 })).json;
    expect(Date.parse(until) - Date.now()).to.be.within(20_000, 100_000);
    await deliver([RECORD]);
    expect((await get()).json.data).to.have.length(1);
    await all.m.db.query("update millrace_private.previews set until = now() - interval '1 s'");
    await deliver([RECORD]);
    const late = (await get()).json;
    expect([late.until, late.data.length]).to.deep.equal([null, 1]);
    await stop();
  });

  it('shows one of a batch with its steps, every digit as it was', async () => {
    await start();
    const transform = code('(action, record) => ({ id: record.id, price: record.price })');
    await deliver([RECORD, RECORD], { functions: { transform } });
    const { text, json } = await get();
    expect(json.data).to.have.length(1);
    expect(text).to.include(`"message":{"record":${RECORD},"changes":null,"action":"insert","metadata":{`);
    expect(text).to.include(
      '"deliveries":[{"action":"insert","body":{"id":9223372036854775807,"price":12345678901234567890.1200}}]',
    );
    const [{ steps, ...message }] = json.data;
    expect(message).to.include({ action: 'insert', table_schema: 'public', table_name: 'orders' });
    expect(steps.shaped.kept).to.equal(true);
    expect(steps.settled.took_ms).to.be.at.least(0);
    expect(steps.answer).to.deep.equal({ outcome: 'done', stage: null, status: null, type: null, text: null });
    expect((await get(`?after=${message.id}`)).json.data).to.deep.equal([]);
    await stop();
  });

  it('shows what failed: by a function, by a filter, by the destination', async () => {
    await start();
    await deliver([RECORD], { functions: { transform: code('(action, record) => record.a.b') } });
    await deliver([RECORD], { functions: { filter: code('() => false', 'filter') } });
    answer = { kind: 'park', error: 'no', answer: { status: 400, type: 'mapping' } };
    await deliver([RECORD]);
    const [sent, dropped, broken] = (await get()).json.data.map(({ steps }: { steps: object }) => steps);
    expect(sent.shaped).to.equal(null);
    expect(sent.answer).to.deep.equal({ outcome: 'park', stage: 'send', status: 400, type: 'mapping', text: 'no' });
    expect(dropped)
      .to.deep.include({ sent: null })
      .and.nested.include({ 'shaped.kept': false, 'answer.outcome': 'done' });
    expect(broken.sent).to.equal(null);
    expect(broken.answer)
      .to.include({ outcome: 'park', stage: 'shape' })
      .and.property('text')
      .to.match(/^my-transform: TypeError/);
    await stop();
  });

  it('keeps one a second, the last 50, and no text of more than 32 KB', async () => {
    await start();
    await deliver([RECORD]);
    await appendMessages(all.m.db, target.no, [{}]);
    await runOnce({ db: all.m.db, sandbox }, { target: { ...target, sampledAt: 0 } });
    expect((await get()).json.data).to.have.length(1);
    for (let more = 0; more < 51; more += 1) await deliver(['{"id":1}']);
    expect((await get()).json.data).to.have.length(50);
    await deliver([`{"id":"${'x'.repeat(40_000)}"}`]);
    const [{ steps }] = (await get()).json.data;
    expect([steps.captured.message, steps.sent.deliveries]).to.deep.equal([null, [{ action: 'insert', body: null }]]);
    expect(steps.captured.size).to.be.greaterThan(40_000);
    await stop();
  });

  it('leaves nothing an hour after the last look', async () => {
    await start();
    await deliver([RECORD]);
    const signal = new AbortController().signal;
    const log = { warn: (fields: object) => expect.fail(JSON.stringify(fields)) };
    const left = async (ended: string): Promise<number> => {
      await all.m.db.query('update millrace_private.previews set until = now() - $1::interval', [ended]);
      await trim({ db: all.m.db, log }, { signal });
      return (await get()).json.data.length;
    };
    expect([await left('59 min'), await left('61 min')]).to.deep.equal([1, 0]);
    await stop();
  });

  it('is where functions are tried on what was recent', async () => {
    await start();
    await deliver([RECORD]);
    const body = { type: 'path', path: 'record', on: { recent: 'products' } };
    const { text } = await all.web.call('POST', '/api/functions/run', { body });
    expect(text).to.include(`"ok":true,"result":${RECORD},`);
    await stop();
  });

  it('shows the newest message of a consumer that has no lane', async () => {
    const no = await all.noOf('orders');
    const [id] = await appendMessages(all.m.db, no, [{ record: RECORD }]);
    expect((await get('', 'orders')).json.data).to.deep.equal([]);
    const { text, json } = await start({}, 'orders');
    expect(text).to.include(`"record":${RECORD}`);
    expect(json.data[0]).to.include({ message_id: id }).and.nested.include({ 'steps.answer.outcome': 'waiting' });
    expect((await get('', 'orders')).json.data).to.have.length(1);
    await stop();
  });

  it('is started in the audit log once, and by those who may read rows', async () => {
    const { rows } = await all.m.db.query<{ subject: string }>(
      "select subject from millrace_private.audit_log where action = 'preview' order by id desc limit 1",
    );
    expect(rows[0]!.subject).to.equal('sink orders');
    const count = async (): Promise<unknown> =>
      (await all.m.db.query("select count(*) as n from millrace_private.audit_log where action = 'preview'")).rows[0];
    await start();
    const once = await count();
    await start();
    expect(await count()).to.deep.equal(once);
    expect((await start({}, 'products', 'operate-token')).status).to.equal(403);
    expect((await start({ seconds: 601 })).json.validation_errors).to.have.property('seconds');
    expect((await start({}, 'history')).status).to.equal(404);
    await stop();
  });
});
