/** Random clients of a consumer, all at once: order per group, nothing lost or doubled, no group with two clients. */
import { expect } from 'chai';
import { addPullSink, appendMessages, type MessageFixture } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type Batch, type Pull, pullFrom } from '../support/pull/pull.ts';

const CLIENTS = 8;

describe('receive: clients all at once', function () {
  this.timeout(120_000);
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase(12);
  });
  after(async () => await m.drop());

  for (const maxPerGroup of [1, 3]) {
    it(`keep order, lose nothing and share no group (max_per_group ${maxPerGroup})`, async () => {
      const { no } = await addPullSink(m.db, { name: `storm-${maxPerGroup}`, maxPerGroup });
      const pull = pullFrom(m.db, no);
      const storm = await runStorm(m, no, pull);
      expect(storm.faults).to.deep.equal([]);
      expect(storm.acked.length).to.equal(storm.appended.length);
      expect(new Set(storm.acked)).to.deep.equal(new Set(storm.appended));
      expect(await pull.stored()).to.deep.equal([]);
      expect(await pull.deliveryStates()).to.deep.equal([]);
    });
  }
});

interface Storm {
  appended: number[];
  acked: number[];
  faults: string[];
}

async function runStorm(m: MessageDatabase, no: number, pull: Pull): Promise<Storm> {
  const storm: Storm = { appended: [], acked: [], faults: [] };
  const groupsOf = new Map<number, number[]>();
  /** Who holds a group; with max_per_group above 1 one batch may hold several of its messages. */
  const holder = new Map<number, string>();
  const lastAcked = new Map<number, number>();
  let writing = true;

  const write = async (): Promise<void> => {
    for (let round = 0; round < 40; round += 1) {
      const messages = Array.from({ length: 15 }, (): MessageFixture => {
        const first = 1 + Math.floor(Math.random() * 30);
        const roll = Math.random();
        if (roll < 0.1) return { group: first, group2: 1 + Math.floor(Math.random() * 30) };
        return { group: roll < 0.15 ? null : first };
      });
      const ids = await appendMessages(m.db, no, messages);
      ids.forEach((id, i) => {
        const { group, group2 } = messages[i]!;
        groupsOf.set(
          id,
          [group, group2].filter((key) => typeof key === 'number'),
        );
      });
      storm.appended.push(...ids);
    }
    writing = false;
  };

  const take = (batch: Batch): void => {
    for (const id of batch.ids) {
      for (const key of groupsOf.get(id) ?? []) {
        const other = holder.get(key);
        if (other !== undefined && other !== batch.token) storm.faults.push(`group ${key} has two clients`);
        holder.set(key, batch.token!);
      }
    }
  };

  const free = (batch: Batch): void => {
    for (const [key, token] of [...holder]) if (token === batch.token) holder.delete(key);
  };

  const finish = async (batch: Batch): Promise<void> => {
    const roll = Math.random();
    if (roll < 0.75) {
      for (const id of batch.ids) {
        for (const key of groupsOf.get(id) ?? []) {
          if ((lastAcked.get(key) ?? 0) > id) storm.faults.push(`group ${key} went backwards`);
          lastAcked.set(key, id);
        }
      }
      free(batch);
      storm.acked.push(...batch.ids);
      // In two calls at once, that race each other.
      const half = Math.floor(Math.random() * (batch.ids.length + 1));
      const counts = await Promise.all([pull.ack(batch.ackIds.slice(0, half)), pull.ack(batch.ackIds.slice(half))]);
      if (counts[0]! + counts[1]! !== batch.ids.length) storm.faults.push('an acknowledgement was not counted');
    } else {
      free(batch);
      if (roll < 0.85) await pull.nack(batch.ackIds);
      else if (roll < 0.95) await pull.release(batch.ackIds);
      else await pull.expire(batch.token);
    }
  };

  const read = async (): Promise<void> => {
    for (let empty = 0; writing || empty < 3; ) {
      const batch = await patiently(() => pull.receive(1 + Math.floor(Math.random() * 8)));
      if (batch.ids.length === 0) {
        if (holder.size === 0) empty += 1;
        continue;
      }
      empty = 0;
      take(batch);
      await finish(batch);
    }
  };

  await Promise.all([write(), ...Array.from({ length: CLIENTS }, read)]);
  return storm;
}

/** On a busy machine a receive may wait for its turn longer than it is allowed to; a client would try again. */
async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === '55P03')) throw error;
    }
  }
}
