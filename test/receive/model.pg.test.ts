/**
 * Random clients, retries, discards and edits of the consumer, one step after the other, against the reference: order per
 * group, nothing lost, nothing that was acknowledged again, and as many messages in a batch as may be.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { addPullSink, appendMessages, type MessageFixture, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type ModelSettings, PullModel } from '../support/pull/model.ts';
import { type Batch, type Pull, pullFrom } from '../support/pull/pull.ts';

type Step =
  | { kind: 'append'; messages: MessageFixture[]; parked: boolean }
  | { kind: 'receive'; client: number; batch: number }
  | { kind: 'answer'; client: number; what: 'ack' | 'nack' | 'extend' | 'release'; part: number; delayed: boolean }
  | { kind: 'expire'; client: number }
  | { kind: 'fastForward' }
  | { kind: 'retry' | 'discard' }
  | { kind: 'ackAndReceive'; client: number; batch: number }
  | { kind: 'edit'; settings: Omit<ModelSettings, 'maxDeliver'> };

const CLIENTS = 8;
/** Of steps that are compared with the model. */
const SEQUENCES = Number(process.env.MILLRACE_TEST_CLIENTS ?? 60);
const group = fc.integer({ min: 1, max: 5 });
const message: fc.Arbitrary<MessageFixture> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ group }) },
  { weight: 2, arbitrary: fc.record({ group, group2: fc.integer({ min: 1, max: 5 }) }) },
  { weight: 1, arbitrary: fc.constant({ group: null }) },
);
const client = fc.nat(CLIENTS - 1);
const limits = {
  maxAckPending: fc.constantFrom(3, 10_000),
  maxPerGroup: fc.constantFrom(1, 1, 2, 3),
};
const settings: fc.Arbitrary<ModelSettings> = fc.record({
  ...limits,
  maxDeliver: fc.constantFrom(1, 2, Number.POSITIVE_INFINITY),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('append' as const),
      messages: fc.array(message, { minLength: 1, maxLength: 6 }),
      parked: fc.boolean(),
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
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('retry' as const, 'discard' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('ackAndReceive' as const),
      client,
      batch: fc.integer({ min: 1, max: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('edit' as const), settings: fc.record(limits) }) },
);

describe('receive: random clients', function () {
  this.timeout(120_000 + SEQUENCES * 500);
  let m: MessageDatabase;
  let made = 0;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());

  it('behave like the model', async () => {
    await fc.assert(
      fc.asyncProperty(settings, fc.array(step, { minLength: 10, maxLength: 60 }), async (first, steps) => {
        made += 1;
        const { no, name } = await addPullSink(m.db, {
          name: `model-${made}`,
          maxAckPending: first.maxAckPending,
          maxPerGroup: first.maxPerGroup,
          ...(Number.isFinite(first.maxDeliver) ? { maxRetryCount: first.maxDeliver - 1 } : {}),
        });
        const world: World = {
          no,
          name,
          pull: pullFrom(m.db, no),
          model: new PullModel({ ...first }),
          held: new Map(),
        };
        for (const each of steps) await walk(m, world, each);
        await drain(m, world);
      }),
      { numRuns: SEQUENCES, endOnFailure: false },
    );
  });
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
    case 'append': {
      await m.db.transaction(async (tx) => {
        const ids = await appendMessages(tx, world.no, step.messages);
        const parked = step.parked ? ids.slice(-1) : [];
        await parkOnArrival(tx, world.no, parked);
        model.append(ids, step.messages, parked);
      });
      return;
    }
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
      return;
    case 'discard':
      await m.db.query('select millrace.discard($1, $2)', [world.name, model.discard()]);
      return;
    case 'ackAndReceive': {
      const batch = held.get(step.client);
      if (!batch || batch.ids.length === 0) return;
      const { rows } = await m.db.query<{ acked: number; ack_id: string | null }>(
        'select acked, ack_id from millrace.ack_and_receive($1, $2, $3)',
        [world.name, batch.ackIds, step.batch],
      );
      expect(rows[0]!.acked).to.equal(model.ack(batch.token, batch.ids));
      const ackIds = rows.flatMap(({ ack_id }) => ack_id ?? []);
      const token = ackIds[0]?.split('-')[0] ?? null;
      const next = { token, ackIds, ids: ackIds.map((id) => Number(id.split('-')[1])) };
      held.set(step.client, await compared(m, world, next, step.batch));
      return;
    }
    case 'edit': {
      const { maxAckPending, maxPerGroup } = step.settings;
      Object.assign(model.settings, step.settings);
      await m.db.query(
        'update millrace_private.consumers set max_ack_pending = $2, max_per_group = $3 where sink_no = $1',
        [world.no, maxAckPending, maxPerGroup],
      );
    }
  }
}

async function receiveAndCompare(m: MessageDatabase, world: World, size: number): Promise<Batch> {
  return await compared(m, world, await world.pull.receive(size), size);
}

async function compared(m: MessageDatabase, { no, model }: World, batch: Batch, size: number): Promise<Batch> {
  expect(model.faultsOf(batch.ids, size)).to.deep.equal([]);
  if (batch.token !== null) {
    const { rows } = await m.db.query<{ id: number }>(
      'select id from millrace_private.delivery_states where sink_no = $1 and token = $2',
      [no, batch.token],
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
