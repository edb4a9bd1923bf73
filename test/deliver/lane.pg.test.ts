import { expect } from 'chai';
import type { LaneDeps, LaneEnd } from '../../src/deliver/held-lane.ts';
import type { LaneSink } from '../../src/deliver/target.ts';
import type { FunctionSettings } from '../../src/model/declared.ts';
import type { Sink } from '../../src/model/sink.ts';
import { type ByteBudget, createByteBudget } from '../../src/runtime/concurrency/byte-budget.ts';
import { createLog } from '../../src/runtime/log.ts';
import { openShapedConsumer } from '../../src/sinks/pull/sink.ts';
import { openSandbox, type Sandbox } from '../../src/transform/sandbox.ts';
import { type BulkServer, type Fault, startBulkServer } from '../support/engines/bulk-server.ts';
import { openTestSearchSink, searchDestination } from '../support/engines/search-sink.ts';
import { type Captured, captured, PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { type LaneToRun, laneSink, runOnce } from '../support/fixtures/lane.ts';
import { code } from '../support/fixtures/sandbox.ts';

const SCHEMA =
  'create table products (id int primary key, name text, price numeric); alter table products replica identity full';

describe('a delivery lane', () => {
  let on: Captured;
  let engine: BulkServer;
  let sandbox: Sandbox;
  let sink: Sink;
  let sinkNo: number;
  const log = createLog({ level: 'silent', role: 'test' });

  before(() => {
    sandbox = openSandbox({ log });
  });
  after(async () => await sandbox.close());
  beforeEach(async () => {
    engine = await startBulkServer({ indexes: ['products'] });
    on = await captured(SCHEMA);
    sinkNo = await on.addSink(sinkSettings({ name: 'index', destination: SEARCH }));
    await on.messages.db.query('update millrace_private.sinks set lanes = 1');
    await on.messages.db.query('select millrace_private.publish_catalog()');
    sink = openTestSearchSink(searchDestination(engine.url));
    on.start();
    await on.streaming();
  });
  afterEach(async () => {
    await sink.close();
    await on.close();
    await engine.close();
  });

  const target = (more: Partial<LaneSink> = {}): LaneSink =>
    laneSink({ no: sinkNo, sink, replaces: true, deleteOnLeave: true, tested: false, ...more });

  /** One short run of the lane: until nothing is left to do now. */
  const run = async (
    more: Partial<LaneSink> = {},
    as: Omit<LaneToRun, 'target'> = {},
    deps: Partial<LaneDeps> = {},
  ): Promise<LaneEnd> => {
    return await runOnce({ db: on.messages.db, sandbox, ...deps }, { target: target(more), ...as });
  };

  const deliveryStates = async () =>
    (
      await on.messages.db.query<{ record_pk: string; state: string; attempts: number; error: string | null }>(
        `select record_pk, state, attempts, error from millrace.pending_messages where state <> 'waiting'
         union all select record_pk, state, attempts, error from millrace.parked_messages order by 1`,
      )
    ).rows;
  const pending = async () => (await on.messages.db.query('select from millrace_private.messages')).rowCount;
  const makeDue = () =>
    on.messages.db.query('update millrace_private.delivery_states set due_at = now() where due_at is not null');
  const documents = () => Object.fromEntries(engine.engine.documents('products'));

  it('makes the index equal the table, and leaves nothing behind', async () => {
    await on.source.query("insert into products select i, 'n' || i, i from generate_series(1, 300) i");
    await on.source.query('delete from products where id > 3; update products set id = 10 where id = 3');
    await on.received(sinkNo, 599);
    await run();
    expect(documents()).to.deep.equal({
      1: { id: 1, name: 'n1', price: 1 },
      2: { id: 2, name: 'n2', price: 2 },
      10: { id: 10, name: 'n3', price: 3 },
    });
    expect(await pending()).to.equal(0);
    expect(engine.strays()).to.deep.equal([]);
  });

  it('delivers in parts what functions make of a batch, within the budget of the worker', async () => {
    const total = 16 * 1024 * 1024;
    const budget = createByteBudget(total);
    let most = 0;
    const watched: ByteBudget = {
      take: async (...asked) => {
        const share = await budget.take(...asked);
        if (!share) return undefined;
        return {
          ...share,
          resize(bytes) {
            share.resize(bytes);
            most = Math.max(most, budget.used);
          },
        };
      },
      get used() {
        return budget.used;
      },
    };
    await on.source.query('insert into products select id, $1, 1 from generate_series(1, 20) id', ['n']);
    await on.received(sinkNo, 20);
    // The seventh is larger than one message may be; of the others no two fit into a read's room.
    const grow = code('(a, r) => ({ id: r.id, is: "x".repeat(r.id === 7 ? 15_000_000 : 4_000_000) })');
    // How long a function may take is no matter of this test: on a busy machine such an answer takes its time.
    const patient = openSandbox({ log, limits: { messageMs: 5_000, silenceMs: 20_000 } });
    try {
      await run({ functions: { transform: grow } }, { budget: watched }, { sandbox: patient });
    } finally {
      await patient.close();
    }
    const sizes = Object.entries(documents()).map(([id, document]) => [id, JSON.stringify(document).length]);
    const expected = Array.from({ length: 20 }, (_item, n) => [
      String(n + 1),
      4_000_000 + `{"id":${n + 1},"is":""}`.length,
    ]);
    expect(sizes).to.deep.equal(expected.filter(([id]) => id !== '7'));
    const { rows } = await on.messages.db.query('select record_pk, error from millrace.parked_messages');
    expect(rows).to.deep.equal([
      {
        record_pk: '7',
        error:
          'my-transform: The function returned more than 4 MB of JSON; a transform for a search index must return an object, the document',
      },
    ]);
    expect(most).to.be.below(total / 2);
    expect(budget.used).to.equal(0);
  });

  it('gives functions all that they look at, in the first batch and in later ones', async () => {
    const fn = (text: string): FunctionSettings => ({
      name: 'f',
      type: 'transform',
      sink_type: null,
      code: text,
      path: null,
    });
    const little = { transform: fn('(action, record) => ({ is: [action, record.name].join(" ") })') };
    const all = { transform: fn('(a, r, c, m) => ({ is: [a, m.table_name, c && c.name].join(" ") })') };
    for (const [id, functions] of [little, little, all, all].entries()) {
      await on.source.query(`insert into products values (${id}, 'n', 1)`);
      await on.source.query(`update products set name = 'm' where id = ${id}`);
      await on.received(sinkNo, 2);
      await run({ functions });
    }
    expect(sandbox.reads(little, { replaces: true, sinkNo })).to.equal(2);
    expect(sandbox.reads(all, { replaces: true, sinkNo })).to.equal(4);
    expect(documents()).to.deep.equal({
      0: { is: 'update m' },
      1: { is: 'update m' },
      2: { is: 'update products n' },
      3: { is: 'update products n' },
    });
  });

  it('parks the one document that the engine refuses, with its words, and delivers the others', async () => {
    engine.fail({
      kind: 'items',
      decide: ({ id }) =>
        id === '2'
          ? { status: 400, error: { type: 'mapper_parsing_exception', reason: 'failed to parse' } }
          : undefined,
    });
    await on.source.query("insert into products select i, 'n', i from generate_series(1, 3) i");
    await on.received(sinkNo, 3);
    await run();
    expect(Object.keys(documents())).to.deep.equal(['1', '3']);
    const [parked] = await deliveryStates();
    expect(parked).to.include({ record_pk: '2', state: 'parked', attempts: 1 });
    expect(parked!.error).to.contain('mapper_parsing_exception').and.contain('failed to parse');
    await on.messages.db.query("select millrace.retry('index', array(select id from millrace.parked_messages))");
    await run();
    expect(Object.keys(documents())).to.deep.equal(['1', '2', '3']);
    expect(await pending()).to.equal(0);
  });

  it('lets a later document of the row replace a parked one', async () => {
    engine.fail({ kind: 'items', decide: () => ({ status: 400, error: { type: 'mapper_parsing_exception' } }) });
    await on.source.query("insert into products values (1, 'bad', 1)");
    await on.received(sinkNo, 1);
    await run();
    expect((await deliveryStates())[0]).to.include({ state: 'parked' });
    await on.source.query("update products set name = 'good'");
    await on.received(sinkNo, 2);
    await run();
    expect(documents()).to.deep.equal({ 1: { id: 1, name: 'good', price: 1 } });
    expect(await pending()).to.equal(0);
  });

  it('backs off from a busy engine, counts the tries, and parks beyond max_retry_count', async () => {
    engine.fail(
      {
        kind: 'items',
        decide: ({ id }) =>
          id === '1' ? { status: 429, error: { type: 'es_rejected_execution_exception' } } : undefined,
      },
      { times: 9 },
    );
    await on.source.query("insert into products values (1, 'n', 1), (2, 'n', 2), (3, 'n', 3)");
    await on.received(sinkNo, 3);
    const end = await run({ maxRetryCount: 1 });
    expect(end.again).to.be.instanceOf(Date);
    expect((await deliveryStates())[0]).to.include({ state: 'retrying', attempts: 1 });
    await makeDue();
    await on.source.query("insert into products values (4, 'n', 4)");
    await on.received(sinkNo, 2);
    await run({ maxRetryCount: 1 });
    expect((await deliveryStates())[0]).to.include({ state: 'parked', attempts: 2 });
  });

  const status = async () =>
    (
      await on.messages.db.query<{
        health: string;
        error: string | null;
        retrying: number;
        failing_since: Date | null;
      }>('select health, error, retrying, failing_since from millrace.sink_status')
    ).rows[0]!;

  for (const [fault, health, shown] of [
    [{ kind: 'status', status: 503, text: 'no room' }, 'overloaded', 'no room'],
    [{ kind: 'status', status: 429, text: 'slower' }, 'overloaded', 'slower'],
    [{ kind: 'items', decide: () => ({ status: 429, error: { type: 'rejected' } }) }, 'overloaded', 'rejected'],
    [{ kind: 'status', status: 204, text: '' }, 'bad_destination', 'HTTP 204'],
    [{ kind: 'text', text: '<html>welcome</html>' }, 'bad_destination', 'welcome'],
    [{ kind: 'short' }, 'bad_destination', '"items"'],
    [{ kind: 'close' }, 'unreachable', ''],
  ] as [Fault, string, string][]) {
    const what = fault.kind === 'status' ? fault.status : fault.kind;
    it(`_bulk that is answered with ${what} throughout is the sink's failure, and no message is touched`, async () => {
      engine.fail(fault, { times: 1_000 });
      await on.source.query("insert into products select i, 'n', i from generate_series(1, 500) i");
      await on.received(sinkNo, 500);
      const shared = { target: target() };
      let since: Date | null = null;
      for (let i = 0; i < 3; i += 1) {
        const end = await run(shared.target);
        expect(end.again).to.be.instanceOf(Date);
        const seen = await status();
        expect(seen).to.include({ health, retrying: 0 });
        expect(seen.error).to.contain(shown);
        // The engine answers the probe, and takes nothing all the same: it has failed since then.
        since ??= seen.failing_since;
        expect(seen.failing_since).to.deep.equal(since);
        await on.messages.db.query('update millrace_private.circuits set probe_at = now()');
      }
      expect((await on.messages.db.query('select from millrace_private.delivery_states')).rowCount).to.equal(0);
      expect(engine.bulks().length).to.be.lessThan(8);
      engine.fix();
      await run(shared.target);
      expect(Object.keys(documents()).length).to.equal(500);
      expect(await status()).to.include({ health: 'ok', error: null });
      expect(await pending()).to.equal(0);
    });
  }

  it('settles whatever an engine says: U+0000, half a pair, an emoji across the cut', async () => {
    const reasons = ['a\u0000b', '\ud83d', `${'x'.repeat(3_900)}${'🙂'.repeat(300)}`, 'x'.repeat(10_000_000)];
    engine.fail({
      kind: 'items',
      decide: ({ id }) => {
        const reason = reasons[Number(id)];
        if (reason === undefined) return undefined;
        return { status: 400, error: Number(id) % 2 === 0 ? reason : { type: 'x', reason } };
      },
    });
    await on.source.query("insert into products select i, 'n', i from generate_series(0, 4) i");
    await on.received(sinkNo, 5);
    await run();
    expect((await deliveryStates()).map(({ state }) => state)).to.deep.equal(Array(4).fill('parked'));
    expect(Object.keys(documents())).to.deep.equal(['4']);
    engine.fail({ kind: 'status', status: 503, text: `${'x'.repeat(3_999)}🙂\u0000\ud83d` });
    await on.source.query("insert into products values (7, 'n', 1)");
    await on.received(sinkNo, 5);
    await run();
    expect(await status()).to.include({ health: 'overloaded' });
  });

  it('parks the message for whose value settling is refused, and settles the others', async () => {
    await on.messages.db.query(`
      create function millrace_private.refuse() returns trigger language plpgsql as $$
      begin
        if new.error = 'bad 3' then raise exception 'not this one: "3"' using errcode = '22P05'; end if;
        return new;
      end $$`);
    await on.messages.db.query(
      'create trigger refuse before insert on millrace_private.delivery_states for each row execute function millrace_private.refuse()',
    );
    engine.fail(
      {
        kind: 'items',
        decide: ({ id }) => (id === '3' || id === '5' ? { status: 400, error: `bad ${id}` } : undefined),
      },
      { times: 20 },
    );
    await on.source.query("insert into products select i, 'n', i from generate_series(1, 9) i");
    await on.received(sinkNo, 9);
    await run();
    const found = (await deliveryStates()).map(({ record_pk, state, error }) => [record_pk, state, error]);
    expect(found).to.deep.equal([
      ['3', 'parked', '22P05: not this one'],
      ['5', 'parked', 'bad 5'],
    ]);
    expect(Object.keys(documents()).length).to.equal(7);
  });

  it('opens a circuit when the index is missing: everything waits, untouched, and the reason is seen', async () => {
    engine.engine.deleteIndex('products');
    await on.source.query("insert into products select i, 'n', i from generate_series(1, 3) i");
    await on.received(sinkNo, 3);
    const end = await run();
    expect(end.again).to.be.instanceOf(Date);
    const { rows } = await on.messages.db.query<{ health: string; error: string; pending: number }>(
      'select health, error, pending from millrace.sink_status',
    );
    expect(rows[0]).to.include({ health: 'index_missing', pending: 3 });
    expect(rows[0]!.error).to.contain('index_not_found_exception');
    const seen = await on.messages.db.query<{ error: string; attempts: number }>(
      'select error, attempts from millrace.pending_messages',
    );
    for (const row of seen.rows) expect(row).to.deep.equal({ error: rows[0]!.error, attempts: 0 });

    engine.engine.createIndex('products');
    expect((await run()).again, 'not before its time').to.be.instanceOf(Date);
    expect(documents()).to.deep.equal({});
    await on.messages.db.query('update millrace_private.circuits set probe_at = now()');
    await run();
    expect(Object.keys(documents())).to.deep.equal(['1', '2', '3']);
    expect((await on.messages.db.query('select from millrace_private.circuits')).rowCount).to.equal(0);
  });

  it('sends again what it had sent when it dies before settling, and the index is the same', async () => {
    await on.source.query("insert into products values (1, 'n', 1)");
    await on.received(sinkNo, 1);
    await on.messages.db.query(
      "create function millrace_private.fail_once() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$",
    );
    await on.messages.db.query(
      'create trigger killed before insert on millrace_private.cursor_log execute function millrace_private.fail_once()',
    );
    await run();
    expect(await pending()).to.equal(1);
    await on.messages.db.query(
      'drop trigger killed on millrace_private.cursor_log; delete from millrace_private.circuits',
    );
    await run();
    expect(engine.bulks()).to.have.length(2);
    expect(documents()).to.deep.equal({ 1: { id: 1, name: 'n', price: 1 } });
    expect(await pending()).to.equal(0);
  });

  it('asks before it sends for the first time, so that an engine creates no index by itself', async () => {
    engine.engine.deleteIndex('products');
    engine.engine.autoCreate = true;
    await on.source.query("insert into products values (1, 'n', 1)");
    await on.received(sinkNo, 1);
    await run();
    expect(engine.bulks()).to.deep.equal([]);
    const { rows } = await on.messages.db.query<{ health: string }>('select health from millrace.sink_status');
    expect(rows[0]!.health).to.equal('index_missing');
  });

  it('has one owner: a second finds it taken, a stalled one settles nothing', async () => {
    await on.source.query("insert into products values (1, 'n', 1)");
    await on.received(sinkNo, 1);
    await on.messages.db.query("select millrace_private.take_lane($1, 0, 'other', interval '1 minute')", [sinkNo]);
    expect(await run()).to.deep.equal({ taken: false, again: undefined });
    let stolen = false;
    const slow: Sink = {
      ...sink,
      batchSize: 10,
      batchBytes: 1000,
      async send(batch, signal) {
        const result = await sink.send(batch, signal);
        await on.messages.db.query(
          "update millrace_private.lanes set owner = 'other', until = now() + interval '1 minute' where sink_no = $1",
          [sinkNo],
        );
        stolen = true;
        return result;
      },
    };
    await on.messages.db.query('update millrace_private.lanes set owner = null, until = null');
    await run({ sink: slow });
    expect(stolen).to.equal(true);
    expect(await pending()).to.equal(1);
  });

  const fn = (type: FunctionSettings['type'], code: string): FunctionSettings => ({
    name: `my-${type}`,
    type,
    code,
    path: null,
    sink_type: null,
  });

  it("shapes with the user's functions, and parks what they fail on, with the place", async () => {
    await on.source.query("insert into products values (1, 'a', 1.10), (2, null, 2), (3, 'c', 12345678901234567890)");
    await on.received(sinkNo, 3);
    await run({
      functions: {
        transform: fn('transform', '(action, record) => ({ label: record.name.toUpperCase(),\n price: record.price })'),
      },
    });
    expect(engine.bulks()[0]!.body)
      .to.contain('{"label":"A","price":1.10}')
      .and.contain('"price":12345678901234567890}');
    const [parked] = await deliveryStates();
    expect(parked).to.include({ record_pk: '2', state: 'parked' });
    expect(parked!.error).to.contain('my-transform').and.contain('line 1');
  });

  it('tries once more after a timeout, then parks', async () => {
    await on.source.query("insert into products values (1, 'a', 1)");
    await on.received(sinkNo, 1);
    const transform = fn('transform', '() => { for (;;); }');
    await run({ functions: { transform } });
    expect((await deliveryStates())[0]).to.include({ state: 'retrying', attempts: 1 });
    await makeDue();
    await run({ functions: { transform } });
    expect((await deliveryStates())[0]).to.include({ state: 'parked', attempts: 2 });
  });

  it('deletes from the index what an update takes out of a filter function, and follows a route that changes', async () => {
    engine.engine.createIndex('cheap');
    const routing = fn('routing', "(action, record) => ({ index_name: record.price < 10 ? 'cheap' : 'products' })");
    const filter = fn('filter', "(action, record) => record.name !== 'hidden'");
    await on.source.query("insert into products values (1, 'a', 5), (2, 'b', 50)");
    await on.received(sinkNo, 2);
    await run({ functions: { routing, filter } });
    expect([...engine.engine.documents('cheap').keys(), ...engine.engine.documents('products').keys()]).to.deep.equal([
      '1',
      '2',
    ]);
    await on.source.query(
      "update products set price = 60 where id = 1; update products set name = 'hidden' where id = 2",
    );
    await on.received(sinkNo, 2);
    await run({ functions: { routing, filter } });
    expect([...engine.engine.documents('cheap').keys()]).to.deep.equal([]);
    expect(documents()).to.deep.equal({ 1: { id: 1, name: 'a', price: 60 } });
  });

  it('shows an index that is missing and that a function routes to; the others go on', async () => {
    const routing = fn('routing', "(action, record) => ({ index_name: record.price < 10 ? 'nowhere' : 'products' })");
    await on.source.query("insert into products select i, 'n', i from generate_series(8, 12) i");
    await on.received(sinkNo, 5);
    await run({ functions: { routing } });
    expect(Object.keys(documents())).to.deep.equal(['10', '11', '12']);
    const seen = await status();
    expect(seen).to.include({ health: 'routed_index_failing', retrying: 2 });
    expect(seen.error).to.contain('nowhere').and.contain('index_not_found_exception');
    engine.engine.createIndex('nowhere');
    await makeDue();
    await sink.close();
    sink = openTestSearchSink(searchDestination(engine.url));
    await run({ functions: { routing } });
    expect(await status()).to.include({ health: 'ok', error: null });
    expect(await pending()).to.equal(0);
  });

  it('parks a message that is routed to half a surrogate pair, and no other', async () => {
    const routing = fn('routing', "(action, record) => ({ index_name: record.id === 2 ? '\\ud83d' : 'products' })");
    await on.source.query("insert into products select i, 'n', i from generate_series(1, 3) i");
    await on.received(sinkNo, 3);
    await run({ functions: { routing } });
    expect(Object.keys(documents())).to.deep.equal(['1', '3']);
    expect((await deliveryStates()).map(({ record_pk, state }) => [record_pk, state])).to.deep.equal([['2', 'parked']]);
    expect(await status()).to.include({ health: 'ok' });
  });

  it('shapes the messages of a pull consumer, so that receive hands out finished ones', async () => {
    const transform = fn('transform', '(action, record) => ({ name: record.name.trim() })');
    const filter = fn('filter', '(action) => action !== "delete"');
    const consumer = await on.addSink(
      sinkSettings({ name: 'shaped', destination: PULL, transform: 'my-transform', filter: 'my-filter' }),
    );
    await on.source.query(
      "insert into products values (1, ' a ', 1), (2, null, 2), (3, ' c ', 3); delete from products where id = 3",
    );
    await on.received(consumer, 4);
    const shape = (by: FunctionSettings) =>
      run(
        {
          no: consumer,
          name: 'shaped',
          sink: openShapedConsumer({ sinkNo: consumer, transformed: true }),
          functions: { transform: by, filter },
          replaces: false,
          shapes: true,
        },
        { lane: 1 },
      );
    await shape(transform);
    const receive = async () =>
      (await on.messages.db.query<{ ack_id: string; message: unknown }>("select * from millrace.receive('shaped', 10)"))
        .rows;
    const first = await receive();
    expect(first.map((row) => row.message)).to.deep.equal([{ name: 'a' }, { name: 'c' }]);
    await on.messages.db.query("select millrace.ack('shaped', $1::text[])", [first.map((row) => row.ack_id)]);
    expect(await deliveryStates()).to.have.length(1);

    // Fixed and retried, it is handed out although the consumer has passed its place.
    const fixed = fn('transform', '(action, record) => ({ name: (record.name ?? "none").trim() })');
    await on.messages.db.query("select millrace.retry('shaped', array(select id from millrace.parked_messages))");
    await shape(fixed);
    expect((await receive()).map((row) => row.message)).to.deep.equal([{ name: 'none' }]);
  });
});
