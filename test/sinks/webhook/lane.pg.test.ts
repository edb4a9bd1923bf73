/** From a change in a table to the endpoint: captured, delivered by a lane, settled. */
import { expect } from 'chai';
import type { LaneEnd } from '../../../src/deliver/held-lane.ts';
import type { LaneSink } from '../../../src/deliver/target.ts';
import type { Sink } from '../../../src/model/sink.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { openSandbox, type Sandbox } from '../../../src/transform/sandbox.ts';
import { type Captured, captured, sinkSettings } from '../../support/fixtures/captured.ts';
import { laneSink, runOnce } from '../../support/fixtures/lane.ts';
import { code } from '../../support/fixtures/sandbox.ts';
import { type Endpoint, startEndpoint } from '../../support/webhook/endpoint.ts';
import { type OpenOptions, openTestWebhookSink, webhookDestination } from '../../support/webhook/sink.ts';

const SCHEMA = 'create table orders (id int primary key, note text); alter table orders replica identity full';

interface Message {
  record: { id: number; note: string };
  changes: object | null;
  action: string;
  metadata: { table_name: string; idempotency_key: string; consumer: { name: string } };
}

describe('the lane of a webhook', () => {
  let on: Captured;
  let endpoint: Endpoint;
  let sandbox: Sandbox;
  let sink: Sink;
  let sinkNo: number;
  const log = createLog({ level: 'silent', role: 'test' });

  before(() => {
    sandbox = openSandbox({ log });
  });
  after(async () => await sandbox.close());
  beforeEach(async () => {
    endpoint = await startEndpoint();
    on = await captured(SCHEMA);
    const destination = webhookDestination(endpoint.url);
    sinkNo = await on.addSink(sinkSettings({ name: 'hook', destination, filter_leave: 'keep' }));
    sink = openTestWebhookSink(destination);
    on.start();
    await on.streaming();
  });
  afterEach(async () => {
    await sink.close();
    await on.close();
    await endpoint.close();
  });

  /** One short run of the lane: until nothing is left to do now. */
  const run = async (more: Partial<LaneSink> = {}): Promise<LaneEnd> =>
    await runOnce(
      { db: on.messages.db, sandbox },
      { target: laneSink({ no: sinkNo, name: 'hook', sink, tested: false, ...more }) },
    );
  const reopen = async (changed: object, options: OpenOptions = {}): Promise<void> => {
    await sink.close();
    sink = openTestWebhookSink(webhookDestination(endpoint.url, changed), options);
  };
  const change = async (sql: string, count: number): Promise<void> => {
    await on.source.query(sql);
    await on.received(sinkNo, count);
  };
  const makeDue = () =>
    on.messages.db.query('update millrace_private.delivery_states set due_at = now() where due_at is not null');
  const pending = async (): Promise<string[]> => {
    const { rows } = await on.messages.db.query<{ record_pk: string; action: string; state: string; attempts: number }>(
      'select record_pk, action, state, attempts from millrace.pending_messages order by id',
    );
    return rows.map(({ record_pk, action, state, attempts }) => `${record_pk} ${action} ${state} ${attempts}`);
  };
  const notesOf = (id: number): string[] =>
    endpoint.taken
      .map(({ body }): Message => JSON.parse(body))
      .filter(({ record }) => record.id === id)
      .map(({ record, action }) => (action === 'delete' ? 'gone' : record.note));
  const fails = (condition: (message: Message) => boolean, status: number): void => {
    endpoint.answer = ({ body }) => (condition(JSON.parse(body)) ? { status, text: `no ${status}` } : undefined);
  };

  it('sends each message once, as a pull consumer would receive it, and leaves nothing behind', async () => {
    await change("insert into orders select i, 'n' || i from generate_series(1, 50) i", 50);
    await change("update orders set note = 'second' where id = 1; delete from orders where id = 1", 52);
    await run();
    expect(await pending()).to.deep.equal([]);
    expect(endpoint.requests).to.have.length(52);
    expect(notesOf(1)).to.deep.equal(['n1', 'second', 'gone']);
    const messages = endpoint.taken.map(({ body }): Message => JSON.parse(body));
    const updated = messages.find(({ action }) => action === 'update')!;
    expect(updated).to.deep.include({ record: { id: 1, note: 'second' }, changes: { note: 'n1' } });
    expect(updated.metadata).to.include({ table_name: 'orders' });
    expect(updated.metadata.consumer).to.include({ name: 'hook' });
    expect(endpoint.taken.map(({ headers }) => headers['webhook-id'])).to.deep.equal(
      messages.map(({ metadata }) => metadata.idempotency_key),
    );
  });

  it('keeps back what follows a message that is to be retried, and sends it in order afterwards', async () => {
    await change("insert into orders values (1, 'a'), (2, 'b'); update orders set note = note || '2'", 4);
    fails(({ record }) => record.note === 'a', 500);
    await run();
    expect(await pending()).to.deep.equal(['1 insert retrying 1', '1 update held 0']);
    expect(notesOf(2)).to.deep.equal(['b', 'b2']);
    await change("update orders set note = note || '3'", 4);
    await run();
    expect(await pending()).to.deep.equal(['1 insert retrying 1', '1 update held 0', '1 update held 0']);
    endpoint.answer = () => undefined;
    await makeDue();
    await run();
    expect(await pending()).to.deep.equal([]);
    expect(notesOf(1)).to.deep.equal(['a', 'a2', 'a23']);
    expect(notesOf(2)).to.deep.equal(['b', 'b2', 'b23']);
  });

  it('a changed key waits for what came before under the old key, and holds back what comes under the new one', async () => {
    await change(
      "insert into orders values (1, 'a'); update orders set id = 2, note = 'b'; update orders set note = 'c'",
      3,
    );
    fails(({ record }) => record.note === 'a', 500);
    await run();
    expect(await pending()).to.deep.equal(['1 insert retrying 1', '2 update held 0', '2 update held 0']);
    await change("insert into orders values (1, 'new'); update orders set note = 'd' where id = 2", 5);
    await run();
    expect((await pending()).map((line) => line.split(' ')[2])).to.deep.equal(['retrying', ...Array(4).fill('held')]);
    expect(endpoint.taken).to.deep.equal([]);
    fails(({ record }) => record.note === 'b', 500);
    await makeDue();
    await run();
    expect((await pending()).map((line) => line.split(' ')[2])).to.deep.equal(['retrying', 'held', 'held', 'held']);
    endpoint.answer = () => undefined;
    await makeDue();
    await run();
    expect(await pending()).to.deep.equal([]);
    const notes = endpoint.taken.map(({ body }): string => JSON.parse(body).record.note);
    expect(notes.slice(0, 2)).to.deep.equal(['a', 'b']);
    expect(notes.filter((note) => 'abcd'.includes(note))).to.deep.equal(['a', 'b', 'c', 'd']);
    expect(notes).to.include('new');
  });

  it('a changed key that waits holds back at once what comes under the new one', async () => {
    await change("insert into orders values (1, 'a'), (3, 'x')", 2);
    fails(({ record }) => record.note === 'a', 500);
    await run();
    await change("update orders set id = 2, note = 'b' where id = 1; update orders set note = 'c' where id = 2", 3);
    await run();
    expect(await pending()).to.deep.equal(['1 insert retrying 1', '2 update held 0', '2 update held 0']);
    endpoint.answer = () => undefined;
    await makeDue();
    await run();
    expect([...notesOf(1), ...notesOf(2)]).to.deep.equal(['a', 'b', 'c']);
    expect(await pending()).to.deep.equal([]);
  });

  it('what is due does not overtake what failed just before it, however few are read at once', async () => {
    await change("insert into orders values (1, '0')", 1);
    for (let round = 1; round <= 30; round += 1) await change(`update orders set note = '${round}'`, 1 + round);
    fails(({ record }) => record.note === '0', 500);
    await run();
    expect((await pending()).map((line) => line.split(' ')[2])).to.deep.equal(['retrying', ...Array(30).fill('held')]);
    // A call that gets to a few messages only reads few the next time.
    let nowMs = 0;
    await reopen({}, { now: () => nowMs, beginMs: 1 });
    let failures = 0;
    endpoint.answer = ({ records }) => {
      nowMs += 1;
      const { note } = records[0] as { note: string };
      return Number(note) % 3 === 2 && failures++ % 2 === 0 ? { status: 500 } : undefined;
    };
    for (let left = 31; left > 0; ) {
      await makeDue();
      await run();
      left = (await pending()).length;
    }
    expect(notesOf(1)).to.deep.equal(Array.from({ length: 31 }, (_, i) => String(i)));
  });

  it('keeps back what follows a message on which a function took too long', async () => {
    const loops = '(action, record) => { while (record.note === "a"); return { record, action }; }';
    await change("insert into orders values (1, 'a'), (2, 'a'); update orders set note = 'b'", 4);
    await change("update orders set id = 3, note = 'c' where id = 1; update orders set note = 'd' where id = 3", 6);
    await reopen({}, { transformed: true });
    await run({ functions: { transform: code(loops) } });
    expect(await pending()).to.deep.equal([
      ...['1 insert retrying 1', '2 insert retrying 1', '1 update held 0', '2 update held 0'],
      ...['3 update held 0', '3 update held 0'],
    ]);
    expect(endpoint.taken).to.deep.equal([]);
    await makeDue();
    await run({ functions: { transform: code('(action, record) => ({ record, action })') } });
    expect(notesOf(1)).to.deep.equal(['a', 'b']);
    expect(notesOf(2)).to.deep.equal(['a', 'b']);
    expect(notesOf(3)).to.deep.equal(['c', 'd']);
    expect(await pending()).to.deep.equal([]);
  });

  it('parks what is refused for good, with the answer, and its row goes on', async () => {
    await change("insert into orders values (1, 'a'); update orders set note = 'b'; update orders set note = 'c'", 3);
    fails(({ record }) => record.note === 'b', 422);
    await run();
    expect(notesOf(1)).to.deep.equal(['a', 'c']);
    const { rows } = await on.messages.db.query('select record_pk, stage, error from millrace.parked_messages');
    expect(rows).to.deep.equal([{ record_pk: '1', stage: 'send', error: 'HTTP 422: no 422' }]);
    expect(await pending()).to.deep.equal([]);
  });

  it('parks after max_retry_count redeliveries, and the row goes on', async () => {
    await change("insert into orders values (1, 'a'); update orders set note = 'b'", 2);
    fails(({ record }) => record.note === 'a', 500);
    await run({ maxRetryCount: 1 });
    await makeDue();
    await run({ maxRetryCount: 1 });
    expect(notesOf(1)).to.deep.equal(['b']);
    expect((await on.messages.db.query('select attempts from millrace.parked_messages')).rows).to.deep.equal([
      { attempts: 2 },
    ]);
  });

  it('an endpoint that refuses on the way opens the circuit: what was taken is settled, the rest is untouched', async () => {
    await reopen({ parallel: 1 });
    await change("insert into orders select i, 'n' from generate_series(1, 9) i", 9);
    endpoint.answer = ({ records }) => (Number(records[0]!.id) > 4 ? { status: 401, text: 'who are you?' } : undefined);
    await run();
    expect((await pending()).map((line) => line.split(' ')[0])).to.deep.equal(['5', '6', '7', '8', '9']);
    const { rows } = await on.messages.db.query('select health, error from millrace.sink_status');
    expect(rows).to.deep.equal([{ health: 'auth_failed', error: rows[0]!.error }]);
    expect(rows[0]!.error).to.match(/^HTTP 401: who are you\?; correct encrypted_headers/);
    endpoint.answer = () => undefined;
    await on.messages.db.query('update millrace_private.circuits set probe_at = now()');
    await run();
    expect(await pending()).to.deep.equal([]);
    expect(endpoint.taken).to.have.length(9);
  });

  it('410 pauses it with a notice; resumed, it is tried anew and the notice goes', async () => {
    await change("insert into orders values (1, 'a')", 1);
    fails(() => true, 410);
    expect(await run()).to.deep.equal({ taken: true, again: undefined });
    const status = async () =>
      (
        await on.messages.db.query<{ status: string; notices: { code: string; message: string }[] | null }>(
          'select status, notices from millrace.sink_status',
        )
      ).rows[0]!;
    const paused = await status();
    expect(paused.status).to.equal('paused');
    const [notice] = paused.notices!.filter(({ code }) => code === 'destination_gone');
    expect(notice?.message).to.contain('HTTP 410: no 410');
    expect(await pending()).to.deep.equal(['1 insert waiting 0']);
    endpoint.answer = () => undefined;
    await on.messages.db.query("select millrace.resume('hook')");
    await run();
    expect(await pending()).to.deep.equal([]);
    expect((await status()).notices ?? []).to.deep.equal([]);
  });

  it('a slow endpoint gets each message once, and what it took is settled on the way', async () => {
    let nowMs = 0;
    await reopen({ parallel: 2 }, { now: () => nowMs, beginMs: 20 });
    endpoint.answer = () => {
      nowMs += 5;
      return undefined;
    };
    await change("insert into orders select i, '' from generate_series(1, 5) i", 5);
    for (let round = 1; round <= 8; round += 1) {
      await change(`update orders set note = note || '${round}'`, 5 + 5 * round);
    }
    await run();
    expect(await pending()).to.deep.equal([]);
    expect(endpoint.requests).to.have.length(45);
    for (let id = 1; id <= 5; id += 1) {
      expect(notesOf(id)).to.deep.equal(['', '1', '12', '123', '1234', '12345', '123456', '1234567', '12345678']);
    }
  });

  it('sends what functions make of messages, in batches', async () => {
    await reopen({ batch: true, batch_size: 3 }, { transformed: true });
    const functions = {
      filter: code('(action, record) => record.id !== 2', 'filter'),
      transform: code('(action, record) => ({ is: record.id, action })'),
    };
    await change("insert into orders select i, 'n' from generate_series(1, 5) i", 5);
    await change('delete from orders where id = 5', 6);
    await run({ functions });
    expect(endpoint.taken.flatMap(({ body }) => JSON.parse(body).data)).to.have.deep.members([
      ...[1, 3, 4, 5].map((is) => ({ is, action: 'insert' })),
      { is: 5, action: 'delete' },
    ]);
    expect(await pending()).to.deep.equal([]);
  });
});
