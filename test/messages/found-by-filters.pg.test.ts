/** What a filter asks of a message is kept with its delivery state, and is found alike where a release of before did not keep it. */
import { expect } from 'chai';
import { countMessages, listMessages, type MessageFilter } from '../../src/admin/list-messages.ts';
import { groupMessages } from '../../src/admin/message-groups.ts';
import { countFailed, settleFound } from '../../src/admin/settle-messages.ts';
import { addPullSink, addPushSink, appendMessages, type MessageFixture } from '../support/fixtures/fixtures.ts';
import { scriptedLane, shapingLane } from '../support/fixtures/scripted-lane.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { pullFrom } from '../support/pull/pull.ts';

const TOLD = `source_table, action, record_pks, committed_at`;
const MESSAGES: readonly MessageFixture[] = [
  { group: 1, action: 'insert', recordPks: ['17'] },
  { group: 1, action: 'update', recordPks: ['17'] },
  { group: 2, action: 'delete', recordPks: ['a-b', 'c'] },
  { group: 3, action: 'update', recordPks: ['117'] },
];

describe('messages that left the straight path', () => {
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());

  /** The states of a sink, and those that do not say of their message what that says itself. */
  const statesOf = async (sinkNo: number): Promise<{ count: number; wrong: number }> => {
    const { rows } = await m.db.query<{ count: number; wrong: number }>(
      `select count(*)::integer as count,
              count(*) filter (where (x.source_table, x.action, x.record_pks, x.committed_at)
                                     is distinct from (o.source_table, o.action::"char", o.record_pks, o.committed_at))::integer as wrong
         from millrace_private.delivery_states x
         join millrace_private.messages o on o.sink_no = x.sink_no and o.lane = x.lane and o.id = x.id
        where x.sink_no = $1`,
      [sinkNo],
    );
    return rows[0]!;
  };
  const forget = (sinkNo: number): Promise<unknown> =>
    m.db.query(
      `update millrace_private.delivery_states
          set source_table = null, action = null, record_pks = null, committed_at = null where sink_no = $1`,
      [sinkNo],
    );

  it('say what their message is, whichever way they left it', async () => {
    const { no } = await addPullSink(m.db, { name: 'clients' });
    const pull = pullFrom(m.db, no);
    await appendMessages(m.db, no, [...MESSAGES, { group: 4 }, { group: 4 }]);
    const given = await pull.receive(1);
    await pull.nack(given.ackIds, '1 h');
    const late = await pull.receive(1);
    await pull.expire(late.token);
    const back = await pull.receive(1);
    await pull.release(back.ackIds);
    const left = (await pull.deliveryStates()).map(({ id }) => id);
    expect(left).to.include.members([...given.ids, ...late.ids, ...back.ids]);
    expect(await statesOf(no)).to.deep.equal({ count: left.length, wrong: 0 });
    // The first of its group is done, and the next one, which was passed, becomes due.
    for (let turn = 0; turn < 6; turn += 1) await pull.ack((await pull.receive(10)).ackIds);
    await pull.fastForward();
    await pull.ack((await pull.receive(1)).ackIds);
    expect(await statesOf(no)).to.have.property('wrong', 0);

    const pushed = await scriptedLane(m.db);
    await appendMessages(m.db, pushed.no, MESSAGES);
    pushed.answer = () => ({ kind: 'park', error: 'refused' });
    await pushed.run();
    expect(await statesOf(pushed.no)).to.deep.equal({ count: 4, wrong: 0 });
    // One that a release of before has parked is told of when it fails again.
    await forget(pushed.no);
    await pushed.retry(...(await pushed.stored()));
    await pushed.run();
    expect(await statesOf(pushed.no)).to.deep.equal({ count: 4, wrong: 0 });
  });

  it('say so when they were shaped late', async () => {
    const verdicts = new Map<number, 'fail'>();
    const shaping = await shapingLane(m.db, verdicts);
    const ids = await shaping.appendRaw(MESSAGES);
    verdicts.set(ids[0]!, 'fail');
    await shaping.run();
    expect((await shaping.pull.receive(10)).ids).to.deep.equal(ids.slice(1));
    verdicts.clear();
    await shaping.retry(ids[0]!);
    await shaping.run();
    expect(await statesOf(shaping.no)).to.include({ wrong: 0 });
    expect(await shaping.pull.deliveryStates()).to.deep.include({
      id: ids[0],
      state: 'waiting',
      attempts: 0,
      error: null,
    });
  });

  it('are found, counted, grouped and put back alike when a release of before wrote what they are', async () => {
    const { no, name } = await addPushSink(m.db, { name: 'found', kind: 'search_index' });
    const ids = await appendMessages(m.db, no, MESSAGES);
    await m.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, stage, error, parked_at, ${TOLD})
       select m.sink_no, m.id, m.lane, m.group_key, 'parked', 1, 'send', 'field [' || m.id || ']', now(), ${TOLD}
         from millrace_private.messages m where m.sink_no = $1`,
      [no],
    );
    const { groups } = await groupMessages(m.db, no);
    expect(groups).to.have.length(1);
    const cases: [filter: MessageFilter, places: number[]][] = [
      [{}, [0, 1, 2, 3]],
      [{ table: 'public.orders' }, [0, 1, 2, 3]],
      [{ table: 'public.others' }, []],
      [{ key: '17' }, [0, 1]],
      [{ key: '7' }, []],
      [{ key: 'a\\-b-c' }, [2]],
      [{ action: 'update', table: 'public.orders' }, [1, 3]],
      [{ error: `FIELD [${ids[1]}` }, [1]],
      [{ error: `${ids[1]}`, action: 'insert' }, []],
      [{ since: '2026-11-21T08:00:00.123456Z', until: '2026-11-21T08:00:00.123457Z' }, [0, 1, 2, 3]],
      [{ until: '2026-11-21T08:00:00.123456Z' }, []],
      [{ group: groups[0]!.group, key: '17' }, [0, 1]],
      [{ group: '0123456789abcdef' }, []],
    ];
    for (const known of ['whole', 'in part', 'not'] as const) {
      if (known === 'in part')
        await m.db.query(
          'update millrace_private.delivery_states set source_table = null, action = null, record_pks = null, committed_at = null where id = any ($1)',
          [ids.slice(0, 2)],
        );
      if (known === 'not') await forget(no);
      expect((await groupMessages(m.db, no)).groups, known).to.deep.equal(groups);
      for (const [filter, places] of cases) {
        const wanted = places.map((place) => ids[place]!);
        const what = `${known} ${JSON.stringify(filter)}`;
        for (const state of ['parked', undefined] as const) {
          const asked = state === undefined ? filter : { ...filter, state };
          for (const order of ['oldest', 'newest'] as const) {
            const { messages, last, scanned } = await listMessages(m.db, no, { filter: asked, order, limit: 10 });
            const found = messages.map(({ id }) => id);
            expect(order === 'oldest' ? found : found.toReversed(), what).to.deep.equal(wanted);
            expect([last, scanned], what).to.deep.equal([order === 'oldest' ? ids.at(-1) : ids[0], ids.length]);
          }
          expect(await countMessages(m.db, no, asked), what).to.deep.equal({
            count: wanted.length,
            is_estimate: false,
          });
        }
        const sink = { no, name };
        const dry = await settleFound(m.db, 'retry', { sink, filter, limit: 10, dryRun: true });
        expect(dry, what).to.deep.equal({ count: wanted.length, more: false });
      }
      expect(await countFailed(m.db, 'retry', { sink: { no, name }, filter: {} })).to.include({ count: 4 });
    }
  });

  it('have the error of the circuit where they have none of their own, as all others do', async () => {
    const { no } = await addPushSink(m.db, { name: 'open', kind: 'search_index' });
    const ids = await appendMessages(m.db, no, MESSAGES);
    await m.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, stage, error, ${TOLD})
       select m.sink_no, m.id, m.lane, m.group_key, 'held', 1, 'send', case when m.id = $2 then 'version conflict' end, ${TOLD}
         from millrace_private.messages m where m.sink_no = $1 and m.id = any ($3::bigint[])`,
      [no, ids[1], ids.slice(1, 3)],
    );
    const found = async (filter: MessageFilter): Promise<number[]> =>
      (await listMessages(m.db, no, { filter, limit: 10 })).messages.map(({ id }) => ids.indexOf(id));
    expect(await found({ error: 'conflict' })).to.deep.equal([1]);
    expect(await found({ error: 'no such index' })).to.deep.equal([]);
    await m.db.query(
      `insert into millrace_private.circuits (sink_no, reason, error, probe_at) values ($1, 'index_missing', 'No such index', now())`,
      [no],
    );
    expect(await found({ error: 'no such index' })).to.deep.equal([0, 2, 3]);
    expect(await found({ error: 'conflict' })).to.deep.equal([1]);
    expect(await found({ error: 'no such index', state: 'held' })).to.deep.equal([2]);
    expect(await found({ error: 'no such index', state: 'waiting', key: '17' })).to.deep.equal([0]);
    expect(await countMessages(m.db, no, { error: 'no such index' })).to.have.property('count', 3);
  });

  it('of a consumer are leased or held by what a receive has passed, and those that wait are not looked at', async () => {
    const { no } = await addPullSink(m.db, { name: 'passed' });
    const pull = pullFrom(m.db, no);
    const ids = await appendMessages(m.db, no, [...MESSAGES, { group: 5 }, { group: 6 }]);
    const { ids: leased } = await pull.receive(2);
    const list = async (state: MessageFilter['state'], order: 'oldest' | 'newest') => {
      const { messages, scanned } = await listMessages(m.db, no, { filter: { state }, order, limit: 10 });
      return [messages.map(({ id }) => id), scanned];
    };
    expect(leased).to.deep.equal([ids[0], ids[2]]);
    expect(await list('leased', 'oldest')).to.deep.equal([leased, 3]);
    expect(await list('leased', 'newest')).to.deep.equal([leased.toReversed(), 3]);
    expect(await list('held', 'oldest')).to.deep.equal([[ids[1]], 3]);
    expect(await countMessages(m.db, no, { state: 'leased' })).to.deep.equal({ count: 2, is_estimate: false });
    expect(await list('waiting', 'oldest')).to.deep.equal([ids.slice(3), 6]);
  });
});
