/** A lane that is the only one of its sink reads what follows while a batch is on its way. */
import { expect } from 'chai';
import type { LaneDatabase } from '../../src/deliver/behind.ts';
import type { Delivery, Outcome, SendResult, Sink } from '../../src/model/sink.ts';
import { createByteBudget } from '../../src/runtime/concurrency/byte-budget.ts';
import { addPushSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { laneSink, runOnce } from '../support/fixtures/lane.ts';
import { DONE, nextName } from '../support/fixtures/scripted-lane.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { until } from '../support/until.ts';

const READ = 'deliver/read-new';
const FAILS: Outcome = { kind: 'retry', error: 'busy' };
const noFunctions = {
  ...{ check: async () => undefined, reads: () => 4, mostLength: 1, close: async () => undefined },
  shape: async () => [],
};

describe('a lane that reads ahead', () => {
  let m: MessageDatabase;
  let no: number;
  let ids: number[];
  /** What happened, in order: reads that ended, and batches that were begun and answered. */
  let events: string[];
  let sent: number[];
  const budget = createByteBudget(64 * 1024 * 1024);

  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());
  beforeEach(async () => {
    ({ no } = await addPushSink(m.db, { name: nextName(), kind: 'change_table' }));
    // Of each thousand, each is of the group of one in the first.
    ids = await appendMessages(
      m.db,
      no,
      Array.from({ length: 3_500 }, (_, n) => ({ group: 1 + (n % 1_000) })),
    );
    events = [];
    sent = [];
  });

  const run = async (answer: (batch: readonly Delivery[]) => Promise<SendResult> | SendResult): Promise<void> => {
    const db: LaneDatabase = {
      transaction: (work) => m.db.transaction(work),
      async query(statement, values) {
        const result = await m.db.query(statement, values);
        if (typeof statement === 'object' && statement.name === READ) events.push(`read ${result.rows.length}`);
        return result as never;
      },
    };
    const sink: Sink = {
      ...{ batchSize: 1_000, batchBytes: 1e9, test: async () => undefined, close: async () => undefined },
      async send(batch) {
        events.push(`send ${batch.length}`);
        sent.push(...batch.map(({ id }) => id));
        const result = await answer(batch);
        events.push('answered');
        return result;
      },
    };
    await runOnce({ db, sandbox: noFunctions }, { target: laneSink({ no, sink, readsAhead: true }), budget });
  };
  const done = (batch: readonly Delivery[]): SendResult => ({ outcomes: batch.map(() => DONE) });
  const left = async (): Promise<number[]> => {
    const sql = 'select id from millrace_private.messages where sink_no = $1 order by id';
    return (await m.db.query<{ id: number }>(sql, [no])).rows.map(({ id }) => id);
  };
  const readOf = (count: number): Promise<unknown> =>
    until('what follows is read', () => events.filter((one) => one.startsWith('read')).length >= count);

  // How fast the destination is, is known when it has answered once.
  const FIRST = ['read 1000', 'send 1000', 'answered', 'read 1000', 'send 1000', 'read 1000', 'answered'];

  it('has read it when the batch is answered, and reads none of it again', async () => {
    let batches = 0;
    await run(async (batch) => {
      batches += 1;
      if (batches === 2 || batches === 3) await readOf(batches + 1);
      return done(batch);
    });
    expect(sent).to.deep.equal(ids);
    expect(await left()).to.deep.equal([]);
    expect(events.slice(0, 11)).to.deep.equal([...FIRST, 'send 1000', 'read 500', 'answered', 'send 500']);
    expect(budget.used).to.equal(0);
  });

  it('sends nothing of a group behind a message that failed meanwhile, though it was read before', async () => {
    const failing = ids[1_007]!;
    await run(async (batch) => {
      if (batch[0]!.id === ids[1_000]) await readOf(3);
      return { outcomes: batch.map(({ id }) => (id === failing ? FAILS : DONE)) };
    });
    const held = [ids[2_007]!, ids[3_007]!];
    expect(sent).to.deep.equal(ids.filter((id) => !held.includes(id)));
    expect(await left()).to.deep.equal([failing, ...held]);
    expect(events.slice(0, 8)).to.deep.equal([...FIRST, 'read 1000']);
    expect(budget.used).to.equal(0);
  });

  it('keeps no memory when it ends before it comes to that', async () => {
    await run(async (batch) => {
      if (batch[0]!.id === ids[0]) return done(batch);
      await readOf(3);
      return { outcomes: [], circuit: { reason: 'unreachable', error: 'gone' } };
    });
    expect(await left()).to.deep.equal(ids.slice(1_000));
    expect(budget.used).to.equal(0);
  });

  it('does not where its worker has no memory to spare', async () => {
    const rest = await budget.take(63 * 1024 * 1024, new AbortController().signal);
    try {
      await run(done);
      expect(sent).to.deep.equal(ids);
      const one = ['read 1000', 'send 1000', 'answered'];
      expect(events.slice(0, 9)).to.deep.equal([...one, ...one, ...one]);
    } finally {
      rest!.release();
    }
    expect(budget.used).to.equal(0);
  });
});
