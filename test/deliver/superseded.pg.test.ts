/**
 * Failed messages of which a later one of their row arrives: they are not sent again, for an engine forgets the versions of deleted
 * documents; and what they should have deleted elsewhere is deleted with the later one.
 */
import { expect } from 'chai';
import type { LaneDatabase } from '../../src/deliver/behind.ts';
import type { FunctionSettings } from '../../src/model/declared.ts';
import type { BulkOperation } from '../support/engines/bulk-engine.ts';
import { makeDue } from '../support/fixtures/due.ts';
import { eachIndexLane, type IndexLane } from '../support/fixtures/index-lane.ts';

const SCHEMA =
  'create table products (id int primary key, name text, price numeric); alter table products replica identity full';
const BROKEN = { status: 500, error: { type: 'exception' } };

describe('a failed message that a later one of its row replaces', () => {
  let lane: IndexLane;
  eachIndexLane(SCHEMA, (opened) => {
    lane = opened;
    for (const index of ['w', 'x', 'y']) lane.engine.engine.createIndex(index);
  });

  /** The index of a row is its name. */
  const routing: FunctionSettings = {
    ...{ name: 'place', type: 'routing', path: null, sink_type: null },
    code: '(action, record) => ({ index_name: record.name })',
  };
  const failing = (decide: (operation: BulkOperation) => boolean): void =>
    lane.engine.fail(
      { kind: 'items', decide: (operation) => (decide(operation) ? BROKEN : undefined) },
      { times: 1_000 },
    );
  const found = (): string[] =>
    ['w', 'x', 'y'].flatMap((index) => [...lane.engine.engine.documents(index).keys()].map((id) => `${index}/${id}`));

  it('is not sent any more, when both wait and the later one is due first', async () => {
    failing(({ id }) => id === '1');
    await lane.on.source.query("insert into products values (1, 'n', 1), (2, 'n', 1)");
    await lane.on.received(lane.sinkNo, 2);
    await lane.run();
    await lane.on.source.query('delete from products where id = 1');
    await lane.on.source.query('update products set price = 2');
    await lane.on.received(lane.sinkNo, 3);
    await lane.run();
    expect((await lane.deliveryStates()).map(({ state }) => state)).to.deep.equal(['retrying', 'retrying']);
    lane.engine.fix();
    await makeDue(lane.on.messages.db, 'newest');
    await lane.run();
    lane.engine.engine.forgetDeleted();
    await lane.makeDue();
    await lane.run();
    expect(Object.keys(lane.documents())).to.deep.equal(['2']);
    expect(await lane.pending()).to.equal(0);
  });

  for (const [what, second] of [
    ['moves on', "update products set name = 'y' where id = 1"],
    ['is deleted', 'delete from products where id = 1'],
  ] as const) {
    it(`leaves no document where the row was before it moved, when the row ${what}`, async () => {
      await lane.on.source.query("insert into products values (1, 'w', 1)");
      await lane.on.received(lane.sinkNo, 1);
      await lane.run({ functions: { routing } });
      failing(({ index }) => index === 'w');
      await lane.on.source.query("update products set name = 'x' where id = 1");
      await lane.on.received(lane.sinkNo, 1);
      await lane.run({ functions: { routing } });
      expect(found()).to.deep.equal(['w/1', 'x/1']);
      await lane.on.source.query(second);
      await lane.on.received(lane.sinkNo, 2);
      await lane.run({ functions: { routing } });
      lane.engine.fix();
      await lane.makeDue();
      await lane.run({ functions: { routing } });
      expect(found()).to.deep.equal(what === 'moves on' ? ['y/1'] : []);
      expect(await lane.pending()).to.equal(0);
    });
  }

  const unlucky = (type: 'transform' | 'routing', result: string): FunctionSettings => ({
    ...{ ...routing, name: type, type },
    code: `(action, record) => { if (record.price === 13) throw new Error("unlucky"); return ${result}; }`,
  });
  for (const [what, functions] of [
    ['a transform', { routing, transform: unlucky('transform', 'record') }],
    ['the routing function', { routing: unlucky('routing', '{ index_name: record.name }') }],
  ] as const) {
    for (const [when, together] of [
      ['before', false],
      ['in the same batch', true],
    ] as const) {
      it(`leaves none where the row was before it moved, when ${what} failed on that ${when}`, async () => {
        await lane.on.source.query("insert into products values (1, 'w', 1)");
        await lane.on.received(lane.sinkNo, 1);
        await lane.run({ functions });
        await lane.on.source.query("update products set name = 'x', price = 13");
        await lane.on.received(lane.sinkNo, 1);
        if (!together) await lane.run({ functions });
        await lane.on.source.query("update products set name = 'y', price = 1");
        await lane.on.received(lane.sinkNo, 2);
        await lane.run({ functions });
        expect(found()).to.deep.equal(['y/1']);
        expect(await lane.pending()).to.equal(0);
      });
    }
  }

  it('is looked for in a message database that goes away just then, which is no fault of the destination', async () => {
    await lane.on.source.query("insert into products values (1, 'w', 1)");
    await lane.on.received(lane.sinkNo, 1);
    await lane.run({ functions: { routing } });
    failing(({ index }) => index === 'w');
    await lane.on.source.query("update products set name = 'x'");
    await lane.on.received(lane.sinkNo, 1);
    await lane.run({ functions: { routing } });
    await lane.on.source.query('update products set price = 2');
    await lane.on.received(lane.sinkNo, 2);
    const { db } = lane.on.messages;
    const away: LaneDatabase = {
      query: (asked, values) =>
        typeof asked === 'object' && asked.name === 'deliver/read-earlier'
          ? Promise.reject(Object.assign(new Error('terminating connection'), { code: '57P01' }))
          : db.query(asked, values),
      transaction: (work) => db.transaction(work),
    };
    const ended = await lane.run({ functions: { routing } }, {}, { db: away }).catch((error: Error) => error.message);
    expect(ended).to.equal('terminating connection');
    expect((await db.query('select from millrace_private.circuits')).rowCount).to.equal(0);
  });

  it('is told of, where nobody knows from which index it should have deleted the row', async () => {
    await lane.on.source.query('alter table products replica identity default');
    const byName: FunctionSettings = {
      ...routing,
      code: '(action, record) => ({ index_name: record.name.toLowerCase() })',
    };
    await lane.on.source.query("insert into products values (1, 'w', 1), (2, 'w', 1)");
    await lane.on.received(lane.sinkNo, 2);
    await lane.run({ functions: { routing: byName } });
    await lane.on.source.query('delete from products');
    await lane.on.received(lane.sinkNo, 2);
    await lane.run({ functions: { routing: byName } });
    expect(await lane.on.notices(lane.sinkNo)).to.deep.equal([]);
    await lane.on.source.query("insert into products values (1, 'y', 1)");
    await lane.on.received(lane.sinkNo, 3);
    await lane.run({ functions: { routing: byName } });
    expect(found()).to.deep.equal(['w/1', 'w/2', 'y/1']);
    const [notice] = await lane.on.notices(lane.sinkNo);
    expect(notice).to.include({ code: 'changes_left_out', table: 'public.products' });
    expect(notice!.message).to.contain('the routing function failed on the delete of a row that came back since');
  });

  it('does not wait for an index that is gone, where the row was before it moved', async () => {
    await lane.on.source.query("insert into products values (1, 'w', 1)");
    await lane.on.received(lane.sinkNo, 1);
    await lane.run({ functions: { routing } });
    lane.engine.engine.deleteIndex('w');
    await lane.on.source.query("update products set name = 'x' where id = 1");
    await lane.on.received(lane.sinkNo, 1);
    await lane.run({ functions: { routing } });
    expect(found()).to.deep.equal(['x/1']);
    expect(await lane.pending()).to.equal(0);
  });

  it('deletes nothing that a function has put elsewhere on purpose, whether in one batch or two', async () => {
    const byAction: FunctionSettings = {
      ...routing,
      code: `(action) => ({ index_name: action === 'insert' ? 'w' : 'x' })`,
    };
    await lane.on.source.query("insert into products values (1, 'n', 1)");
    await lane.on.source.query('update products set price = 2');
    await lane.on.received(lane.sinkNo, 2);
    await lane.run({ functions: { routing: byAction } });
    expect(found()).to.deep.equal(['w/1', 'x/1']);
  });

  it('leaves none where the row was that was deleted and inserted again, all in one batch', async () => {
    await lane.on.source.query("insert into products values (1, 'w', 1)");
    await lane.on.received(lane.sinkNo, 1);
    await lane.run({ functions: { routing } });
    failing(({ index }) => index === 'w');
    await lane.on.source.query("delete from products; insert into products values (1, 'x', 1)");
    await lane.on.received(lane.sinkNo, 2);
    await lane.run({ functions: { routing } });
    lane.engine.fix();
    await lane.makeDue();
    await lane.run({ functions: { routing } });
    expect(found()).to.deep.equal(['x/1']);
    expect(await lane.pending()).to.equal(0);
  });
});
