/**
 * What may happen to a lane from outside while it works: a second owner, retry and discard by a person, a receiver of the
 * messages that it shapes. Each order of events is written down; nothing may be lost, doubled or stuck.
 */
import { expect } from 'chai';
import { createHeartbeat } from '../../src/deliver/heartbeat.ts';
import type { LaneEnd } from '../../src/deliver/held-lane.ts';
import { readState, settle, takeLane } from '../../src/deliver/settle.ts';
import type { LaneSink } from '../../src/deliver/target.ts';
import type { Delivery, Outcome, Sink, SinkTransaction } from '../../src/model/sink.ts';
import { openShapedConsumer } from '../../src/sinks/pull/sink.ts';
import type { Sandbox } from '../../src/transform/sandbox.ts';
import type { Shaped } from '../../src/transform/shape.ts';
import {
  addPullSink,
  addPushSink,
  appendMessages,
  type MessageFixture,
  parkOnArrival,
} from '../support/fixtures/fixtures.ts';
import { laneSink, runOnce } from '../support/fixtures/lane.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { openSession, type Session, untilBlocked } from '../support/postgres/sessions.ts';
import { type Pull, pullFrom } from '../support/pull/pull.ts';
import { until } from '../support/until.ts';

const DONE: Outcome = { kind: 'done' };
const BUSY: Outcome = { kind: 'retry', error: 'busy' };
const NEVER: Outcome = { kind: 'park', error: 'never' };

describe('a delivery lane, interleaved', () => {
  let m: MessageDatabase;
  let a: Session;
  let made = 0;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());
  beforeEach(async () => {
    a = await openSession(m.db);
    verdicts.clear();
  });
  afterEach(async () => await a.close());

  interface World {
    no: number;
    name: string;
    /** Ids in the order they were sent. */
    sent: number[];
    /** What the destination answers; done without it. */
    answer: (delivery: Delivery) => Outcome;
    /** Runs before a batch is answered, once. False: the destination is gone. */
    meanwhile: () => Promise<unknown>;
    run(more?: Partial<LaneSink>, owner?: string): Promise<LaneEnd>;
    retry(...ids: number[]): Promise<number>;
    discard(...ids: number[]): Promise<number>;
    /** Backing off is over. */
    makeDue(): Promise<unknown>;
    stored(): Promise<number[]>;
    states(): Promise<Record<number, string>>;
  }

  function world(no: number, name: string, lane: number, target: Partial<LaneSink> = {}): World {
    const one = async (sql: string, values: unknown[]): Promise<number> =>
      (await m.db.query<{ count: number }>(sql, values)).rows[0]!.count;
    const self: World = {
      no,
      name,
      sent: [],
      answer: () => DONE,
      meanwhile: () => Promise.resolve(),
      async run(more = {}, owner = 'me') {
        const sink: Sink = {
          batchSize: 3,
          batchBytes: 1_000_000,
          async send(batch) {
            self.sent.push(...batch.map(({ id }) => id));
            const { meanwhile } = self;
            self.meanwhile = () => Promise.resolve();
            if ((await meanwhile()) === false)
              return { outcomes: [], circuit: { reason: 'unreachable', error: 'gone' } };
            return { outcomes: batch.map(self.answer) };
          },
          test: () => Promise.resolve(undefined),
          close: () => Promise.resolve(),
        };
        return await runOnce(
          { db: m.db, sandbox },
          { target: laneSink({ no, name, sink, deleteOnLeave: true, ...target, ...more }), lane, owner },
        );
      },
      retry: async (...ids) => await one('select millrace.retry($1, $2) as count', [name, ids]),
      discard: async (...ids) => await one('select millrace.discard($1, $2) as count', [name, ids]),
      makeDue: () =>
        m.db.query(
          'update millrace_private.delivery_states set due_at = clock_timestamp() where sink_no = $1 and due_at is not null',
          [no],
        ),
      async stored() {
        const { rows } = await m.db.query<{ id: number }>(
          'select id from millrace_private.messages where sink_no = $1 order by id',
          [no],
        );
        return rows.map(({ id }) => id);
      },
      async states() {
        const { rows } = await m.db.query<{ id: number; state: string }>(
          'select id, state from millrace_private.delivery_states where sink_no = $1',
          [no],
        );
        return Object.fromEntries(rows.map(({ id, state }) => [id, state]));
      },
    };
    return self;
  }

  async function push(kind: 'search_index' | 'change_table' = 'change_table'): Promise<World> {
    made += 1;
    const { no, name } = await addPushSink(m.db, { name: `lane-${made}`, kind });
    return world(no, name, 0, { replaces: kind === 'search_index' });
  }

  interface ShapedWorld extends World {
    pull: Pull;
    appendRaw(messages: readonly MessageFixture[]): Promise<number[]>;
  }

  /** A pull consumer with functions. `verdicts`: what they make of a message, by id; kept unchanged without one. */
  async function shaped(): Promise<ShapedWorld> {
    made += 1;
    const { no, name } = await addPullSink(m.db, { name: `lane-${made}`, lanes: 1 });
    const one = world(no, name, 1, {
      sink: openShapedConsumer({ sinkNo: no, transformed: false }),
      shapes: true,
      functions: { filter: { name: 'f', type: 'filter', code: '', path: null, sink_type: null } },
    });
    return Object.assign(one, {
      pull: pullFrom(m.db, no),
      appendRaw: async (messages: readonly MessageFixture[]) =>
        await appendMessages(
          m.db,
          no,
          messages.map((message) => ({ ...message, lane: 1 })),
        ),
    });
  }

  /** The functions of `shaped`, by the message's own number. */
  const verdicts = new Map<number, 'drop' | 'fail'>();
  const sandbox: Sandbox = {
    check: () => Promise.resolve(undefined),
    reads: () => 4,
    mostLength: 1,
    close: () => Promise.resolve(),
    shape: (_set, inputs) =>
      Promise.resolve(
        inputs.map(({ record }): Shaped => {
          const verdict = verdicts.get(JSON.parse(record).no);
          if (verdict === 'drop') return { kept: false };
          if (verdict === 'fail') return { kept: true, error: { kind: 'threw', message: 'no', function: 'f' } };
          return { kept: true };
        }),
      ),
  };

  describe('messages that arrived parked', () => {
    it('are not sent before their turn when they are retried early, and nothing between is lost', async () => {
      const lane = await push();
      const ids = await appendMessages(
        m.db,
        lane.no,
        Array.from({ length: 8 }, (_, i) => ({ group: i })),
      );
      await parkOnArrival(m.db, lane.no, [ids[6]!]);
      expect(await lane.retry(ids[6]!)).to.equal(1);
      // The destination goes away after the first batch: what was not sent must still be there.
      lane.meanwhile = async () => {
        lane.meanwhile = () => Promise.resolve(false);
      };
      await lane.run();
      expect(await lane.stored()).to.deep.equal(ids.slice(3));
      await m.db.query('delete from millrace_private.circuits');
      await lane.run();
      expect([...new Set(lane.sent)]).to.deep.equal(ids);
      expect(await lane.stored()).to.deep.equal([]);
      expect(await lane.states()).to.deep.equal({});
    });

    it('stay retried when the lane passes them at the same moment', async () => {
      const lane = await push();
      const ids = await appendMessages(m.db, lane.no, [{ group: 1 }, { group: 2 }]);
      await parkOnArrival(m.db, lane.no, [ids[1]!]);
      lane.meanwhile = () => lane.retry(ids[1]!);
      await lane.run();
      await lane.run();
      expect(lane.sent).to.deep.equal(ids);
      expect(await lane.stored()).to.deep.equal([]);
    });

    it('let a receive wait for the earlier one of their group, and are freed by its acknowledgement', async () => {
      made += 1;
      const { no, name } = await addPullSink(m.db, { name: `lane-${made}` });
      const pull = pullFrom(m.db, no);
      const ids = await appendMessages(m.db, no, [{ group: 1 }, { group: 1 }, { group: 2 }]);
      await parkOnArrival(m.db, no, [ids[1]!]);
      await m.db.query('select millrace.retry($1, $2)', [name, [ids[1]]]);
      const first = await pull.receive(1);
      expect(first.ids).to.deep.equal([ids[0]]);
      // Held, and above the cursor: nobody has passed it yet.
      expect(await pull.ack(first.ackIds)).to.equal(1);
      expect(new Set((await pull.receive(10)).ids)).to.deep.equal(new Set(ids.slice(1)));
    });
  });

  describe('its owner', () => {
    it('that was stopped past its lease does not get the lane back after somebody else had it', async () => {
      const lane = await push();
      const id = { sinkNo: lane.no, lane: 0, owner: 'stopped' };
      await appendMessages(m.db, lane.no, [{ group: 1 }]);
      expect(await takeLane(m.db, id)).to.equal(true);
      let isLost = false;
      const lost = (): void => {
        isLost = true;
      };
      const heartbeat = createHeartbeat(m.db, { everyMs: 20 });
      const ends = `update millrace_private.lanes set until = clock_timestamp() - interval '1 s' where sink_no = $1`;
      await m.db.query(ends, [lane.no]);
      const hold = heartbeat.hold(id, { since: heartbeat.clock(), onLost: lost });
      await until('nobody has it: it goes on', async () => {
        const sql = 'select from millrace_private.lanes where sink_no = $1 and until > clock_timestamp()';
        return (await m.db.query(sql, [lane.no])).rowCount > 0;
      });
      hold.end();
      await m.db.query(ends, [lane.no]);
      await lane.run({}, 'other');
      expect(await lane.stored()).to.deep.equal([]);
      expect(isLost).to.equal(false);
      // It wakes up: its heartbeat comes before the end of its batch, and the lane has no owner just now.
      const again = heartbeat.hold(id, { since: heartbeat.clock(), onLost: lost });
      await until('it has lost the lane', () => isLost);
      again.end();
      const batch = { lo: 0, hi: 5, settlement: { finished: [], remaining: [], superseding: [] } };
      const refused = await settle(m.db, id, batch).then(
        () => 'settled',
        (error: { code: string }) => error.code,
      );
      expect(refused).to.equal('MR002');
    });

    it('that lost the lane in the middle of a batch turns neither cursor nor messages back', async () => {
      const lane = await push();
      const ids = await appendMessages(m.db, lane.no, [{ group: 1 }, { group: 2 }]);
      lane.meanwhile = async () => {
        await m.db.query(
          `update millrace_private.lanes set until = clock_timestamp() - interval '1 s' where sink_no = $1`,
          [lane.no],
        );
        await appendMessages(m.db, lane.no, [{ group: 3 }]);
        await lane.run({}, 'other');
      };
      expect(await lane.run({}, 'stopped')).to.deep.equal({ taken: true, again: 'now' });
      const { cursor } = await readState(m.db, { sinkNo: lane.no, lane: 0, owner: '' });
      expect(cursor).to.be.greaterThan(ids[1]!);
      expect(await lane.stored()).to.deep.equal([]);
    });
  });

  describe('a person', () => {
    it('who discards a message while a later one of its group is held leaves nothing stuck', async () => {
      const lane = await push();
      const [first] = await appendMessages(m.db, lane.no, [{ group: 1 }]);
      lane.answer = () => BUSY;
      await lane.run();
      expect(await lane.states()).to.deep.equal({ [first!]: 'retrying' });
      const [second, other] = await appendMessages(m.db, lane.no, [{ group: 1 }, { group: 2 }]);
      // The lane has read that the second must wait; before it settles, the first is discarded.
      lane.answer = () => DONE;
      lane.meanwhile = () => lane.discard(first!);
      await lane.run();
      await lane.run();
      expect(lane.sent).to.deep.equal([first, other, second]);
      expect(await lane.stored()).to.deep.equal([]);
      expect(await lane.states()).to.deep.equal({});
    });

    it('who discards at the moment of settling waits for it, and frees what it held', async () => {
      const lane = await push();
      const [first] = await appendMessages(m.db, lane.no, [{ group: 1 }]);
      lane.answer = () => BUSY;
      await lane.run();
      const [second] = await appendMessages(m.db, lane.no, [{ group: 1 }]);
      const id = { sinkNo: lane.no, lane: 0, owner: 'me' };
      await takeLane(m.db, id);
      await a.query('begin');
      const held = { id: second!, state: 'held' as const, attempts: 0, delay_ms: 0, stage: null, error: null };
      await settle(a, id, {
        lo: first!,
        hi: second!,
        settlement: { finished: [], remaining: [held], superseding: [] },
      });
      const b = await openSession(m.db);
      const discarding = b.query('select millrace.discard($1, $2)', [lane.name, [first]]);
      await untilBlocked(m.db, b, a);
      await a.query('commit');
      await discarding;
      await b.close();
      lane.answer = () => DONE;
      await lane.run();
      expect(await lane.stored()).to.deep.equal([]);
    });

    it('who discards a held message does not let a later one overtake the failing one', async () => {
      const lane = await push();
      const ids = await appendMessages(m.db, lane.no, [{ group: 1 }]);
      lane.answer = () => BUSY;
      await lane.run();
      ids.push(...(await appendMessages(m.db, lane.no, [{ group: 1 }, { group: 1 }])));
      await lane.run();
      expect(await lane.discard(ids[1]!)).to.equal(1);
      expect(await lane.states()).to.deep.equal({ [ids[0]!]: 'retrying', [ids[2]!]: 'held' });
      lane.answer = () => DONE;
      await lane.makeDue();
      await lane.run();
      await lane.run();
      expect(lane.sent).to.deep.equal([ids[0], ids[0], ids[2]]);
      expect(await lane.stored()).to.deep.equal([]);
    });

    it('who discards a message that is under way finds it gone, and the lane goes on', async () => {
      const lane = await push();
      const [first] = await appendMessages(m.db, lane.no, [{ group: 1 }]);
      lane.answer = () => BUSY;
      await lane.run();
      await lane.makeDue();
      lane.meanwhile = () => lane.discard(first!);
      await lane.run();
      expect(await lane.states()).to.deep.equal({});
      expect(await lane.stored()).to.deep.equal([]);
    });
  });

  describe('a parked message', () => {
    it('holds nothing back in a change table, whenever the later ones come', async () => {
      const lane = await push();
      const ids = await appendMessages(m.db, lane.no, [{ group: 1 }, { group: 1 }]);
      lane.answer = ({ id }) => (id === ids[0] ? NEVER : DONE);
      await lane.run();
      ids.push(...(await appendMessages(m.db, lane.no, [{ group: 1 }])));
      await lane.run();
      expect(lane.sent).to.deep.equal(ids);
      expect(await lane.states()).to.deep.equal({ [ids[0]!]: 'parked' });
    });

    it('is replaced in an index by a later document, even when that was sent in the same round', async () => {
      const lane = await push('search_index');
      const messages = [1, 2, 3, 1].map((group) => ({ group, recordPks: [String(group)] }));
      const ids = await appendMessages(m.db, lane.no, messages);
      lane.answer = ({ id }) => (id === ids[0] ? BUSY : DONE);
      await lane.run();
      expect(await lane.states(), 'a document that is older than the one in the index').to.deep.equal({});
      expect(await lane.stored()).to.deep.equal([]);
    });
  });

  describe('that shapes for a pull consumer', () => {
    /** `first` was parked and is retried; meanwhile `later` of its group is shaped, and a receive passes it. */
    async function passed(): Promise<{ lane: ShapedWorld; first: number; later: number }> {
      const lane = await shaped();
      const [first] = await lane.appendRaw([{ group: 1 }]);
      verdicts.set(first!, 'fail');
      await lane.run();
      const [later] = await lane.appendRaw([{ group: 1 }]);
      await lane.run();
      await lane.retry(first!);
      expect((await lane.pull.receive(10)).ids, 'behind one that is to be shaped again').to.deep.equal([]);
      return { lane, first: first!, later: later! };
    }

    it('hands the later one out when the functions drop the earlier one', async () => {
      const { lane, first, later } = await passed();
      verdicts.set(first, 'drop');
      await lane.run();
      expect((await lane.pull.receive(10)).ids).to.deep.equal([later]);
    });

    it('hands the later one out when the earlier one is parked again', async () => {
      const { lane, first, later } = await passed();
      await lane.run();
      expect(await lane.states()).to.include({ [first]: 'parked' });
      expect((await lane.pull.receive(10)).ids).to.deep.equal([later]);
    });

    it('hands both out, in order, when the earlier one is shaped', async () => {
      const { lane, first, later } = await passed();
      verdicts.clear();
      await lane.run();
      const got = await lane.pull.receive(10);
      expect(got.ids).to.deep.equal([first]);
      await lane.pull.ack(got.ackIds);
      expect((await lane.pull.receive(10)).ids).to.deep.equal([later]);
    });

    it('hands the later one out when the earlier one is discarded', async () => {
      const { lane, first, later } = await passed();
      expect(await lane.discard(first)).to.equal(1);
      expect((await lane.pull.receive(10)).ids).to.deep.equal([later]);
    });

    it('goes on with what it held behind one that was retried', async () => {
      const lane = await shaped();
      const [first] = await lane.appendRaw([{ group: 1 }]);
      verdicts.set(first!, 'fail');
      await lane.run();
      await lane.pull.receive(10);
      await lane.retry(first!);
      const [later, other] = await lane.appendRaw([{ group: 1 }, { group: 2 }]);
      verdicts.clear();
      for (let i = 0; i < 3; i += 1) await lane.run();
      const got = await lane.pull.receive(10);
      expect(got.ids).to.have.members([first, other]);
      await lane.pull.ack(got.ackIds);
      expect((await lane.pull.receive(10)).ids).to.deep.equal([later]);
    });

    it('stores nothing of a message that is discarded while it is being shaped', async () => {
      const lane = await shaped();
      const [first] = await lane.appendRaw([{ group: 1 }]);
      verdicts.set(first!, 'fail');
      await lane.run();
      const [other] = await lane.appendRaw([{ group: 2 }]);
      await lane.run();
      expect((await lane.pull.receive(10)).ids).to.deep.equal([other]);
      await lane.retry(first!);
      // The shaped row is written, the raw one not settled yet: the discarding person waits.
      const sink = openShapedConsumer({ sinkNo: lane.no, transformed: false });
      const within = async (tx: SinkTransaction, batch: readonly Delivery[]) => {
        const result = await sink.within!(tx, batch);
        discarding = a.query<{ discard: number }>('select millrace.discard($1, $2)', [lane.name, [first]]);
        const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
        await untilBlocked(m.db, a, { ...a, pid: rows[0]!.pid });
        return result;
      };
      let discarding: ReturnType<Session['query']> | undefined;
      verdicts.clear();
      await lane.run({ sink: { ...sink, within } });
      expect((await discarding)!.rows).to.deep.equal([{ discard: 0 }]);
      expect((await lane.pull.receive(10)).ids).to.deep.equal([first]);
    });
  });
});
