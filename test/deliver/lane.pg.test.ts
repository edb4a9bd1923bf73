import { expect } from 'chai';
import { createHeartbeat } from '../../src/deliver/heartbeat.ts';
import type { FunctionSettings } from '../../src/model/declared.ts';
import type { Sink } from '../../src/model/sink.ts';
import { type ByteBudget, createByteBudget, type Share } from '../../src/runtime/concurrency/byte-budget.ts';
import { createSignal } from '../../src/runtime/concurrency/signal.ts';
import { createLog } from '../../src/runtime/log.ts';
import { openSandbox, type Sandbox } from '../../src/transform/sandbox.ts';
import { eachIndexLane, type IndexLane } from '../support/fixtures/index-lane.ts';
import { code } from '../support/fixtures/sandbox.ts';
import { until } from '../support/until.ts';

const SCHEMA =
  'create table products (id int primary key, name text, price numeric); alter table products replica identity full';
const log = createLog({ level: 'silent', role: 'test' });

describe('a delivery lane', () => {
  let sandbox: Sandbox;
  let lane: IndexLane;
  eachIndexLane(SCHEMA, (opened, its) => {
    lane = opened;
    sandbox = its;
  });

  it('makes the index equal the table, and leaves nothing behind', async () => {
    await lane.on.source.query("insert into products select i, 'n' || i, i from generate_series(1, 300) i");
    await lane.on.source.query('delete from products where id > 3; update products set id = 10 where id = 3');
    await lane.on.received(lane.sinkNo, 599);
    await lane.run();
    expect(lane.documents()).to.deep.equal({
      1: { id: 1, name: 'n1', price: 1 },
      2: { id: 2, name: 'n2', price: 2 },
      10: { id: 10, name: 'n3', price: 3 },
    });
    expect(await lane.pending()).to.equal(0);
    expect(lane.engine.strays()).to.deep.equal([]);
  });

  it('delivers in parts what functions make of a batch, within the budget of the worker', async () => {
    const total = 16 * 1024 * 1024;
    const budget = createByteBudget(total);
    let most = 0;
    const watch = (share: Share | undefined): Share | undefined =>
      share && {
        ...share,
        resize(bytes) {
          share.resize(bytes);
          most = Math.max(most, budget.used);
        },
      };
    const watched: ByteBudget = {
      take: async (...asked) => watch(await budget.take(...asked)),
      tryTake: (...asked) => watch(budget.tryTake(...asked)),
      get used() {
        return budget.used;
      },
    };
    await lane.on.source.query('insert into products select id, $1, 1 from generate_series(1, 20) id', ['n']);
    await lane.on.received(lane.sinkNo, 20);
    // The seventh is larger than one message may be; of the others no two fit into a read's room.
    const grow = code('(a, r) => ({ id: r.id, is: "x".repeat(r.id === 7 ? 15_000_000 : 4_000_000) })');
    // How long a function may take is no matter of this test: on a busy machine such an answer takes its time.
    const patient = openSandbox({ log, limits: { messageMs: 60_000, silenceMs: 120_000 } });
    try {
      await lane.run({ functions: { transform: grow } }, { budget: watched }, { sandbox: patient });
    } finally {
      await patient.close();
    }
    const sizes = Object.entries(lane.documents()).map(([id, document]) => [id, JSON.stringify(document).length]);
    const expected = Array.from({ length: 20 }, (_item, n) => [
      String(n + 1),
      4_000_000 + `{"id":${n + 1},"is":""}`.length,
    ]);
    expect(sizes).to.deep.equal(expected.filter(([id]) => id !== '7'));
    const { rows } = await lane.on.messages.db.query('select record_pk, error from millrace.parked_messages');
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
      await lane.on.source.query(`insert into products values (${id}, 'n', 1)`);
      await lane.on.source.query(`update products set name = 'm' where id = ${id}`);
      await lane.on.received(lane.sinkNo, 2);
      await lane.run({ functions });
    }
    expect(sandbox.reads(little, { replaces: true, sinkNo: lane.sinkNo })).to.equal(2);
    expect(sandbox.reads(all, { replaces: true, sinkNo: lane.sinkNo })).to.equal(4);
    expect(lane.documents()).to.deep.equal({
      0: { is: 'update m' },
      1: { is: 'update m' },
      2: { is: 'update products n' },
      3: { is: 'update products n' },
    });
  });

  it('parks the one document that the engine refuses, with its words, and delivers the others', async () => {
    lane.engine.fail({
      kind: 'items',
      decide: ({ id }) =>
        id === '2'
          ? { status: 400, error: { type: 'mapper_parsing_exception', reason: 'failed to parse' } }
          : undefined,
    });
    await lane.on.source.query("insert into products select i, 'n', i from generate_series(1, 3) i");
    await lane.on.received(lane.sinkNo, 3);
    await lane.run();
    expect(Object.keys(lane.documents())).to.deep.equal(['1', '3']);
    const [parked] = await lane.deliveryStates();
    expect(parked).to.include({ record_pk: '2', state: 'parked', attempts: 1 });
    expect(parked!.error).to.contain('mapper_parsing_exception').and.contain('failed to parse');
    await lane.on.messages.db.query("select millrace.retry('index', array(select id from millrace.parked_messages))");
    await lane.run();
    expect(Object.keys(lane.documents())).to.deep.equal(['1', '2', '3']);
    expect(await lane.pending()).to.equal(0);
  });

  it('lets a later document of the row replace a parked one', async () => {
    lane.engine.fail({ kind: 'items', decide: () => ({ status: 400, error: { type: 'mapper_parsing_exception' } }) });
    await lane.on.source.query("insert into products values (1, 'bad', 1)");
    await lane.on.received(lane.sinkNo, 1);
    await lane.run();
    expect((await lane.deliveryStates())[0]).to.include({ state: 'parked' });
    await lane.on.source.query("update products set name = 'good'");
    await lane.on.received(lane.sinkNo, 2);
    await lane.run();
    expect(lane.documents()).to.deep.equal({ 1: { id: 1, name: 'good', price: 1 } });
    expect(await lane.pending()).to.equal(0);
  });

  it('sends again what it had sent when it dies before settling, and the index is the same', async () => {
    await lane.on.source.query("insert into products values (1, 'n', 1)");
    await lane.on.received(lane.sinkNo, 1);
    await lane.on.messages.db.query(
      "create function millrace_private.fail_once() returns trigger language plpgsql as $$ begin raise exception 'killed'; end $$",
    );
    await lane.on.messages.db.query(
      'create trigger killed before insert on millrace_private.cursor_log execute function millrace_private.fail_once()',
    );
    await lane.run();
    expect(await lane.pending()).to.equal(1);
    await lane.on.messages.db.query(
      'drop trigger killed on millrace_private.cursor_log; delete from millrace_private.circuits',
    );
    await lane.run();
    expect(lane.engine.bulks()).to.have.length(2);
    expect(lane.documents()).to.deep.equal({ 1: { id: 1, name: 'n', price: 1 } });
    expect(await lane.pending()).to.equal(0);
  });

  it('asks before it sends for the first time, so that an engine creates no index by itself', async () => {
    lane.engine.engine.deleteIndex('products');
    lane.engine.engine.autoCreate = true;
    await lane.on.source.query("insert into products values (1, 'n', 1)");
    await lane.on.received(lane.sinkNo, 1);
    await lane.run();
    expect(lane.engine.bulks()).to.deep.equal([]);
    const { rows } = await lane.on.messages.db.query<{ health: string }>('select health from millrace.sink_status');
    expect(rows[0]!.health).to.equal('index_missing');
  });

  it('looks at its state now and then when it is woken for nothing, not each time', async () => {
    const asked = new Map<string, number>();
    const { db } = lane.on.messages;
    const counting: typeof db = {
      ...db,
      query: async (statement, values) => {
        const result = await db.query<never>(statement, values);
        if (typeof statement === 'object') asked.set(statement.name, (asked.get(statement.name) ?? 0) + 1);
        return result;
      },
    };
    const reads = (): number => asked.get('deliver/read-together') ?? 0;
    const looks = (): number => asked.get('deliver/read-cursor') ?? 0;
    let now = performance.now();
    const news = createSignal();
    const run = lane.run(
      {},
      { news, lingerMs: 1_000 },
      { db: counting, heartbeat: createHeartbeat(db, { clock: () => now }) },
    );
    const wake = async (): Promise<void> => {
      const before = reads();
      news.raise();
      await until('it has read', async () => reads() > before);
    };
    await until('it has read', async () => reads() > 0);
    for (let times = 0; times < 20; times += 1) await wake();
    expect(looks()).to.equal(1);
    now += 100;
    await wake();
    await until('it looks at its state', async () => looks() === 2);
    now += 2_000;
    await wake();
    expect((await run).taken).to.equal(true);
  });

  it('has one owner: a second finds it taken, a stalled one settles nothing', async () => {
    await lane.on.source.query("insert into products values (1, 'n', 1)");
    await lane.on.received(lane.sinkNo, 1);
    await lane.on.messages.db.query("select millrace_private.take_lane($1, 0, 'other', interval '1 minute')", [
      lane.sinkNo,
    ]);
    expect(await lane.run()).to.deep.equal({ taken: false, again: undefined });
    let stolen = false;
    const slow: Sink = {
      ...lane.sink,
      batchSize: 10,
      batchBytes: 1000,
      async send(batch, signal) {
        const result = await lane.sink.send(batch, signal);
        await lane.on.messages.db.query(
          "update millrace_private.lanes set owner = 'other', until = now() + interval '1 minute' where sink_no = $1",
          [lane.sinkNo],
        );
        stolen = true;
        return result;
      },
    };
    await lane.on.messages.db.query('update millrace_private.lanes set owner = null, until = null');
    await lane.run({ sink: slow });
    expect(stolen).to.equal(true);
    expect(await lane.pending()).to.equal(1);
  });
});
