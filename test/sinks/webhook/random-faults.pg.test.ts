/** Random changes, random answers, retries in a random order: an endpoint takes the messages of each row in their order. */
import { expect } from 'chai';
import fc from 'fast-check';
import { createLog } from '../../../src/runtime/log.ts';
import { openSandbox, type Sandbox } from '../../../src/transform/sandbox.ts';
import { type Captured, captured, sinkSettings } from '../../support/fixtures/captured.ts';
import { DUE, makeDue } from '../../support/fixtures/due.ts';
import { laneSink, runOnce } from '../../support/fixtures/lane.ts';
import { CHANGES, make, SCHEMA, SEQUENCES } from '../../support/fixtures/random-changes.ts';
import { type Endpoint, startEndpoint } from '../../support/webhook/endpoint.ts';
import { openTestWebhookSink, webhookDestination } from '../../support/webhook/sink.ts';

const log = createLog({ level: 'silent', role: 'test' });
/** After the last failure: what waits behind others is freed one after the other. */
const ROUNDS = 10;
/** Of an answer; 0: the connection ends without one. */
const STATUS = fc.constantFrom(200, 200, 200, 500, 400, 429, 404, 401, 503, 302, 0);

const STEPS = fc.array(
  fc.record({
    changes: CHANGES,
    answers: fc.array(STATUS, { minLength: 1, maxLength: 6 }),
    due: fc.constantFrom(...DUE),
  }),
  { minLength: 1, maxLength: 6 },
);
const HOW = fc.record({
  parallel: fc.integer({ min: 1, max: 4 }),
  batch_size: fc.integer({ min: 2, max: 8 }),
  maxRetryCount: fc.constantFrom(null, 1, 2),
});

interface Message {
  record: { id: number };
  /** The former key of a row whose key has changed. */
  changes: { id?: number } | null;
  metadata: { idempotency_key: string };
}

describe('an endpoint among random failures', () => {
  let on: Captured;
  let endpoint: Endpoint;
  let sandbox: Sandbox;
  let sinkNo: number;

  before(() => {
    sandbox = openSandbox({ log });
  });
  after(async () => await sandbox.close());
  beforeEach(async () => {
    endpoint = await startEndpoint();
    on = await captured(SCHEMA);
    const destination = webhookDestination(endpoint.url);
    sinkNo = await on.addSink(sinkSettings({ name: 'hook', destination, filter_leave: 'keep' }));
    on.start();
    await on.streaming();
  });
  afterEach(async () => {
    await on.close();
    await endpoint.close();
  });

  async function ids(where: string): Promise<number[]> {
    const { rows } = await on.messages.db.query<{ id: string }>(
      `select m.id from millrace_private.messages m
         left join millrace_private.delivery_states s on s.sink_no = m.sink_no and s.id = m.id where ${where}`,
    );
    return rows.map(({ id }) => Number(id));
  }

  /** Ids of each row's messages, under its former key too, in the order in which they were first taken. */
  function taken(): Map<number, number[]> {
    const found = new Map<number, number[]>();
    for (const { body } of endpoint.taken) {
      const request: Message | { data: Message[] } = JSON.parse(body);
      for (const { record, changes, metadata } of 'data' in request ? request.data : [request]) {
        const id = Number(metadata.idempotency_key);
        for (const key of [record.id, changes?.id ?? record.id]) {
          const known = found.get(key) ?? [];
          if (!known.includes(id)) found.set(key, [...known, id]);
        }
      }
    }
    return found;
  }

  for (const batch of [false, true]) {
    it(`takes each row's messages in order, ${batch ? 'in batches' : 'one a request'}`, async () => {
      const { db } = on.messages;
      const property = fc.asyncProperty(STEPS, HOW, async (steps, { maxRetryCount, ...how }) => {
        for (const table of ['circuits', 'delivery_states', 'messages']) {
          await db.query(`delete from millrace_private.${table}`);
        }
        endpoint.taken.length = 0;
        const sink = openTestWebhookSink(webhookDestination(endpoint.url, { batch, ...how }));
        const target = laneSink({ no: sinkNo, name: 'hook', sink, maxRetryCount });
        const made = new Set<number>();
        const round = async (): Promise<void> => {
          for (const id of await ids('true')) made.add(id);
          await db.query('update millrace_private.circuits set probe_at = now()');
          await runOnce({ db, sandbox }, { target });
        };
        for (const { changes, answers, due } of steps) {
          await make(on, changes);
          let asked = 0;
          endpoint.answer = () => {
            const status = answers[asked++ % answers.length]!;
            return status === 0 ? { close: true } : { status, headers: { location: 'http://other/' } };
          };
          await makeDue(db, due);
          await round();
        }
        endpoint.answer = () => undefined;
        for (let i = 0; i < ROUNDS; i += 1) {
          await makeDue(db, 'all');
          await round();
        }
        await sink.close();
        const parked = await ids(`s.state = 'parked'`);
        const all = [...taken().values()];
        for (const order of all) expect(order).to.deep.equal(order.toSorted((a, b) => a - b));
        expect([...all.flat(), ...parked]).to.include.members([...made]);
        expect(await ids(`s.state is distinct from 'parked'`)).to.deep.equal([]);
      });
      await fc.assert(property, { numRuns: SEQUENCES });
    });
  }
});
