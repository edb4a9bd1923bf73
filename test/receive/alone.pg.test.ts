/** Who shares no statement with others: those who ask for much, and those for whom a shared one has failed. */
import { expect } from 'chai';
import { appendMessages } from '../support/fixtures/fixtures.ts';
import { ackIdsOf, manyClients } from '../support/pull/many-clients.ts';
import { pullFrom } from '../support/pull/pull.ts';

const UNKNOWN = `${'0'.repeat(32)}-1`;

describe('receive: clients by themselves', () => {
  const on = manyClients();
  const { consumer, take, ack } = on;

  it('do not wait for those who share statements when they receive or acknowledge hundreds', async () => {
    const one = await consumer();
    const groups = Array.from({ length: 500 }, (_, i) => ({ group: i + 1 }));
    await appendMessages(on.db, one.no, groups);
    const receives = await Promise.all([
      take(one),
      ...[100, 200, 100].map((batchSize) => take(one, { batchSize })),
      take(one),
    ]);
    expect(receives.map(({ lease }) => lease?.count)).to.deep.equal([1, 100, 200, 100, 1]);
    // Both small ones together, and each large one.
    expect(on.asked.length).to.equal(4);
    on.asked = [];
    const acks = await Promise.all(receives.slice(1).map((got) => ack(one, ackIdsOf(got))));
    expect(acks).to.deep.equal([100, 200, 100, 1]);
    expect(on.asked.length).to.equal(4);
  });

  it('hear at once that somebody keeps their consumer, and wait by themselves for what somebody else acknowledges', async () => {
    const one = await consumer();
    await appendMessages(
      on.db,
      one.no,
      Array.from({ length: 5 }, (_, i) => ({ group: i + 1 })),
    );
    const [first, second] = await Promise.all([take(one), take(one)]);
    const code = (error: { code?: string }): string => error.code ?? 'without a code';
    const codes = (all: Promise<unknown>[]): Promise<unknown[]> =>
      Promise.all(all.map((each) => each.then(() => 'done', code)));
    await on.db.transaction(async (tx) => {
      await tx.query(`lock table millrace_private.turn_${one.no} in share update exclusive mode`);
      expect(await codes([take(one), take(one), take(one), take(one)])).to.deep.equal(new Array(4).fill('55P03'));
      expect(on.asked.filter((name) => name === 'receive_together').length).to.be.at.most(4);
    });
    on.asked = [];
    await on.db.transaction(async (tx) => {
      await tx.query('select from millrace_private.leases where sink_no = $1 and token = $2 for update', [
        one.no,
        ackIdsOf(first!)[0]!.slice(0, 32),
      ]);
      const receives = [take(one), take(one), take(one, { ackIds: ackIdsOf(first!) })];
      expect(await codes(receives)).to.deep.equal(['done', 'done', '55P03']);
      const acks = [ack(one, ackIdsOf(second!)), ack(one, [UNKNOWN])];
      expect(await Promise.all(acks)).to.deep.equal([1, 0]);
    });
    expect(await pullFrom(on.db, one.no).stored()).to.have.length(4);
  });

  it('get nothing from a consumer that is removed meanwhile', async () => {
    const one = await consumer();
    await on.db.query(`drop table millrace_private.turn_${one.no}, millrace_private.lock_${one.no}`);
    expect((await take(one)).lease).to.equal(undefined);
    expect(await ack(one, [UNKNOWN])).to.equal(0);
  });
});
