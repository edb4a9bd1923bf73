/**
 * Many clients of one consumer in one process, who share statements: each has what is its own, whoever goes along with it, hangs
 * up or names ids that nobody knows.
 */
import { expect } from 'chai';
import { putBack } from '../../src/receive/answer.ts';
import { appendMessages } from '../support/fixtures/fixtures.ts';
import { ackIdsOf, idsOf, manyClients } from '../support/pull/many-clients.ts';
import { pullFrom } from '../support/pull/pull.ts';
import { until } from '../support/until.ts';

const CLIENTS = 30;
const GROUPS = 25;
const UNKNOWN = `${'0'.repeat(32)}-1`;

describe('receive: many clients in one process', () => {
  const on = manyClients();
  const { consumer, take, ack } = on;

  it('are served by few statements, in the order of their coming, each with a lease of its own', async () => {
    const one = await consumer();
    const ids = await appendMessages(
      on.db,
      one.no,
      Array.from({ length: 63 }, (_, i) => ({ group: i + 1 })),
    );
    const all = await Promise.all(Array.from({ length: 30 }, (_, i) => take(one, { batchSize: 1 + (i % 4) })));
    const given = all.map(ackIdsOf);
    expect(idsOf(given.flat())).to.deep.equal(ids);
    expect(given.map((each) => each.length)).to.deep.equal(
      Array.from({ length: 30 }, (_, i) => (i < 26 ? 1 + (i % 4) : 0)),
    );
    expect(new Set(given.flatMap((each) => each.slice(0, 1).map((ackId) => ackId.slice(0, 32)))).size).to.equal(26);
    expect(on.asked.length).to.be.at.most(2);

    // One names an id of another's, one what nobody knows, one twice the same: each hears what it did itself.
    const [first = [], second = [], ...others] = given;
    on.asked = [];
    const counts = await Promise.all([
      ack(one, [...first, ...second.slice(0, 1)]),
      ack(one, [UNKNOWN]),
      ack(one, [...second, ...second]),
      ...others.slice(0, 20).map((ackIds) => ack(one, ackIds)),
    ]);
    expect(counts.slice(0, 3)).to.deep.equal([2, 0, 1]);
    expect(counts.slice(3)).to.deep.equal(others.slice(0, 20).map(({ length }) => length));
    expect(on.asked.length).to.be.at.most(2);
    // And with the next receive: what is behind it comes at once.
    const [behind] = await appendMessages(on.db, one.no, [{ group: 60 }]);
    const left = others.slice(20).flat();
    const next = await Promise.all([take(one, { ackIds: left }), take(one, { ackIds: [UNKNOWN] }), take(one)]);
    expect(next.map(({ acked }) => acked.count)).to.deep.equal([left.length, 0, 0]);
    expect(idsOf(next.flatMap(ackIdsOf))).to.deep.equal([behind]);
    expect(await pullFrom(on.db, one.no).stored()).to.deep.equal([behind]);
  });

  it('hear of their own failures only, and who has gone or may not go on gets nothing', async () => {
    const one = await consumer();
    const ids = await appendMessages(
      on.db,
      one.no,
      Array.from({ length: 6 }, (_, i) => ({ group: i + 1 })),
    );
    const gone = new AbortController();
    const receives = [
      take(one),
      take(one, { signal: gone.signal }),
      take(one, { client: { names: [], mayStill: () => Promise.reject(new Error('revoked')) } }),
      take(one, { client: { names: [], mayStill: () => Promise.resolve(false) } }),
      take(one),
    ];
    gone.abort();
    const got = await Promise.all(receives.map((each) => each.then(ackIdsOf, (error: Error) => [error.message])));
    expect(got.map(([first]) => first?.replace(/^\w+-/, ''))).to.deep.equal([
      `${ids[0]}`,
      undefined,
      'revoked',
      undefined,
      `${ids[1]}`,
    ]);
    const bad = await take(one);
    on.poison = bad.lease!.ackIds()[0]!.slice(0, 32);
    const acks = [got[0]!, bad.lease!.ackIds(), got[4]!].map((ackIds) =>
      ack(one, ackIds).catch((error: Error) => error.message),
    );
    expect(await Promise.all(acks)).to.deep.equal([1, 'refused', 1]);
    expect(await pullFrom(on.db, one.no).stored()).to.deep.equal(ids.slice(2));
  });

  it('all hear at once that the server is away', async () => {
    const one = await consumer();
    on.poison = UNKNOWN.slice(0, 32);
    on.refusal = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
    const acks = Array.from({ length: 20 }, () => ack(one, [UNKNOWN]).catch((error: Error) => error.message));
    expect(new Set(await Promise.all(acks))).to.deep.equal(new Set(['away']));
    expect(on.asked.length).to.be.at.most(2);
  });

  it('wait for no more than some hundred leases that others acknowledge', async () => {
    const one = await consumer();
    const unknown = Array.from({ length: 90 }, (_, i) => `${i.toString(16).padStart(32, '0')}-1`);
    await Promise.all([take(one), ...Array.from({ length: 6 }, () => take(one, { ackIds: unknown })), take(one)]);
    expect(on.asked.length).to.equal(3);
  });

  it('acknowledge what is left of a lease of which somebody else is just taking something', async () => {
    const one = await consumer();
    await appendMessages(
      on.db,
      one.no,
      Array.from({ length: 5 }, (_, i) => ({ group: i + 1 })),
    );
    const [first, second] = await Promise.all([take(one, { batchSize: 2 }), take(one, { batchSize: 3 })]);
    const acks = await on.db.transaction(async (tx) => {
      expect(await pullFrom(tx, one.no).ack(ackIdsOf(first!).slice(0, 1))).to.equal(1);
      const acks = Promise.all([ack(one, ackIdsOf(first!)), ack(one, ackIdsOf(second!)), ack(one, ackIdsOf(second!))]);
      await until('it waits for the lease', async () => {
        const { rows } = await on.db.query(
          `select from pg_stat_activity where datname = current_database() and query like '%acknowledge_leases%' and wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });
      return { acks };
    });
    expect(await acks.acks).to.deep.equal([1, 3, 0]);
    expect(await pullFrom(on.db, one.no).stored()).to.deep.equal([]);
    const { rows } = await on.db.query('select from millrace_private.leases where sink_no = $1', [one.no]);
    expect(rows).to.have.length(0);
  });

  it('get what there is room for now, and the others the rest', async () => {
    const one = await consumer();
    const record = `{"t":"${'x'.repeat(900)}"}`;
    const ids = await appendMessages(
      on.db,
      one.no,
      Array.from({ length: 6 }, (_, i) => ({ group: i + 1, record })),
    );
    const all = await Promise.all([1, 2, 3].map(() => take(one, { batchSize: 2, maxBytes: 1_500 })));
    // One message is never too large; what did not fit is given back.
    expect(idsOf(all.flatMap(ackIdsOf)).sort()).to.deep.equal(ids.slice(0, 3));
    const rest = await take(one, { batchSize: 10 });
    expect(idsOf(ackIdsOf(rest))).to.deep.equal(ids.slice(3));
  });

  it('keep nothing of what could not be read for them', async () => {
    const one = await consumer();
    const ids = await appendMessages(
      on.db,
      one.no,
      Array.from({ length: 120 }, (_, i) => ({ group: i + 1 })),
    );
    on.unread = true;
    expect(await take(one, { batchSize: 120 }).catch(({ message }) => message)).to.equal('refused');
    on.unread = false;
    expect(idsOf(ackIdsOf(await take(one, { batchSize: 120 })))).to.deep.equal(ids);
    // This is the first time that they are delivered.
    const sql = 'select distinct attempts from millrace_private.delivery_states where sink_no = $1';
    expect((await on.db.query(sql, [one.no])).rows).to.deep.equal([{ attempts: 1 }]);
  });

  for (const maxPerGroup of [1, 2]) {
    it(`lose, double and reorder nothing (max_per_group ${maxPerGroup})`, async function () {
      this.timeout(60_000);
      const one = await consumer({ maxPerGroup, maxWaiting: CLIENTS });
      const groupOf = new Map<number, number>();
      const holder = new Map<number, object>();
      const last = new Map<number, number>();
      const faults: string[] = [];
      const acked: number[] = [];
      let writing = true;
      let stopped = false;
      const write = async (): Promise<void> => {
        for (let round = 0; round < 12; round += 1) {
          const groups = Array.from({ length: 50 }, () => 1 + Math.floor(Math.random() * GROUPS));
          const ids = await appendMessages(
            on.db,
            one.no,
            groups.map((group) => ({ group })),
          );
          for (const [i, id] of ids.entries()) groupOf.set(id, groups[i]!);
        }
        writing = false;
      };
      const work = async (): Promise<void> => {
        let done: string[] = [];
        while (!stopped && (writing || acked.length < groupOf.size)) {
          const hangUp = new AbortController();
          if (Math.random() < 0.1) setImmediate(() => hangUp.abort());
          const ackIds = Math.random() < 0.2 ? [UNKNOWN, ...done] : done;
          const got = await take(one, {
            batchSize: 1 + Math.floor(Math.random() * 4),
            ackIds,
            signal: hangUp.signal,
            waitForMs: 5,
          });
          if (got.acked.count === done.length) done = [];
          else if (!hangUp.signal.aborted) faults.push(`${got.acked.count} of ${done.length} acknowledged`);
          else if (got.acked.count !== 0) faults.push('acknowledged in part');
          const me = {};
          const leased = ackIdsOf(got);
          for (const id of idsOf(leased)) {
            const group = groupOf.get(id);
            // Those that are just being written are not known yet.
            if (group === undefined) continue;
            if (holder.has(group) && holder.get(group) !== me) faults.push(`group ${group} has two clients`);
            if ((last.get(group) ?? 0) >= id) faults.push(`group ${group} went backwards`);
            holder.set(group, me);
          }
          const roll = Math.random();
          const free = (): void => {
            for (const [group, who] of [...holder]) if (who === me) holder.delete(group);
          };
          if (roll < 0.1) {
            free();
            await putBack({ db: on.db, wakeups: on.wakeups }, one, { what: 'nack', ackIds: leased, delayMs: 0 });
            continue;
          }
          for (const id of idsOf(leased)) last.set(groupOf.get(id) ?? 0, id);
          acked.push(...idsOf(leased));
          free();
          if (roll < 0.5) done.push(...leased);
          else if ((await ack(one, leased)) !== leased.length) faults.push('an acknowledgement was not counted');
        }
        if ((await ack(one, done)) !== done.length) faults.push('the last one was not counted');
      };
      // When one of them fails, nobody gets what it holds: the others end as well.
      const ending = (error: unknown): never => {
        stopped = true;
        throw error;
      };
      await Promise.all([write(), ...Array.from({ length: CLIENTS }, work)].map((each) => each.catch(ending)));
      expect(faults).to.deep.equal([]);
      expect(acked.length).to.equal(groupOf.size);
      expect(new Set(acked)).to.deep.equal(new Set(groupOf.keys()));
      expect(await pullFrom(on.db, one.no).stored()).to.deep.equal([]);
      expect(await pullFrom(on.db, one.no).deliveryStates()).to.deep.equal([]);
    });
  }
});
