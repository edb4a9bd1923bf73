/** Random changes, random failures, retries in a random order: in the end an index has what the table has. */
import { expect } from 'chai';
import fc from 'fast-check';
import type { FunctionSet } from '../../src/transform/shape.ts';
import type { BulkOperation } from '../support/engines/bulk-engine.ts';
import { openTestSearchSink, searchDestination } from '../support/engines/search-sink.ts';
import { DUE, makeDue } from '../support/fixtures/due.ts';
import { eachIndexLane, type IndexLane } from '../support/fixtures/index-lane.ts';
import { CHANGES, LAST, make, SCHEMA, SEQUENCES } from '../support/fixtures/random-changes.ts';
import { code } from '../support/fixtures/sandbox.ts';

const INDEXES = ['products', 'w', 'x', 'y'];
/** After the last failure: of what waits behind others, one after the other is freed. */
const ROUNDS = 12;

const STEPS = fc.array(
  fc.record({
    changes: CHANGES,
    refusing: fc.subarray(INDEXES),
    refusedId: fc.constantFrom('1', '2', undefined),
    status: fc.constantFrom(400, 429, 500),
    due: fc.constantFrom(...DUE),
    retried: fc.boolean(),
    edit: fc.record({ filter: fc.nat(3), transform: fc.nat(3), routing: fc.constantFrom(0, 0, 3) }),
  }),
  { minLength: 1, maxLength: 6 },
);

type Edit = Record<'filter' | 'transform' | 'routing', number>;
const WHOLE: Edit = { filter: 0, transform: 0, routing: 0 };

const FUNCTIONS = {
  filter: code('(action, record) => action === "delete" || record.price > 0', 'filter'),
  transform: code('(action, record) => { if (record.price === 4) throw new Error("4"); return record; }', 'transform'),
  routing: code('(action, record) => ({ index_name: record.name })', 'routing'),
};

/** Where the number of an edit makes a function fail. A routing function that fails for some tells no place of theirs. */
const FAILURES = ['', 'if (action === "delete") throw 1;', 'if (record.price === 2) throw 2;', 'throw 3;'];

const edited = ({ filter, transform, routing }: Edit): FunctionSet => ({
  filter: code(`(action, record) => { ${FAILURES[filter]} return action === "delete" || record.price > 0; }`, 'filter'),
  transform: code(`(action, record) => { ${FAILURES[transform]} return record; }`, 'transform'),
  routing: code(`(action, record) => { ${FAILURES[routing]} return { index_name: record.name }; }`, 'routing'),
});

describe('an index among random failures', () => {
  let lane: IndexLane;
  eachIndexLane(SCHEMA, (opened) => {
    lane = opened;
  });

  const query = (sql: string): Promise<unknown> => lane.on.messages.db.query(sql);
  const retryParked = () => query("select millrace.retry('index', array(select id from millrace.parked_messages))");

  async function beginAnew(): Promise<void> {
    await lane.on.source.query('truncate products');
    for (const table of ['circuits', 'delivery_states', 'messages'])
      await query(`delete from millrace_private.${table}`);
    for (const index of INDEXES) {
      lane.engine.engine.deleteIndex(index);
      lane.engine.engine.createIndex(index);
    }
  }

  async function wanted(routed: boolean): Promise<string[]> {
    const sql = `select id, name, price from products where id <> ${LAST}`;
    const { rows } = await lane.on.source.query<{ id: number; name: string; price: number }>(sql);
    const kept = routed ? rows.filter(({ price }) => price > 0) : rows;
    return kept.map(({ id, name, price }) => `${routed ? name : 'products'}/${id}: ${name} ${price}`);
  }

  const found = (): string[] =>
    INDEXES.flatMap((index) =>
      [...lane.engine.engine.documents(index)]
        .filter(([id]) => id !== String(LAST))
        .map(([id, document]) => {
          const { name, price } = document as { name: string; price: number };
          return `${index}/${id}: ${name} ${price}`;
        }),
    );

  for (const [functionsAt, title] of [
    [() => ({}), 'without functions'],
    [() => FUNCTIONS, 'with functions'],
    [edited, 'with functions that are edited'],
  ] as const) {
    for (const versioning of ['external', 'none'] as const) {
      it(`has what the table has, ${title}, with versioning: ${versioning}`, async () => {
        const { db } = lane.on.messages;
        const sink = openTestSearchSink(searchDestination(lane.engine.url, { versioning }));
        const round = async (edit: Edit): Promise<void> => {
          await query('update millrace_private.circuits set probe_at = now()');
          await lane.run({ functions: functionsAt(edit), sink, maxRetryCount: 2 });
          lane.engine.engine.forgetDeleted();
        };
        const property = fc.asyncProperty(STEPS, async (steps) => {
          await beginAnew();
          for (const { changes, refusing, refusedId, status, due, retried, edit } of steps) {
            await make(lane.on, changes);
            const decide = ({ index, id }: BulkOperation) =>
              refusing.includes(index) && id !== String(LAST) && id === (refusedId ?? id)
                ? { status, error: { type: 'exception' } }
                : undefined;
            lane.engine.fix();
            lane.engine.fail({ kind: 'items', decide }, { times: 1_000 });
            if (retried) await retryParked();
            await makeDue(db, due);
            await round(edit);
          }
          lane.engine.fix();
          await lane.on.source.query('update products set price = 1 where price = 4');
          await make(lane.on, []);
          for (let i = 0; i < ROUNDS; i += 1) {
            await makeDue(db, i % 2 === 0 ? 'newest' : 'all');
            await round(WHOLE);
            await retryParked();
          }
          expect(found()).to.have.members(await wanted(title !== 'without functions'));
          expect(await lane.pending()).to.equal(0);
        });
        await fc.assert(property, { numRuns: SEQUENCES });
        await sink.close();
      });
    }
  }
});
