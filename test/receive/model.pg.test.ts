/**
 * Random clients against the reference: order per group, nothing lost, nothing that was acknowledged again, no group
 * with two clients at once. First one step after the other, compared with a model; then all at once, by what must hold.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { addPullSink, appendMessages, type MessageFixture } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { PullModel } from '../support/pull/model.ts';
import { type Batch, type Pull, pullFrom } from '../support/pull/pull.ts';

type Step =
  | { kind: 'append'; messages: MessageFixture[] }
  | { kind: 'receive'; client: number; batch: number }
  | { kind: 'answer'; client: number; what: 'ack' | 'nack' | 'extend' | 'release'; part: number; delayed: boolean }
  | { kind: 'expire'; client: number }
  | { kind: 'fastForward' }
  | { kind: 'retry' };

const CLIENTS = 8;
const group = fc.integer({ min: 1, max: 5 });
const message: fc.Arbitrary<MessageFixture> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ group }) },
  { weight: 2, arbitrary: fc.record({ group, group2: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.constant({ group: null }) },
);
const client = fc.nat(CLIENTS - 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      messages: fc.array(message, { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ kind: fc.constant('receive' as const), client, batch: fc.integer({ min: 1, max: 6 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('answer' as const),
      client,
      what: fc.constantFrom('ack' as const, 'ack' as const, 'nack' as const, 'extend' as const, 'release' as const),
      part: fc.nat(7),
      delayed: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('expire' as const), client }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('fastForward' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retry' as const) }) },
);

describe('receive: random clients', function () {
  this.timeout(120_000);
  let m: MessageDatabase;
  let made = 0;
  before(async () => {
    m = await messageDatabase(12);
  });
  after(async () => await m.drop());

  it('behave like the model', async () => {
    const settings = fc.record({
      maxAckPending: fc.constantFrom(3, 10_000),
      maxDeliver: fc.constantFrom(1, 2, Number.POSITIVE_INFINITY),
    });
    await fc.assert(
      fc.asyncProperty(settings, fc.array(step, { minLength: 10, maxLength: 60 }), async (limits, steps) => {
        made += 1;
        const { no, name } = await addPullSink(m.db, {
          name: `model-${made}`,
          maxAckPending: limits.maxAckPending,
          ...(Number.isFinite(limits.maxDeliver) ? { maxRetryCount: limits.maxDeliver - 1 } : {}),
        });
        const world: World = { no, name, pull: pullFrom(m.db, no), model: new PullModel(limits), held: new Map() };
        for (const each of steps) await walk(m, world, each);
        await drain(m, world);
      }),
      { numRuns: 60, endOnFailure: false },
    );
  });

  for (const maxPerGroup of [1, 3]) {
    it(`all at once keep order, lose nothing and share no group (max_per_group ${maxPerGroup})`, async () => {
      made += 1;
      const { no } = await addPullSink(m.db, { name: `storm-${made}`, maxPerGroup });
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

interface World {
  no: number;
  name: string;
  pull: Pull;
  model: PullModel;
  /** The last batch of each client. */
  held: Map<number, Batch>;
}

async function walk(m: MessageDatabase, world: World, step: Step): Promise<void> {
  const { pull, model, held } = world;
  switch (step.kind) {
    case 'append':
      model.append(await appendMessages(m.db, world.no, step.messages), step.messages);
      return;
    case 'receive':
      held.set(step.client, await receiveAndCompare(m, world, step.batch));
      return;
    case 'answer': {
      const batch = held.get(step.client);
      if (batch === undefined) return;
      // The bits of `part` choose; 0 is all of them.
      const ids = batch.ids.filter((_, i) => step.part === 0 || ((step.part >> (i % 3)) & 1) === 1);
      const ackIds = ids.map((id) => `${batch.token}-${id}`);
      if (step.what === 'ack') expect(await pull.ack(ackIds)).to.equal(model.ack(batch.token, ids));
      else if (step.what === 'nack') {
        const applied = await pull.nack(ackIds, step.delayed ? '1 hour' : '0');
        expect(applied).to.equal(model.nack(batch.token, ids, step.delayed));
      } else if (step.what === 'extend') {
        expect(await pull.extend(ackIds, '2 hours')).to.equal(model.extend(batch.token, ids));
      } else expect(await pull.release(ackIds)).to.equal(model.release(batch.token, ids));
      return;
    }
    case 'expire': {
      const token = held.get(step.client)?.token;
      if (token === undefined || token === null) return;
      await pull.expire(token);
      model.expire(token);
      return;
    }
    case 'fastForward':
      await pull.fastForward();
      model.fastForward();
      return;
    case 'retry':
      await m.db.query('select millrace.retry($1, $2)', [world.name, model.retry()]);
  }
}

async function receiveAndCompare(m: MessageDatabase, world: World, size: number): Promise<Batch> {
  const { pull, model } = world;
  const may = model.receivable(size);
  const batch = await pull.receive(size);
  expect(may.ids).to.include.members(batch.ids);
  expect(batch.ids).to.have.lengthOf(may.count);
  expect(batch.ids).to.deep.equal([...batch.ids].sort((a, b) => a - b));
  if (batch.token !== null) {
    const { rows } = await m.db.query<{ id: number }>(
      'select id from millrace_private.delivery_states where sink_no = $1 and token = $2',
      [world.no, batch.token],
    );
    model.received(batch.token, batch.ids, new Set(rows.map((row) => row.id)));
  }
  return batch;
}

/** Whatever happened: all that is not parked can still be received and acknowledged. */
async function drain(m: MessageDatabase, world: World): Promise<void> {
  const { pull, model } = world;
  const tokens = new Set(model.messages.map((message) => message.token));
  for (const token of tokens) {
    if (token === null) continue;
    await pull.expire(token);
    model.expire(token);
  }
  await pull.fastForward();
  model.fastForward();
  for (;;) {
    const batch = await receiveAndCompare(m, world, 1_000);
    if (batch.ids.length === 0) break;
    expect(await pull.ack(batch.ackIds)).to.equal(model.ack(batch.token, batch.ids));
  }
  expect(model.left()).to.deep.equal(
    model.messages.filter((message) => message.state === 'parked').map((message) => message.id),
  );
  expect(await pull.stored()).to.deep.equal(model.left());
}

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
