/**
 * What every sink must do, whatever it writes to: one outcome per delivery and in order, nothing lost by a lost answer,
 * nothing done twice by a repetition, one bad message parked alone, a dead destination told from a bad message.
 * A new sink folder runs it unchanged: `sinkConformance('my sink', makeHarness)`.
 */
import { expect } from 'chai';
import type { Circuit, Delivery, Outcome, SendResult, Sink } from '../../src/model/sink.ts';
import { delivery } from '../support/fixtures/delivery.ts';

/**
 * `ready`; `down`: nobody listens; `missing`: the index or table is not there; `refused`: the credential is not
 * accepted; `lost`: requests are obeyed and their answers never arrive.
 */
export type Condition = 'ready' | 'down' | 'missing' | 'refused' | 'lost';

export interface SinkHarness {
  sink: Sink;
  /** How deliver/ hands over a batch: `sink.send`, or a transaction around `sink.within`. */
  send(batch: readonly Delivery[], signal: AbortSignal): Promise<SendResult>;
  /** Throws unless the destination holds exactly what these deliveries leave behind, obeyed in this order. */
  holds(delivered: readonly Delivery[]): Promise<void>;
  /** A delivery that the destination refuses for good; absent: it refuses none (the test is then listed as pending). */
  poison?(id: number): Delivery;
  /** Sending a batch again changes nothing. False only for a sink whose writes commit with the settling. */
  repeats: boolean;
  /** What a missing destination is called; `index_missing` unless it says otherwise. */
  missing?: Circuit['reason'];
  /** `test` only connects: a destination that is missing, or refuses the credential, shows with the next message. */
  tests?: 'connection';
  /** False: backfilled rows have no place here and are parked. */
  reads?: boolean;
  /** Must appear in no error. */
  secret: string | undefined;
  /** Ends the condition. */
  fix(): Promise<void>;
  close(): Promise<void>;
}

/** Undefined: this destination cannot be brought into that condition (the test is then listed as pending). */
export type MakeHarness = (condition: Condition) => Promise<SinkHarness | undefined>;

const NEVER = new AbortController().signal;
const rows = (count: number, from = 1): Delivery[] =>
  Array.from({ length: count }, (_, i) => delivery(from + i, `k${from + i}`));
const kinds = (outcomes: readonly Outcome[]): string[] => outcomes.map(({ kind }) => kind);

export function sinkConformance(name: string, makeHarness: MakeHarness): void {
  describe(`${name} as a sink`, () => {
    let harness: SinkHarness | undefined;

    afterEach(async () => {
      await harness?.sink.close();
      await harness?.close();
      harness = undefined;
    });

    async function arrange(test: Mocha.Context, condition: Condition = 'ready'): Promise<SinkHarness> {
      harness = await makeHarness(condition);
      if (harness === undefined) test.skip();
      return harness;
    }

    async function sendAll(to: SinkHarness, batch: readonly Delivery[]): Promise<void> {
      const { outcomes, circuit } = await to.send(batch, NEVER);
      expect(circuit, circuit?.error).to.equal(undefined);
      expect(outcomes).to.deep.equal(batch.map(() => ({ kind: 'done' })));
    }

    async function expectCircuit(to: SinkHarness, reason: string): Promise<void> {
      const { outcomes, circuit } = await to.send(rows(3), NEVER);
      expectUnknown(outcomes);
      expect(circuit?.reason).to.equal(reason);
      const tested = await to.sink.test(NEVER);
      const shows = to.tests !== 'connection' || reason === 'unreachable';
      expect(tested?.reason).to.equal(shows ? reason : undefined);
      for (const error of [circuit?.error ?? '', ...(shows ? [tested?.error ?? ''] : [])])
        expectError(error, to.secret);
    }

    /** With a circuit nothing was settled: of none, or of each, that it was not tried. */
    function expectUnknown(outcomes: readonly Outcome[]): void {
      expect(outcomes.filter(({ kind }) => kind !== 'untried')).to.deep.equal([]);
    }

    function expectError(error: string, secret: string | undefined): void {
      expect(error).to.not.equal('');
      expect(error.length).to.be.at.most(4000);
      if (secret !== undefined) expect(error).to.not.contain(secret);
    }

    it('states how much it takes at once', async function () {
      const { sink } = await arrange(this);
      expect(sink.batchSize).to.be.greaterThan(0);
      expect(sink.batchBytes).to.be.greaterThan(0);
    });

    it('says that a ready destination is ready', async function () {
      const { sink } = await arrange(this);
      expect(await sink.test(NEVER)).to.equal(undefined);
    });

    it('delivers every kind of action', async function () {
      const to = await arrange(this);
      const batch = [
        delivery(1, 'a'),
        delivery(2, 'b', { action: 'read' }),
        delivery(3, 'c'),
        delivery(4, 'a', { action: 'update', changes: '{"at":1}' }),
        delivery(5, 'c', { action: 'delete' }),
      ];
      const taken = batch.filter(({ action }) => to.reads !== false || action !== 'read');
      const { outcomes, circuit } = await to.send(batch, NEVER);
      expect(circuit, circuit?.error).to.equal(undefined);
      expect(kinds(outcomes)).to.deep.equal(batch.map((row) => (taken.includes(row) ? 'done' : 'park')));
      await to.holds(taken);
    });

    it('delivers nothing, one and a full batch', async function () {
      const to = await arrange(this);
      await sendAll(to, []);
      await sendAll(to, rows(1));
      const full = rows(Math.min(to.sink.batchSize, 1000), 2);
      await sendAll(to, full);
      await to.holds([...rows(1), ...full]);
    });

    it('keeps the order of one row, within a batch and from batch to batch', async function () {
      const to = await arrange(this);
      const life = (['insert', 'update', 'delete', 'insert', 'update'] as const).map((action, i) =>
        delivery(i + 1, 'a', { action }),
      );
      await sendAll(to, life.slice(0, 3));
      await sendAll(to, life.slice(3));
      await to.holds(life);
    });

    it('delivers odd keys and texts as they are', async function () {
      const to = await arrange(this);
      const texts = [
        '"',
        '\\',
        'line\nbreak',
        'tab\t',
        'größe',
        '🙂',
        '日本語',
        "'; drop table x;--",
        ' ',
        '{}',
        'a-b',
        '%2F',
      ];
      const batch = texts.map((text, i) => {
        const record = JSON.stringify({ text, nested: { list: [text], nothing: null, flag: true, number: 1.5 } });
        return delivery(i + 1, text, { record, body: record });
      });
      await sendAll(to, batch);
      await to.holds(batch);
    });

    it('does nothing twice when a batch comes again, late or at once', async function () {
      const to = await arrange(this);
      if (!to.repeats) this.skip();
      const older = rows(5);
      const newer = [delivery(11, 'k1', { action: 'update' }), delivery(12, 'k2', { action: 'delete' })];
      for (const batch of [older, older, newer, older, newer]) await sendAll(to, batch);
      await to.holds([...older, ...newer]);
    });

    it('parks the one message that the destination refuses for good, with its words, and delivers the others', async function () {
      const to = await arrange(this);
      if (to.poison === undefined) this.skip();
      const batch = rows(9);
      batch[4] = to.poison(5);
      const { outcomes, circuit } = await to.send(batch, NEVER);
      expect(circuit).to.equal(undefined);
      const parked = outcomes[4]!;
      expect(kinds(outcomes)).to.deep.equal(batch.map((_, i) => (i === 4 ? 'park' : 'done')));
      expectError('error' in parked ? parked.error : '', to.secret);
      await to.holds(batch.toSpliced(4, 1));
    });

    it('a destination that is down is nobody’s fault, and gets everything when it is back', async function () {
      const to = await arrange(this, 'down');
      await expectCircuit(to, 'unreachable');
      await to.fix();
      expect(await to.sink.test(NEVER)).to.equal(undefined);
      await sendAll(to, rows(3));
      await to.holds(rows(3));
    });

    it('a missing destination stops the sink, and is not made up', async function () {
      const to = await arrange(this, 'missing');
      await expectCircuit(to, to.missing ?? 'index_missing');
      await to.fix();
      await sendAll(to, rows(3));
      await to.holds(rows(3));
    });

    it('a refused credential stops the sink and is not shown', async function () {
      const to = await arrange(this, 'refused');
      await expectCircuit(to, 'auth_failed');
      await to.fix();
      await sendAll(to, rows(3));
      await to.holds(rows(3));
    });

    it('a lost answer is never taken for a success, and sending again makes up for it', async function () {
      const to = await arrange(this, 'lost');
      const { outcomes, circuit } = await to.send(rows(3), NEVER);
      expectUnknown(outcomes);
      expect(circuit?.reason).to.equal('unreachable');
      await to.fix();
      await sendAll(to, rows(3));
      await to.holds(rows(3));
    });

    it('a shutdown is no failed attempt', async function () {
      const to = await arrange(this);
      const { outcomes, circuit } = await to.send(rows(3), AbortSignal.abort());
      expect(circuit).to.equal(undefined);
      expect(kinds(outcomes)).to.not.include.members(['retry']).and.not.include.members(['park']);
      await sendAll(to, rows(3));
      await to.holds(rows(3));
    });

    it('closes twice', async function () {
      const { sink } = await arrange(this);
      await sink.close();
      await sink.close();
      expect(sink.batchSize).to.be.greaterThan(0);
    });
  });
}
