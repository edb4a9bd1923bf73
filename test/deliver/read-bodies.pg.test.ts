/** Messages that come together are what they are one by one. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type Database, openPool } from '../../src/db/pool.ts';
import { readBodies } from '../../src/deliver/read-bodies.ts';
import type { LaneRow } from '../../src/deliver/row.ts';
import { addPushSink, appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';

const MB = 1024 * 1024;

describe('bodies that a lane reads', () => {
  let messages: MessageDatabase;
  let db: Database;
  let asked = 0;
  before(async () => {
    messages = await messageDatabase();
    const queue = openPool({ address: messages.url, max: 1, applicationName: 'test', path: 'role', queue: true });
    db = {
      ...queue,
      query: async (statement, values) => {
        asked += 1;
        return await queue.query<never>(statement, values);
      },
    };
  });
  after(async () => {
    await db.close();
    await messages.drop();
  });
  beforeEach(() => {
    asked = 0;
  });

  let made = 0;
  const sink = async (): Promise<number> =>
    (await addPushSink(messages.db, { name: `index-${++made}`, kind: 'search_index' })).no;
  const read = (no: number, cursor: number, { rows = 1_000, bytes = MB, hasStates = false } = {}) =>
    readBodies(db, [no, 0, cursor, rows, bytes], { hasStates });
  /** More rows have their time where they come together. */
  const timeless = (rows: LaneRow[]) => rows.map(({ committed_ms, ...row }) => row);

  it('are the same together and apart, up to the same one', async () => {
    const no = await sink();
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.string({ minLength: 20_000, maxLength: 50_000 }),
    );
    const message = fc.record({
      action: fc.constantFrom('insert' as const, 'update' as const, 'delete' as const, 'read' as const),
      recordPks: fc.array(fc.string({ unit: 'binary', maxLength: 10 }), { maxLength: 3 }),
      record: text.map((value) => JSON.stringify({ value: value.replaceAll('\0', '') })),
      isPartial: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(message, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 80 }),
        fc.constantFrom(1, 10_000, 100_000, 8 * MB),
        async (given, rows, bytes) => {
          await messages.db.query('delete from millrace_private.messages');
          const sound = given.map((one) => ({
            ...one,
            recordPks: one.recordPks.map((key) => key.replaceAll('\0', '')),
          }));
          const ids = await appendMessages(messages.db, no, sound);
          const partial = ids.filter((_, place) => given[place]!.isPartial);
          await messages.db.query(
            `update millrace_private.messages set unchanged_toast = '["value"]' where id = any ($1::bigint[])`,
            [partial],
          );
          const together = await read(no, ids[0]! - 1, { rows, bytes });
          const apart = await read(no, ids[0]! - 1, { rows, bytes, hasStates: true });
          expect(timeless(together)).to.deep.equal(timeless(apart));
          expect(together.map(({ record }) => record)).to.deep.equal(
            sound.slice(0, together.length).map(({ record }) => record),
          );
          expect(together.filter((row) => row.partial).map((row) => row.id)).to.deep.equal(
            partial.filter((id) => id <= together.at(-1)!.id),
          );
        },
      ),
      { numRuns: 25 },
    );
  });

  it('come in one statement, with a time for the last one and for one in 32', async () => {
    const no = await sink();
    const ids = await appendMessages(
      messages.db,
      no,
      Array.from({ length: 300 }, () => ({})),
    );
    const rows = await read(no, ids[0]! - 1);
    expect(asked).to.equal(1);
    expect(rows.map(({ id }) => id)).to.deep.equal(ids);
    const timed = rows.filter(({ committed_ms }) => committed_ms !== null);
    expect(timed.map(({ id }) => id)).to.deep.equal(ids.filter((id, place) => id % 32 === 0 || place === 299));
    for (const { committed_ms } of timed) expect(committed_ms).to.equal(Date.UTC(2026, 10, 21, 8) + 123.456);
    expect(await read(no, ids.at(-1)!)).to.deep.equal([]);
    expect(asked).to.equal(2);
  });

  it('are read one by one when a message of the sink has a state, and what that means is told', async () => {
    const no = await sink();
    const ids = await appendMessages(
      messages.db,
      no,
      Array.from({ length: 3 }, () => ({ group: 7 })),
    );
    await parkOnArrival(messages.db, no, [ids[1]!]);
    for (const hasStates of [false, true]) {
      asked = 0;
      const rows = await read(no, ids[0]! - 1, { hasStates });
      expect(rows.map(({ state, behind }) => [state, behind])).to.deep.equal([
        [null, false],
        ['parked', false],
        [null, true],
      ]);
      expect(asked).to.equal(hasStates ? 1 : 2);
    }
    const other = await sink();
    await appendMessages(messages.db, other, [{}]);
    asked = 0;
    expect(await read(other, 0)).to.have.length(1);
    expect(asked).to.equal(1);
  });
});
