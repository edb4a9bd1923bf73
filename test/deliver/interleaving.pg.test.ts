/**
 * What may happen to a lane from outside while it works: a second owner, retry and discard by a person. Each order of events
 * is written down; nothing may be lost, doubled or stuck.
 */
import { expect } from 'chai';
import { createHeartbeat } from '../../src/deliver/heartbeat.ts';
import { readState, settle, takeLane } from '../../src/deliver/settle.ts';
import type { Outcome } from '../../src/model/sink.ts';
import { addPullSink, appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { DONE, nextName, scriptedLane } from '../support/fixtures/scripted-lane.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { openSession, type Session, untilBlocked } from '../support/postgres/sessions.ts';
import { pullFrom } from '../support/pull/pull.ts';
import { until } from '../support/until.ts';

const BUSY: Outcome = { kind: 'retry', error: 'busy' };
const NEVER: Outcome = { kind: 'park', error: 'never' };

describe('a delivery lane, interleaved', () => {
  let m: MessageDatabase;
  let a: Session;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());
  beforeEach(async () => {
    a = await openSession(m.db);
  });
  afterEach(async () => await a.close());

  describe('messages that arrived parked', () => {
    it('are not sent before their turn when they are retried early, and nothing between is lost', async () => {
      const lane = await scriptedLane(m.db);
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
      const lane = await scriptedLane(m.db);
      const ids = await appendMessages(m.db, lane.no, [{ group: 1 }, { group: 2 }]);
      await parkOnArrival(m.db, lane.no, [ids[1]!]);
      lane.meanwhile = () => lane.retry(ids[1]!);
      await lane.run();
      await lane.run();
      expect(lane.sent).to.deep.equal(ids);
      expect(await lane.stored()).to.deep.equal([]);
    });

    it('let a receive wait for the earlier one of their group, and are freed by its acknowledgement', async () => {
      const { no, name } = await addPullSink(m.db, { name: nextName() });
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
      const lane = await scriptedLane(m.db);
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
      await until('another one has it, also after a beat that was under way', async () => {
        await m.db.query(ends, [lane.no]);
        return (await lane.run({}, 'other')).taken;
      });
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
      const lane = await scriptedLane(m.db);
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
      const lane = await scriptedLane(m.db);
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
      const lane = await scriptedLane(m.db);
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
      const lane = await scriptedLane(m.db);
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
      const lane = await scriptedLane(m.db);
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

  describe('a retried message of an index', () => {
    const makeDue = async (no: number, id: number): Promise<unknown> =>
      await m.db.query(
        'update millrace_private.delivery_states set due_at = clock_timestamp() where sink_no = $1 and id = $2',
        [no, id],
      );

    it('replaces an earlier one that waits longer, so that this one does not come after it', async () => {
      const lane = await scriptedLane(m.db, 'search_index');
      const [first] = await appendMessages(m.db, lane.no, [{ group: 1 }]);
      lane.answer = () => BUSY;
      await lane.run();
      const [second, third] = await appendMessages(m.db, lane.no, [{ group: 1, action: 'delete' }, { group: 2 }]);
      await lane.run();
      lane.answer = () => DONE;
      await makeDue(lane.no, second!);
      await lane.run();
      expect(await lane.states()).to.have.keys([String(third)]);
      await lane.makeDue();
      await lane.run();
      expect(lane.sent.lastIndexOf(first!)).to.be.lessThan(lane.sent.lastIndexOf(second!));
      expect(await lane.stored()).to.deep.equal([]);
    });
  });

  describe('a parked message', () => {
    it('holds nothing back in a change table, whenever the later ones come', async () => {
      const lane = await scriptedLane(m.db);
      const ids = await appendMessages(m.db, lane.no, [{ group: 1 }, { group: 1 }]);
      lane.answer = ({ id }) => (id === ids[0] ? NEVER : DONE);
      await lane.run();
      ids.push(...(await appendMessages(m.db, lane.no, [{ group: 1 }])));
      await lane.run();
      expect(lane.sent).to.deep.equal(ids);
      expect(await lane.states()).to.deep.equal({ [ids[0]!]: 'parked' });
    });

    it('is replaced in an index by a later document, even when that was sent in the same round', async () => {
      const lane = await scriptedLane(m.db, 'search_index');
      const messages = [1, 2, 3, 1].map((group) => ({ group, recordPks: [String(group)] }));
      const ids = await appendMessages(m.db, lane.no, messages);
      lane.answer = ({ id }) => (id === ids[0] ? BUSY : DONE);
      await lane.run();
      expect(await lane.states(), 'a document that is older than the one in the index').to.deep.equal({});
      expect(await lane.stored()).to.deep.equal([]);
    });
  });
});
