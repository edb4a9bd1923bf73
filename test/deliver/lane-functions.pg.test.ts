import { expect } from 'chai';
import type { FunctionSettings } from '../../src/model/declared.ts';
import { openShapedConsumer } from '../../src/sinks/pull/sink.ts';
import { openTestSearchSink, searchDestination } from '../support/engines/search-sink.ts';
import { PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { eachIndexLane, type IndexLane } from '../support/fixtures/index-lane.ts';

const SCHEMA =
  'create table products (id int primary key, name text, price numeric); alter table products replica identity full';

describe('a delivery lane with functions', () => {
  let lane: IndexLane;
  eachIndexLane(SCHEMA, (opened) => {
    lane = opened;
  });

  const fn = (type: FunctionSettings['type'], code: string): FunctionSettings => ({
    name: `my-${type}`,
    type,
    code,
    path: null,
    sink_type: null,
  });

  it("shapes with the user's functions, and parks what they fail on, with the place", async () => {
    await lane.on.source.query(
      "insert into products values (1, 'a', 1.10), (2, null, 2), (3, 'c', 12345678901234567890)",
    );
    await lane.on.received(lane.sinkNo, 3);
    await lane.run({
      functions: {
        transform: fn('transform', '(action, record) => ({ label: record.name.toUpperCase(),\n price: record.price })'),
      },
    });
    expect(lane.engine.bulks()[0]!.body)
      .to.contain('{"label":"A","price":1.10}')
      .and.contain('"price":12345678901234567890}');
    const [parked] = await lane.deliveryStates();
    expect(parked).to.include({ record_pk: '2', state: 'parked' });
    expect(parked!.error).to.contain('my-transform').and.contain('line 1');
  });

  it('tries once more after a timeout, then parks', async () => {
    await lane.on.source.query("insert into products values (1, 'a', 1)");
    await lane.on.received(lane.sinkNo, 1);
    const transform = fn('transform', '() => { for (;;); }');
    await lane.run({ functions: { transform } });
    expect((await lane.deliveryStates())[0]).to.include({ state: 'retrying', attempts: 1 });
    await lane.makeDue();
    await lane.run({ functions: { transform } });
    expect((await lane.deliveryStates())[0]).to.include({ state: 'parked', attempts: 2 });
  });

  it('tries once more after a timeout, also what the engine did not take before', async () => {
    lane.engine.fail({
      kind: 'items',
      decide: ({ id }) => (id === '1' ? { status: 503, error: { type: 'unavailable_shards_exception' } } : undefined),
    });
    await lane.on.source.query("insert into products values (1, 'a', 1), (2, 'b', 2)");
    await lane.on.received(lane.sinkNo, 2);
    await lane.run();
    const transform = fn('transform', '() => { for (;;); }');
    for (const state of ['retrying', 'parked']) {
      await lane.makeDue();
      await lane.run({ functions: { transform } });
      expect((await lane.deliveryStates())[0]).to.include({ record_pk: '1', state });
    }
  });

  it('deletes from the index what an update takes out of a filter function, and follows a route that changes', async () => {
    lane.engine.engine.createIndex('cheap');
    const routing = fn('routing', "(action, record) => ({ index_name: record.price < 10 ? 'cheap' : 'products' })");
    const filter = fn('filter', "(action, record) => record.name !== 'hidden'");
    await lane.on.source.query("insert into products values (1, 'a', 5), (2, 'b', 50)");
    await lane.on.received(lane.sinkNo, 2);
    await lane.run({ functions: { routing, filter } });
    expect([
      ...lane.engine.engine.documents('cheap').keys(),
      ...lane.engine.engine.documents('products').keys(),
    ]).to.deep.equal(['1', '2']);
    await lane.on.source.query(
      "update products set price = 60 where id = 1; update products set name = 'hidden' where id = 2",
    );
    await lane.on.received(lane.sinkNo, 2);
    await lane.run({ functions: { routing, filter } });
    expect([...lane.engine.engine.documents('cheap').keys()]).to.deep.equal([]);
    expect(lane.documents()).to.deep.equal({ 1: { id: 1, name: 'a', price: 60 } });
  });

  it('sends again what failed, though what came after it of the row is filtered out and sends nothing', async () => {
    const functions = { filter: fn('filter', "(action, record) => record.name !== 'hidden'") };
    await lane.on.source.query("insert into products values (1, 'a', 1), (2, 'b', 2)");
    await lane.on.received(lane.sinkNo, 2);
    await lane.run({ functions });
    lane.engine.fail({
      kind: 'items',
      decide: ({ id }) => (id === '1' ? { status: 503, error: { type: 'unavailable_shards_exception' } } : undefined),
    });
    await lane.on.source.query("delete from products where id = 1; insert into products values (3, 'c', 3)");
    await lane.on.received(lane.sinkNo, 2);
    await lane.run({ functions });
    expect((await lane.deliveryStates())[0]).to.include({ record_pk: '1', state: 'retrying' });
    await lane.on.source.query("insert into products values (1, 'hidden', 1)");
    await lane.on.received(lane.sinkNo, 2);
    await lane.run({ functions });
    await lane.makeDue();
    await lane.run({ functions });
    expect(Object.keys(lane.documents())).to.deep.equal(['2', '3']);
    expect(await lane.pending()).to.equal(0);
  });

  it('shows an index that is missing and that a function routes to; the others go on', async () => {
    const routing = fn('routing', "(action, record) => ({ index_name: record.price < 10 ? 'nowhere' : 'products' })");
    await lane.on.source.query("insert into products select i, 'n', i from generate_series(8, 12) i");
    await lane.on.received(lane.sinkNo, 5);
    await lane.run({ functions: { routing } });
    expect(Object.keys(lane.documents())).to.deep.equal(['10', '11', '12']);
    const seen = await lane.status();
    expect(seen).to.include({ health: 'routed_index_failing', retrying: 2 });
    expect(seen.error).to.contain('nowhere').and.contain('index_not_found_exception');
    lane.engine.engine.createIndex('nowhere');
    await lane.makeDue();
    // It is told of indexes that are there now and then alone.
    const other = openTestSearchSink(searchDestination(lane.engine.url));
    await lane.run({ functions: { routing }, sink: other });
    await other.close();
    expect(await lane.status()).to.include({ health: 'ok', error: null });
    expect(await lane.pending()).to.equal(0);
  });

  it('parks a message that is routed to half a surrogate pair, and no other', async () => {
    const routing = fn('routing', "(action, record) => ({ index_name: record.id === 2 ? '\\ud83d' : 'products' })");
    await lane.on.source.query("insert into products select i, 'n', i from generate_series(1, 3) i");
    await lane.on.received(lane.sinkNo, 3);
    await lane.run({ functions: { routing } });
    expect(Object.keys(lane.documents())).to.deep.equal(['1', '3']);
    expect((await lane.deliveryStates()).map(({ record_pk, state }) => [record_pk, state])).to.deep.equal([
      ['2', 'parked'],
    ]);
    expect(await lane.status()).to.include({ health: 'ok' });
  });

  it('shapes the messages of a pull consumer, so that receive hands out finished ones', async () => {
    const transform = fn('transform', '(action, record) => ({ name: record.name.trim() })');
    const filter = fn('filter', '(action) => action !== "delete"');
    const consumer = await lane.on.addSink(
      sinkSettings({ name: 'shaped', destination: PULL, transform: 'my-transform', filter: 'my-filter' }),
    );
    await lane.on.source.query(
      "insert into products values (1, ' a ', 1), (2, null, 2), (3, ' c ', 3); delete from products where id = 3",
    );
    await lane.on.received(consumer, 4);
    const shape = (by: FunctionSettings) =>
      lane.run(
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
      (
        await lane.on.messages.db.query<{ ack_id: string; message: unknown }>(
          "select * from millrace.receive('shaped', 10)",
        )
      ).rows;
    const first = await receive();
    expect(first.map((row) => row.message)).to.deep.equal([{ name: 'a' }, { name: 'c' }]);
    await lane.on.messages.db.query("select millrace.ack('shaped', $1::text[])", [first.map((row) => row.ack_id)]);
    expect(await lane.deliveryStates()).to.have.length(1);

    // Fixed and retried, it is handed out although the consumer has passed its place.
    const fixed = fn('transform', '(action, record) => ({ name: (record.name ?? "none").trim() })');
    await lane.on.messages.db.query("select millrace.retry('shaped', array(select id from millrace.parked_messages))");
    await shape(fixed);
    expect((await receive()).map((row) => row.message)).to.deep.equal([{ name: 'none' }]);
  });
});
