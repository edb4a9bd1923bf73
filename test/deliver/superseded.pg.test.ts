/**
 * Failed messages of which a later one of their row arrives: they are not sent again, for an engine forgets the versions of deleted
 * documents; and what they should have deleted elsewhere is deleted with the later one.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import type { FunctionSettings } from '../../src/model/declared.ts';
import { createLog } from '../../src/runtime/log.ts';
import { openSandbox, type Sandbox } from '../../src/transform/sandbox.ts';
import type { BulkOperation } from '../support/engines/bulk-engine.ts';
import { type IndexLane, openIndexLane } from '../support/fixtures/index-lane.ts';

const SCHEMA =
  'create table products (id int primary key, name text, price numeric); alter table products replica identity full';
const log = createLog({ level: 'silent', role: 'test' });
const BROKEN = { status: 500, error: { type: 'exception' } };

describe('a failed message that a later one of its row replaces', () => {
  let sandbox: Sandbox;
  let lane: IndexLane;

  before(() => {
    sandbox = openSandbox({ log });
  });
  after(async () => await sandbox.close());
  beforeEach(async () => {
    lane = await openIndexLane(SCHEMA, sandbox);
    for (const index of ['w', 'x', 'y']) lane.engine.engine.createIndex(index);
  });
  afterEach(async () => await lane.close());

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

  const makeDue = async (which: 'all' | 'newest' | 'oldest' | 'none'): Promise<void> => {
    const ids = { all: 'id', newest: 'max(id) over ()', oldest: 'min(id) over ()', none: 'null::bigint' }[which];
    await lane.on.messages.db.query(
      `update millrace_private.delivery_states s
          set due_at = case when s.id = d.due then now() else now() + interval '1 hour' end
         from (select sink_no, id, ${ids} as due from millrace_private.delivery_states where due_at is not null) d
        where s.sink_no = d.sink_no and s.id = d.id`,
    );
  };

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
    await makeDue('newest');
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

  it('ends where the row is, whatever fails meanwhile', async () => {
    const index = fc.constantFrom('w', 'x', 'y');
    const step = fc.record({
      // Where the row goes; null: it is deleted, or not inserted.
      to: fc.option(index, { freq: 4 }),
      /** What fails meanwhile. */
      refuses: fc.subarray(['w', 'x', 'y']),
      /** What is due when: all, or a message that comes as late as its number says. */
      due: fc.constantFrom('all', 'newest', 'oldest', 'none'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), async (steps) => {
        for (const { to, refuses, due } of steps) {
          const sql =
            to === null
              ? 'delete from products where id = 1'
              : `insert into products values (1, '${to}', 1) on conflict (id) do update set name = excluded.name`;
          const before = await lane.pending();
          const { rowCount } = await lane.on.source.query(sql);
          await lane.on.received(lane.sinkNo, before + (rowCount ?? 0));
          lane.engine.fix();
          failing((operation) => refuses.includes(operation.index));
          await makeDue(due);
          await lane.run({ functions: { routing } });
        }
        lane.engine.fix();
        lane.engine.engine.forgetDeleted();
        await makeDue('newest');
        await lane.run({ functions: { routing } });
        lane.engine.engine.forgetDeleted();
        await makeDue('all');
        await lane.run({ functions: { routing } });
        const { rows } = await lane.on.source.query<{ name: string }>('select name from products');
        expect(found()).to.deep.equal(rows.map(({ name }) => `${name}/1`));
        expect(await lane.pending()).to.equal(0);
      }),
      { numRuns: 12 },
    );
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
