/** Order per group, and who is held back by whom. */
import { expect } from 'chai';
import { addPullSink, appendMessages, type PullSinkFixture, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type Pull, pullFrom } from '../support/pull/pull.ts';

describe('receive: order', () => {
  let m: MessageDatabase;
  let made = 0;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());

  async function consumer(settings: Partial<PullSinkFixture> = {}): Promise<{ no: number; pull: Pull }> {
    made += 1;
    const { no } = await addPullSink(m.db, { name: `order-${made}`, ...settings });
    return { no, pull: pullFrom(m.db, no) };
  }

  it('hands out the messages of a group one after the other, in commit order', async () => {
    const { no, pull } = await consumer();
    const [a1, a2, b1, a3] = await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }, { group: 2 }, { group: 1 }]);
    const first = await pull.receive(10);
    expect(first.ids).to.deep.equal([a1, b1]);
    expect((await pull.receive(10)).ids).to.deep.equal([]);
    expect(await pull.ack(first.ackIds)).to.equal(2);
    const second = await pull.receive(10);
    expect(second.ids).to.deep.equal([a2]);
    await pull.ack(second.ackIds);
    expect((await pull.receive(10)).ids).to.deep.equal([a3]);
  });

  it('goes on with a group whose message is acknowledged before the next one is passed', async () => {
    const { no, pull } = await consumer();
    const [a1, a2] = await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }]);
    const first = await pull.receive(1);
    expect(first.ids).to.deep.equal([a1]);
    await pull.ack(first.ackIds);
    expect((await pull.receive(1)).ids).to.deep.equal([a2]);
  });

  it('holds a group while its first message backs off', async () => {
    const { no, pull } = await consumer();
    const [a1, a2, b1] = await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }, { group: 2 }]);
    const first = await pull.receive(1);
    expect(await pull.nack(first.ackIds, '1 hour')).to.equal(1);
    const other = await pull.receive(10);
    expect(other.ids).to.deep.equal([b1]);
    expect((await pull.receive(10)).ids).to.deep.equal([]);
    await pull.fastForward();
    const again = await pull.receive(10);
    expect(again.ids).to.deep.equal([a1]);
    await pull.ack(again.ackIds);
    expect((await pull.receive(10)).ids).to.deep.equal([a2]);
  });

  it('keeps no order and blocks nobody without a group', async () => {
    const { no, pull } = await consumer();
    const ids = await appendMessages(m.db, no, [{ group: null }, { group: null }, { group: null }]);
    const one = await pull.receive(1);
    const two = await pull.receive(2);
    expect([...one.ids, ...two.ids]).to.deep.equal(ids);
    await pull.nack(one.ackIds);
    expect((await pull.receive(5)).ids).to.deep.equal([ids[0]]);
  });

  it('makes a change of key wait for both groups, and both groups for it', async () => {
    const { no, pull } = await consumer();
    // Row 1 becomes row 2: its message stands in group 2 and, with the old key, in group 1.
    const [a1, b1, moved, a2, b2] = await appendMessages(m.db, no, [
      { group: 1 },
      { group: 2 },
      { group: 2, group2: 1, action: 'update', changes: '{"id":1}' },
      { group: 1 },
      { group: 2 },
    ]);
    const first = await pull.receive(10);
    expect(first.ids).to.deep.equal([a1, b1]);
    await pull.ack([first.ackIds[1]!]);
    expect((await pull.receive(10)).ids, 'the old key is busy').to.deep.equal([]);
    await pull.ack([first.ackIds[0]!]);
    const second = await pull.receive(10);
    expect(second.ids).to.deep.equal([moved]);
    expect((await pull.receive(10)).ids, 'both keys are busy').to.deep.equal([]);
    await pull.ack(second.ackIds);
    expect((await pull.receive(10)).ids).to.deep.equal([a2, b2]);
  });

  it('frees a change of key whichever of its two groups goes last', async () => {
    const { no, pull } = await consumer();
    const [, , moved] = await appendMessages(m.db, no, [{ group: 1 }, { group: 2 }, { group: 2, group2: 1 }]);
    const first = await pull.receive(10);
    await pull.ack([first.ackIds[0]!]);
    expect((await pull.receive(10)).ids).to.deep.equal([]);
    await pull.ack([first.ackIds[1]!]);
    expect((await pull.receive(10)).ids).to.deep.equal([moved]);
  });

  it('puts at most max_per_group of a group into a batch, in order', async () => {
    const { no, pull } = await consumer({ maxPerGroup: 2 });
    const [a1, a2, a3, b1, a4] = await appendMessages(m.db, no, [
      { group: 1 },
      { group: 1 },
      { group: 1 },
      { group: 2 },
      { group: 1 },
    ]);
    const first = await pull.receive(10);
    expect(first.ids).to.deep.equal([a1, a2, b1]);
    expect((await pull.receive(10)).ids).to.deep.equal([]);
    await pull.ack(first.ackIds.slice(0, 1));
    expect((await pull.receive(10)).ids, 'the second one is still out').to.deep.equal([]);
    await pull.ack(first.ackIds.slice(1));
    expect((await pull.receive(10)).ids).to.deep.equal([a3, a4]);
  });

  it('puts max_per_group of a group into a batch also where receives have passed them, or clients gave them back', async () => {
    const { no, pull } = await consumer({ maxPerGroup: 3 });
    const [held, ...passed] = await appendMessages(
      m.db,
      no,
      [11, 12, 13, 11, 12, 13].map((group2) => ({ group: 1, group2 })),
    );
    const first = await pull.receive(1);
    expect(first.ids).to.deep.equal([held]);
    expect((await pull.receive(10)).ids, 'passes the rest').to.deep.equal([]);
    // A row that goes to another group is behind what nobody has, until that is acknowledged.
    const [moved, fresh] = await appendMessages(m.db, no, [{ group: 2, group2: 13 }, { group: 3 }]);
    await pull.ack(first.ackIds);
    const second = await pull.receive(10);
    expect(second.ids).to.deep.equal([...passed.slice(0, 3), fresh]);
    await pull.nack(second.ackIds);
    const again = await pull.receive(10);
    expect(again.ids).to.deep.equal(second.ids);
    await pull.ack(again.ackIds);
    const third = await pull.receive(10);
    expect(third.ids).to.deep.equal(passed.slice(3));
    expect(await pull.ack(third.ackIds)).to.equal(2);
    expect((await pull.receive(10)).ids).to.deep.equal([moved]);
  });

  it('with max_per_group 2 lets nothing overtake a change of key that has to wait', async () => {
    const { no, pull } = await consumer({ maxPerGroup: 2 });
    const [b1, b2, moved, a1] = await appendMessages(m.db, no, [
      { group: 2 },
      { group: 2 },
      { group: 1, group2: 2 },
      { group: 1 },
    ]);
    const first = await pull.receive(10);
    expect(first.ids).to.deep.equal([b1, b2]);
    await pull.ack(first.ackIds);
    expect((await pull.receive(10)).ids).to.deep.equal([moved, a1]);
  });

  it('puts max_per_group of a group into a batch where rows are grouped by other columns than their key', async () => {
    const { no, pull } = await consumer({ maxPerGroup: 3 });
    // Each is in the group of its columns and in that of its row; the second row goes to another group of the columns.
    const [one, two, one2, one3, moved] = await appendMessages(m.db, no, [
      { group: 1, group2: 11 },
      { group: 1, group2: 12 },
      { group: 1, group2: 11, action: 'update' },
      { group: 1, group2: 11, action: 'update' },
      { group: 2, group2: 12, action: 'update' },
    ]);
    const first = await pull.receive(10);
    expect(first.ids).to.deep.equal([one, two, one2, moved]);
    expect((await pull.receive(10)).ids).to.deep.equal([]);
    await pull.ack(first.ackIds.slice(0, 2));
    expect((await pull.receive(10)).ids, 'one before it is still out').to.deep.equal([]);
    await pull.ack(first.ackIds.slice(2));
    expect((await pull.receive(10)).ids).to.deep.equal([one3]);
  });

  it('with max_per_group 2 lets a row go to another group only with, or after, what is before it', async () => {
    const { no, pull } = await consumer({ maxPerGroup: 2 });
    const [held] = await appendMessages(m.db, no, [{ group: 1, group2: 11 }]);
    const first = await pull.receive(10);
    const [moved, later] = await appendMessages(m.db, no, [
      { group: 2, group2: 11, action: 'update' },
      { group: 2, group2: 12 },
    ]);
    expect((await pull.receive(10)).ids, 'behind what a client has').to.deep.equal([]);
    await pull.nack(first.ackIds);
    const again = await pull.receive(10);
    expect(again.ids, 'each comes after what is before it').to.deep.equal([held, moved]);
    await pull.ack(again.ackIds.slice(0, 1));
    expect((await pull.receive(10)).ids).to.deep.equal([]);
    await pull.ack(again.ackIds.slice(1));
    expect((await pull.receive(10)).ids).to.deep.equal([later]);
  });

  it('with max_per_group 2 hands out what follows messages that were parked on arrival', async () => {
    const { no, pull } = await consumer({ maxPerGroup: 2 });
    const ids = await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }, { group: 1 }]);
    await m.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, stage, error, parked_at)
       select $1, i, 0, 1, 'parked', 0, 'capture', 'too large', now() from unnest($2::bigint[]) i`,
      [no, ids.slice(0, 2)],
    );
    expect((await pull.receive(10)).ids).to.deep.equal([ids[2]]);
  });

  it('passes at most 1,000 rows that it cannot hand out, says so, and gets there in the end', async () => {
    const { no, pull } = await consumer();
    const ids = await appendMessages(m.db, no, [...Array.from({ length: 2_500 }, () => ({ group: 1 })), { group: 2 }]);
    expect((await pull.receive(1)).ids).to.deep.equal([ids[0]]);
    const tries: { ids: number[]; more: boolean }[] = [];
    while (tries.length < 5 && tries.at(-1)?.more !== false) {
      const { rows } = await m.db.query<{ ids: number[]; more: boolean }>(
        'select c.ids, c.more from millrace_private.lease_batches($1, array[10], null, 1e9::bigint) c',
        [no],
      );
      tries.push(rows[0]!);
    }
    expect(tries).to.deep.equal([
      { ids: [], more: true },
      { ids: [], more: true },
      { ids: [ids[2_500]], more: false },
    ]);
  });

  it('passes at most 1,000 parked rows at a time, and gets behind them in the end', async () => {
    const { no, pull } = await consumer();
    const ids = await appendMessages(
      m.db,
      no,
      Array.from({ length: 2_502 }, () => ({})),
    );
    await parkOnArrival(m.db, no, ids.slice(0, 2_500));
    const passed: (number | undefined)[] = [];
    for (let tries = 0; tries < 3; tries += 1) {
      const got = await pull.receive(1);
      passed.push(got.ids[0]);
      const { rows } = await m.db.query<{ passed: number }>(
        `select count(*)::integer as passed from millrace_private.messages m
          where m.sink_no = $1 and m.id <= (select max(c.id) from millrace_private.cursor_log c where c.sink_no = $1)`,
        [no],
      );
      passed.push(rows[0]!.passed);
    }
    expect(passed).to.deep.equal([undefined, 1_000, undefined, 2_000, ids[2_500], 2_501]);
    expect((await pull.receive(10)).ids).to.deep.equal([ids[2_501]]);
  });

  it('gives redeliveries at most half of a batch while there are new messages', async () => {
    const { no, pull } = await consumer();
    const ids = await appendMessages(
      m.db,
      no,
      Array.from({ length: 20 }, (_, i) => ({ group: i + 1 })),
    );
    const first = await pull.receive(10);
    await pull.nack(first.ackIds);
    const mixed = await pull.receive(10);
    expect(mixed.ids).to.deep.equal([...ids.slice(0, 5), ...ids.slice(10, 15)]);
    const rest = await pull.receive(20);
    expect(rest.ids).to.deep.equal([...ids.slice(5, 10), ...ids.slice(15)]);
  });

  it('looks at every lease when the clock of the server was set back', async () => {
    const { no, pull } = await consumer();
    const ids = await appendMessages(m.db, no, [{ group: 1 }, { group: 2 }]);
    const first = await pull.receive(1);
    // As if all of it had happened in an hour that comes again.
    await m.db.query("update millrace_private.cursor_log set swept_at = now() + interval '1 h' where sink_no = $1", [
      no,
    ]);
    await pull.expire(first.token);
    const again = await pull.receive(10);
    expect(again.ids).to.deep.equal(ids);
    await pull.expire(again.token);
    expect((await pull.receive(10)).ids).to.deep.equal(ids);
  });

  it('hands out no more than max_ack_pending, and goes on when some are answered', async () => {
    const { no, pull } = await consumer({ maxAckPending: 5 });
    const ids = await appendMessages(
      m.db,
      no,
      Array.from({ length: 12 }, (_, i) => ({ group: i + 1 })),
    );
    const first = await pull.receive(3);
    const second = await pull.receive(10);
    expect([first.ids, second.ids]).to.deep.equal([ids.slice(0, 3), ids.slice(3, 5)]);
    expect((await pull.receive(10)).ids).to.deep.equal([]);
    await pull.ack(first.ackIds);
    const third = await pull.receive(10);
    expect(third.ids).to.deep.equal(ids.slice(5, 8));
    expect(await pull.ack([...second.ackIds, ...third.ackIds])).to.equal(5);
    expect((await pull.receive(4)).ids).to.deep.equal(ids.slice(8));
  });
});
