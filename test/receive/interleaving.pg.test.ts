/** Two sessions at once, each interleaving written down step by step. */
import { expect } from 'chai';
import { addPullSink, appendMessages, type PullSinkFixture } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { openSession, type Session, untilBlocked } from '../support/postgres/sessions.ts';
import { type Pull, pullFrom } from '../support/pull/pull.ts';
import { until } from '../support/until.ts';

describe('receive: interleavings of two sessions', () => {
  let m: MessageDatabase;
  let a: Session;
  let b: Session;
  let made = 0;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());
  beforeEach(async () => {
    a = await openSession(m.db);
    b = await openSession(m.db);
  });
  afterEach(async () => {
    await a.close();
    await b.close();
  });

  interface Clients {
    no: number;
    name: string;
    /** Outside of both sessions. */
    pull: Pull;
    inA: Pull;
    inB: Pull;
  }

  async function clients(settings: Partial<PullSinkFixture> = {}): Promise<Clients> {
    made += 1;
    const { no, name } = await addPullSink(m.db, { name: `interleaving-${made}`, ...settings });
    return { no, name, pull: pullFrom(m.db, no), inA: pullFrom(a, no), inB: pullFrom(b, no) };
  }

  it("B does not get a row's second message while A, not committed yet, leases its first", async () => {
    const { no, inA, inB } = await clients();
    const [first] = await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }]);
    await a.query('begin');
    expect((await inA.receive(1)).ids).to.deep.equal([first]);
    const waiting = inB.receive(10);
    await untilBlocked(m.db, b, a);
    await a.query('commit');
    expect((await waiting).ids).to.deep.equal([]);
  });

  it('B gets the first message when A, which had leased it, rolls back', async () => {
    const { no, inA, inB } = await clients();
    const [first, , other] = await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }, { group: 2 }]);
    await a.query('begin');
    await inA.receive(1);
    const waiting = inB.receive(10);
    await untilBlocked(m.db, b, a);
    await a.query('rollback');
    expect((await waiting).ids).to.deep.equal([first, other]);
  });

  it('a receive that would pass a row waits for the acknowledgement of the one before it', async () => {
    const { no, pull, inA, inB } = await clients();
    const [, second] = await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }]);
    const { ackIds } = await pull.receive(1);
    await a.query('begin');
    expect(await inA.ack(ackIds)).to.equal(1);
    // B sees the first row still there. Without the lock it would pass the second one, and nobody would look at it again.
    const waiting = inB.receive(1);
    await untilBlocked(m.db, b, a);
    await a.query('commit');
    expect((await waiting).ids).to.deep.equal([second]);
  });

  it('who acknowledge the same leases, one of them in part, wait one after the other', async () => {
    const { no, pull, inA, inB } = await clients();
    await appendMessages(
      m.db,
      no,
      Array.from({ length: 4 }, (_, i) => ({ group: i + 1 })),
    );
    const batches = [await pull.receive(2), await pull.receive(2)];
    const [first, second] = batches.sort((one, other) => (one.token! < other.token! ? -1 : 1));
    const holder = await openSession(m.db);
    await holder.query('begin');
    await holder.query('select from millrace_private.leases where token = $1 for update', [first!.token]);
    const whole = inB.ack([...first!.ackIds, ...second!.ackIds]);
    await untilBlocked(m.db, b, holder);
    const part = inA.ack([...first!.ackIds.slice(0, 1), ...second!.ackIds]);
    await untilBlocked(m.db, a, b);
    await holder.close();
    expect(await Promise.all([whole, part])).to.deep.equal([4, 0]);
  });

  it('an acknowledgement waits for the receive that passes the row behind it, and frees it', async () => {
    const { no, pull, inA, inB } = await clients();
    const [, second, other] = await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }, { group: 2 }]);
    const { ackIds } = await pull.receive(1);
    await a.query('begin');
    expect((await inA.receive(10)).ids, 'passes the second row').to.deep.equal([other]);
    const waiting = inB.ack(ackIds);
    await untilBlocked(m.db, b, a);
    await a.query('commit');
    expect(await waiting).to.equal(1);
    expect((await pull.receive(1)).ids).to.deep.equal([second]);
  });

  it("two acknowledgements of one group, each with the other's row before its eyes, free the third", async () => {
    const { no, pull, inA, inB } = await clients({ maxPerGroup: 2 });
    const [, , third] = await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }, { group: 1 }]);
    const { ackIds } = await pull.receive(10);
    expect((await pull.receive(10)).ids).to.deep.equal([]);
    await a.query('begin');
    expect(await inA.ack(ackIds.slice(0, 1))).to.equal(1);
    const waiting = inB.ack(ackIds.slice(1));
    await untilBlocked(m.db, b, a);
    await a.query('commit');
    expect(await waiting).to.equal(1);
    expect((await pull.receive(10)).ids).to.deep.equal([third]);
  });

  it('two acknowledgements, one for each group of a changed key, free it', async () => {
    const { no, pull, inA, inB } = await clients();
    const [, , moved] = await appendMessages(m.db, no, [{ group: 1 }, { group: 2 }, { group: 2, group2: 1 }]);
    const one = await pull.receive(1);
    const two = await pull.receive(2);
    await a.query('begin');
    await inA.ack(one.ackIds);
    const waiting = inB.ack(two.ackIds);
    await a.query('commit');
    await waiting;
    expect((await pull.receive(10)).ids).to.deep.equal([moved]);
  });

  it('the sweep wins: a late acknowledgement still counts while nobody else has the message', async () => {
    const { no, pull, inA, inB } = await clients();
    await appendMessages(m.db, no, [{ group: 1 }]);
    const first = await pull.receive(1);
    await pull.expire(first.token);
    await a.query('begin');
    await a.query(`select millrace_private.lock_consumer($1, 'alone')`, [no]);
    await a.query("select millrace_private.sweep_leases($1, null, clock_timestamp(), '-infinity')", [no]);
    const late = inB.ack(first.ackIds);
    await untilBlocked(m.db, b, a);
    await a.query('commit');
    expect(await late).to.equal(1);
    expect(await pull.stored()).to.deep.equal([]);
    expect(await pull.deliveryStates()).to.deep.equal([]);
    expect((await inA.receive(1)).ids).to.deep.equal([]);
  });

  it('the redelivery wins: a late acknowledgement counts nothing', async () => {
    const { no, pull, inA, inB } = await clients();
    const ids = await appendMessages(m.db, no, [{ group: 1 }]);
    const first = await pull.receive(1);
    await pull.expire(first.token);
    await a.query('begin');
    const again = await inA.receive(1);
    expect(again.ids).to.deep.equal(ids);
    const late = inB.ack(first.ackIds);
    await untilBlocked(m.db, b, a);
    await a.query('commit');
    expect(await late).to.equal(0);
    expect(await pull.ack(again.ackIds)).to.equal(1);
  });

  it('the late acknowledgement wins: the sweep brings nothing again', async () => {
    const { no, pull, inA, inB } = await clients();
    const [, second] = await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }]);
    const first = await pull.receive(1);
    await pull.expire(first.token);
    await a.query('begin');
    expect(await inA.ack(first.ackIds)).to.equal(1);
    const waiting = inB.receive(10);
    await untilBlocked(m.db, b, a);
    await a.query('commit');
    expect((await waiting).ids).to.deep.equal([second]);
  });

  it('two acknowledgements of the same ids count once', async () => {
    const { no, pull, inA, inB } = await clients();
    await appendMessages(m.db, no, [{ group: 1 }, { group: 2 }]);
    const { ackIds } = await pull.receive(2);
    await a.query('begin');
    expect(await inA.ack(ackIds)).to.equal(2);
    const waiting = inB.ack(ackIds);
    await untilBlocked(m.db, b, a);
    await a.query('commit');
    expect(await waiting).to.equal(0);
  });

  it('an acknowledgement that comes after a nack of the same ids still counts', async () => {
    const { no, pull, inA, inB } = await clients();
    await appendMessages(m.db, no, [{ group: 1 }, { group: 2 }]);
    const { ackIds } = await pull.receive(2);
    await a.query('begin');
    expect(await inA.nack(ackIds.slice(0, 1))).to.equal(1);
    const waiting = inB.ack(ackIds);
    await untilBlocked(m.db, b, a);
    await a.query('commit');
    expect(await waiting, 'nobody has received it since').to.equal(2);
    expect(await pull.stored()).to.deep.equal([]);
  });

  it('a receiver that holds the consumer stops others for two seconds at most, and consumer_status names it', async () => {
    const { no, name, inA, inB } = await clients();
    await appendMessages(m.db, no, [{ group: 1 }, { group: 2 }]);
    await a.query('begin');
    await inA.receive(1);
    const refused = await inB.receive(1).then(
      () => undefined,
      (error: { code?: string }) => error.code,
    );
    expect(refused).to.equal('55P03');
    await until('only the holder is named', async () => {
      const { rows } = await m.db.query<{ blocked_by: number[] | null }>(
        'select blocked_by from millrace.consumer_status where sink_name = $1',
        [name],
      );
      return rows[0]!.blocked_by?.join() === String(a.pid);
    });
  });
});
