/** What an answer applies to: acknowledgements, whole and in part, late and twice; nack, extend, release; the limits. */
import { expect } from 'chai';
import { addPullSink, appendMessages, type PullSinkFixture } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type Pull, pullFrom } from '../support/pull/pull.ts';

const groups = (count: number): { group: number }[] => Array.from({ length: count }, (_, i) => ({ group: i + 1 }));

describe('receive: answers', () => {
  let m: MessageDatabase;
  let made = 0;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());

  async function consumer(settings: Partial<PullSinkFixture> = {}): Promise<{ no: number; name: string; pull: Pull }> {
    made += 1;
    const { no, name } = await addPullSink(m.db, { name: `answer-${made}`, ...settings });
    return { no, name, pull: pullFrom(m.db, no) };
  }

  async function status(name: string): Promise<Record<string, unknown>> {
    const { rows } = await m.db.query(
      'select pending::int, leased::int, retrying::int, held::int, parked::int from millrace.consumer_status where sink_name = $1',
      [name],
    );
    return rows[0]!;
  }

  it('deletes a whole batch, and counts it once', async () => {
    const { no, name, pull } = await consumer();
    await appendMessages(m.db, no, groups(5));
    const batch = await pull.receive(5);
    expect(await status(name)).to.deep.equal({ pending: 5, leased: 5, retrying: 0, held: 0, parked: 0 });
    expect(await pull.ack(batch.ackIds)).to.equal(5);
    expect(await pull.ack(batch.ackIds)).to.equal(0);
    expect(await pull.stored()).to.deep.equal([]);
    expect(await status(name)).to.deep.equal({ pending: 0, leased: 0, retrying: 0, held: 0, parked: 0 });
  });

  it('deletes a batch in parts, ids named twice count once', async () => {
    const { no, name, pull } = await consumer();
    const ids = await appendMessages(m.db, no, groups(4));
    const { ackIds, token } = await pull.receive(4);
    expect(await pull.ack([ackIds[1]!, ackIds[1]!, `${token}-0${ids[1]}`])).to.equal(1);
    expect(await pull.stored()).to.deep.equal([ids[0], ids[2], ids[3]]);
    expect(await status(name)).to.include({ pending: 3, leased: 3 });
    expect(await pull.ack(ackIds)).to.equal(3);
    expect(await status(name)).to.include({ pending: 0, leased: 0 });
  });

  it('ignores ids that are unknown, malformed or of somebody else', async () => {
    const { no, pull } = await consumer();
    const other = await consumer();
    const ids = await appendMessages(m.db, no, groups(3));
    await appendMessages(m.db, other.no, groups(1));
    const { ackIds, token } = await pull.receive(2);
    const foreign = await other.pull.receive(1);
    const strange = [
      ...foreign.ackIds,
      `${token}-${ids[2]}`,
      `${token}-`,
      `${token}-x`,
      `${token}--1`,
      `${token}-99999999999999999999999999999999`,
      `${'0'.repeat(32)}-${ids[0]}`,
      'nonsense',
      '',
      ackIds[0]!.slice(1),
    ];
    for (const what of ['ack', 'nack', 'extend', 'release'] as const) {
      expect(await pull[what](strange, '1 s'), what).to.equal(0);
    }
    expect(await pull.stored()).to.deep.equal(ids);
    expect(await other.pull.ack(foreign.ackIds)).to.equal(1);
  });

  it('takes ten times as long for ten times as many leases that nobody knows', async () => {
    const { no } = await consumer();
    const fastest = async (count: number): Promise<number> => {
      const unknown = Array.from({ length: count }, (_, i) => i.toString(16).padStart(32, '0'));
      const took: number[] = [];
      for (let time = 0; time < 3; time += 1) {
        const begun = performance.now();
        const { rows } = await m.db.query<{ counts: number[] }>(
          'select counts from millrace_private.acknowledge_leases($1::integer, $2::text[], $3::text[])',
          [no, unknown, unknown.map(() => '1')],
        );
        took.push(performance.now() - begun);
        expect(new Set(rows[0]!.counts)).to.deep.equal(new Set([0]));
      }
      return Math.min(...took);
    };
    const few = await fastest(1_000);
    expect((await fastest(10_000)) / few).to.be.below(25);
  });

  it('does not let an invented id take the place of one that was handed out', async () => {
    const { no, pull } = await consumer();
    const other = await consumer();
    const [first] = await appendMessages(m.db, no, groups(1));
    // Leaves a gap between the ids of the first consumer.
    const [gap] = await appendMessages(m.db, other.no, groups(1));
    const [second, third] = await appendMessages(m.db, no, [{ group: 2 }, { group: 3 }]);
    const { token } = await pull.receive(3);
    expect(await pull.ack([first, gap, third].map((id) => `${token}-${id}`))).to.equal(2);
    expect(await pull.stored()).to.deep.equal([second]);
    expect(await pull.ack([`${token}-${second}`])).to.equal(1);
  });

  it('brings a message again when its visibility timeout has passed, and not before', async () => {
    const { no, pull } = await consumer();
    const ids = await appendMessages(m.db, no, groups(2));
    const first = await pull.receive(2);
    expect((await pull.receive(2)).ids).to.deep.equal([]);
    await pull.expire(first.token);
    const second = await pull.receive(2);
    expect(second.ids).to.deep.equal(ids);
    expect(second.token).to.not.equal(first.token);
    expect((await pull.deliveryStates()).map((x) => [x.state, x.attempts])).to.deep.equal([
      ['leased', 2],
      ['leased', 2],
    ]);
  });

  it('accepts a late acknowledgement until somebody else has the message', async () => {
    const { no, pull } = await consumer();
    const [one, two] = await appendMessages(m.db, no, groups(2));
    const first = await pull.receive(2);
    await pull.expire(first.token);
    expect(await pull.ack([first.ackIds[0]!]), 'expired, nobody noticed').to.equal(1);
    const second = await pull.receive(2);
    expect(second.ids).to.deep.equal([two]);
    expect(await pull.ack(first.ackIds), 'somebody else has it').to.equal(0);
    await pull.expire(second.token);
    // The sweep makes it due; a batch size of one with something new may leave it there.
    await appendMessages(m.db, no, [{ group: 3 }]);
    await m.db.query("select millrace_private.sweep_leases($1, null, clock_timestamp(), '-infinity')", [no]);
    expect(await pull.ack(second.ackIds), 'swept, nobody has it').to.equal(1);
    expect(await pull.stored())
      .to.have.lengthOf(1)
      .and.not.include(one);
  });

  it('acknowledges what was redelivered, with the new id', async () => {
    const { no, pull } = await consumer();
    await appendMessages(m.db, no, groups(3));
    const first = await pull.receive(3);
    await pull.nack(first.ackIds);
    const second = await pull.receive(3);
    expect(second.ids).to.deep.equal(first.ids);
    expect(await pull.ack(second.ackIds)).to.equal(3);
    expect(await pull.deliveryStates()).to.deep.equal([]);
    expect(await pull.stored()).to.deep.equal([]);
  });

  it('gives back at once or after a delay', async () => {
    const { no, pull } = await consumer();
    const ids = await appendMessages(m.db, no, groups(2));
    const first = await pull.receive(2);
    expect(await pull.nack([first.ackIds[0]!])).to.equal(1);
    expect(await pull.nack([first.ackIds[1]!], '1 hour')).to.equal(1);
    expect(await pull.nack(first.ackIds), 'no longer leased').to.equal(0);
    const second = await pull.receive(2);
    expect(second.ids).to.deep.equal([ids[0]]);
    await pull.fastForward();
    expect((await pull.receive(2)).ids).to.deep.equal([ids[1]]);
  });

  it('extends a lease, first or redelivered', async () => {
    const { no, pull } = await consumer();
    const ids = await appendMessages(m.db, no, groups(2));
    const left = async (): Promise<number[]> => {
      const { rows } = await m.db.query<{ seconds: number }>(
        `select round(extract(epoch from due_at - clock_timestamp()))::int as seconds
           from millrace_private.delivery_states where sink_no = $1 order by id`,
        [no],
      );
      return rows.map((row) => row.seconds);
    };
    const first = await pull.receive(2);
    expect(await pull.extend(first.ackIds, '300 s')).to.equal(2);
    expect(await left()).to.deep.equal([300, 300]);
    await pull.nack(first.ackIds);
    const second = await pull.receive(2);
    expect(second.ids).to.deep.equal(ids);
    expect(await pull.extend([second.ackIds[0]!], '600 s')).to.equal(1);
    expect(await left()).to.deep.equal([600, 30]);
    expect(await pull.ack(second.ackIds)).to.equal(2);
  });

  it('releases without counting a delivery', async () => {
    const { no, pull } = await consumer({ maxRetryCount: 0 });
    const ids = await appendMessages(m.db, no, groups(2));
    for (let i = 0; i < 3; i += 1) {
      const batch = await pull.receive(2);
      expect(batch.ids).to.deep.equal(ids);
      expect(await pull.release(batch.ackIds)).to.equal(2);
    }
    const last = await pull.receive(2);
    expect((await pull.deliveryStates()).map((x) => x.attempts)).to.deep.equal([1, 1]);
    expect(await pull.ack(last.ackIds)).to.equal(2);
  });

  it('parks a message after its last delivery, and its group goes on', async () => {
    const { no, name, pull } = await consumer({ maxRetryCount: 1 });
    const [a1, a2, b1, b2] = await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }, { group: 2 }, { group: 2 }]);
    const first = await pull.receive(10);
    expect(first.ids).to.deep.equal([a1, b1]);
    await pull.nack(first.ackIds);
    const second = await pull.receive(10);
    expect(second.ids).to.deep.equal([a1, b1]);
    // One is given back, the other one expires.
    await pull.nack([second.ackIds[0]!]);
    await pull.expire(second.token);
    const third = await pull.receive(10);
    expect(third.ids).to.deep.equal([a2, b2]);
    expect(await status(name)).to.include({ pending: 2, parked: 2, leased: 2 });
    expect((await pull.deliveryStates()).filter((x) => x.state === 'parked')).to.deep.equal([
      { id: a1, state: 'parked', attempts: 2, error: 'given back by the client' },
      { id: b1, state: 'parked', attempts: 2, error: 'the visibility timeout passed without an acknowledgement' },
    ]);

    await m.db.query('select millrace.retry($1, $2)', [name, [a1, b1]]);
    const fourth = await pull.receive(10);
    expect(fourth.ids, 'back at their old place, counted anew').to.deep.equal([a1, b1]);
    expect(await pull.ack(fourth.ackIds)).to.equal(2);
    expect(await pull.ack(third.ackIds)).to.equal(2);
    expect(await pull.stored()).to.deep.equal([]);
  });

  it('discards what is parked', async () => {
    const { no, name, pull } = await consumer({ maxRetryCount: 0 });
    const [a1, a2] = await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }]);
    await pull.nack((await pull.receive(1)).ackIds);
    const { rows } = await m.db.query<{ discard: number }>('select millrace.discard($1, $2)', [name, [a1, a2]]);
    expect(rows[0]!.discard).to.equal(1);
    expect(await pull.stored()).to.deep.equal([a2]);
    expect((await pull.receive(1)).ids).to.deep.equal([a2]);
  });

  it('hands out nothing beyond max_ack_pending', async () => {
    const { no, pull } = await consumer({ maxAckPending: 3 });
    const ids = await appendMessages(m.db, no, groups(6));
    const first = await pull.receive(2);
    const second = await pull.receive(10);
    expect([...first.ids, ...second.ids]).to.deep.equal(ids.slice(0, 3));
    expect((await pull.receive(10)).ids).to.deep.equal([]);
    await pull.nack(second.ackIds);
    const third = await pull.receive(10);
    expect(third.ids, 'one of two free places').to.have.lengthOf(1);
    expect((await pull.receive(10)).ids).to.deep.equal([]);
    await pull.ack(first.ackIds);
    expect((await pull.receive(10)).ids).to.have.lengthOf(2);
    expect((await pull.receive(10)).ids).to.deep.equal([]);
  });

  it('hands out nothing of a paused consumer, and takes its acknowledgements', async () => {
    const { no, name, pull } = await consumer();
    await appendMessages(m.db, no, groups(2));
    const first = await pull.receive(1);
    await m.db.query('select millrace.pause($1)', [name]);
    expect((await pull.receive(1)).ids).to.deep.equal([]);
    expect(await pull.ack(first.ackIds)).to.equal(1);
    await m.db.query('select millrace.resume($1)', [name]);
    expect((await pull.receive(1)).ids).to.have.lengthOf(1);
  });
});
