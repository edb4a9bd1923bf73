/**
 * A lane that shapes for a pull consumer, while a person retries and discards and a receiver takes what is shaped. Each order
 * of events is written down; nothing may be lost, doubled or stuck.
 */
import { expect } from 'chai';
import type { Delivery, SinkTransaction } from '../../src/model/sink.ts';
import { openShapedConsumer } from '../../src/sinks/pull/sink.ts';
import { type ShapingLane, shapingLane } from '../support/fixtures/scripted-lane.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { openSession, type Session, untilBlocked } from '../support/postgres/sessions.ts';
import { until } from '../support/until.ts';

describe('a lane that shapes for a pull consumer, interleaved', () => {
  let m: MessageDatabase;
  let a: Session;
  const verdicts = new Map<number, 'drop' | 'fail'>();
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());
  beforeEach(async () => {
    a = await openSession(m.db);
    verdicts.clear();
  });
  afterEach(async () => await a.close());

  /** `first` was parked and is retried; meanwhile `later` of its group is shaped, and a receive passes it. */
  async function passed(): Promise<{ lane: ShapingLane; first: number; later: number }> {
    const lane = await shapingLane(m.db, verdicts);
    const [first] = await lane.appendRaw([{ group: 1 }]);
    verdicts.set(first!, 'fail');
    await lane.run();
    const [later] = await lane.appendRaw([{ group: 1 }]);
    await lane.run();
    await lane.retry(first!);
    expect((await lane.pull.receive(10)).ids, 'behind one that is to be shaped again').to.deep.equal([]);
    return { lane, first: first!, later: later! };
  }

  it('hands the later one out when the functions drop the earlier one', async () => {
    const { lane, first, later } = await passed();
    verdicts.set(first, 'drop');
    await lane.run();
    expect((await lane.pull.receive(10)).ids).to.deep.equal([later]);
  });

  it('hands the later one out when the earlier one is parked again', async () => {
    const { lane, first, later } = await passed();
    await lane.run();
    expect(await lane.states()).to.include({ [first]: 'parked' });
    expect((await lane.pull.receive(10)).ids).to.deep.equal([later]);
  });

  it('hands both out, in order, when the earlier one is shaped', async () => {
    const { lane, first, later } = await passed();
    verdicts.clear();
    await lane.run();
    const got = await lane.pull.receive(10);
    expect(got.ids).to.deep.equal([first]);
    await lane.pull.ack(got.ackIds);
    expect((await lane.pull.receive(10)).ids).to.deep.equal([later]);
  });

  it('hands the later one out when the earlier one is discarded', async () => {
    const { lane, first, later } = await passed();
    expect(await lane.discard(first)).to.equal(1);
    expect((await lane.pull.receive(10)).ids).to.deep.equal([later]);
  });

  it('goes on with what it held behind one that was retried', async () => {
    const lane = await shapingLane(m.db, verdicts);
    const [first] = await lane.appendRaw([{ group: 1 }]);
    verdicts.set(first!, 'fail');
    await lane.run();
    await lane.pull.receive(10);
    await lane.retry(first!);
    const [later, other] = await lane.appendRaw([{ group: 1 }, { group: 2 }]);
    verdicts.clear();
    for (let i = 0; i < 3; i += 1) await lane.run();
    const got = await lane.pull.receive(10);
    expect(got.ids).to.have.members([first, other]);
    await lane.pull.ack(got.ackIds);
    expect((await lane.pull.receive(10)).ids).to.deep.equal([later]);
  });

  it('stores nothing of a message that is discarded while it is being shaped', async () => {
    const lane = await shapingLane(m.db, verdicts);
    const [first] = await lane.appendRaw([{ group: 1 }]);
    verdicts.set(first!, 'fail');
    await lane.run();
    const [other] = await lane.appendRaw([{ group: 2 }]);
    await lane.run();
    expect((await lane.pull.receive(10)).ids).to.deep.equal([other]);
    await lane.retry(first!);
    // The shaped row is written, the raw one not settled yet: the discarding person waits.
    const sink = openShapedConsumer({ sinkNo: lane.no, transformed: false });
    const within = async (tx: SinkTransaction, batch: readonly Delivery[]) => {
      const result = await sink.within!(tx, batch);
      discarding = a.query<{ discard: number }>('select millrace.discard($1, $2)', [lane.name, [first]]);
      const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await untilBlocked(m.db, a, { ...a, pid: rows[0]!.pid });
      return result;
    };
    let discarding: ReturnType<Session['query']> | undefined;
    verdicts.clear();
    await lane.run({ sink: { ...sink, within } });
    expect((await discarding)!.rows).to.deep.equal([{ discard: 0 }]);
    expect((await lane.pull.receive(10)).ids).to.deep.equal([first]);
  });

  it('keeps acknowledgements waiting for a moment only where somebody leaves a transaction open', async () => {
    const lane = await shapingLane(m.db, verdicts);
    const [first] = await lane.appendRaw([{ group: 1 }]);
    verdicts.set(first!, 'fail');
    await lane.run();
    await lane.appendRaw([{ group: 2 }, { group: 3 }]);
    await lane.run();
    const [left, other] = [await lane.pull.receive(1), await lane.pull.receive(1)];
    await a.query('begin');
    await a.query('select millrace.ack($1, $2)', [lane.name, left.ackIds]);
    await lane.retry(first!);
    verdicts.clear();
    const refused = lane.run().then(
      () => undefined,
      (error: { code?: string }) => error.code,
    );
    await until('the lane waits for the lock', async () => {
      const { rowCount } = await m.db.query(
        'select from pg_locks k where not k.granted and k.relation = $1::regclass',
        [`millrace_private.lock_${lane.no}`],
      );
      return rowCount > 0;
    });
    expect(await lane.pull.ack(other.ackIds)).to.equal(1);
    expect(await refused).to.equal('55P03');
    await a.query('commit');
    await lane.run();
    expect((await lane.pull.receive(10)).ids).to.deep.equal([first]);
  });
});
