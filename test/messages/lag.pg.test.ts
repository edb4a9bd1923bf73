/** How long the oldest message that waits has waited, wherever it is on its way. */
import { expect } from 'chai';
import { addPullSink, addPushSink, appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { pullFrom } from '../support/pull/pull.ts';

describe('the oldest message that waits', () => {
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());

  /** Its place among these, which were committed a minute after each other. */
  const oldest = async (no: number, ids: readonly number[]): Promise<number | null> => {
    const { rows } = await m.db.query<{ id: number }>(
      `select m.id from millrace_private.sinks_lag(array[$1::integer]) l
         join millrace_private.messages m on m.sink_no = l.sink_no and m.committed_at = l.committed_at`,
      [no],
    );
    return rows.length === 0 ? null : ids.indexOf(rows[0]!.id);
  };
  const apart = (no: number): Promise<unknown> =>
    m.db.query(
      `update millrace_private.messages m set committed_at = now() - interval '1 day' + n * interval '1 min'
         from (select id, row_number() over (order by id) as n from millrace_private.messages where sink_no = $1) k
        where m.sink_no = $1 and m.id = k.id`,
      [no],
    );

  it('of a consumer is new, leased, backs off, or is held; never parked', async () => {
    const { no } = await addPullSink(m.db, { name: 'lag-pull' });
    const pull = pullFrom(m.db, no);
    expect(await oldest(no, [])).to.equal(null);
    const ids = await appendMessages(m.db, no, [{ group: 1 }, { group: 2 }, { group: 2 }, { group: 3 }]);
    await apart(no);
    await parkOnArrival(m.db, no, [ids[0]!]);
    expect(await oldest(no, ids), 'new').to.equal(1);
    const first = await pull.receive(1);
    expect(first.ids).to.deep.equal([ids[1]]);
    expect(await oldest(no, ids), 'leased').to.equal(1);
    const second = await pull.receive(1);
    expect(second.ids).to.deep.equal([ids[3]]);
    await pull.nack(first.ackIds, '1 h');
    expect(await oldest(no, ids), 'backs off').to.equal(1);
    await pull.fastForward();
    await pull.ack((await pull.receive(1)).ackIds);
    expect(await oldest(no, ids), 'was held').to.equal(2);
    await pull.ack((await pull.receive(1)).ackIds);
    expect(await oldest(no, ids), 'leased alone').to.equal(3);
    await pull.ack(second.ackIds);
    expect(await oldest(no, ids)).to.equal(null);
  });

  it('of lanes is the oldest of all of them', async () => {
    const { no } = await addPushSink(m.db, { name: 'lag-push', kind: 'search_index', lanes: 2 });
    const ids = await appendMessages(
      m.db,
      no,
      [1, 0, 1, 0].map((lane) => ({ lane })),
    );
    await apart(no);
    const state = (id: number, lane: number, name: string): Promise<unknown> =>
      m.db.query(
        `insert into millrace_private.delivery_states (sink_no, id, lane, state, attempts, due_at)
         values ($1, $2, $3, $4, 1, case when $4 = 'retrying' then now() + interval '1 h' end)`,
        [no, id, lane, name],
      );
    await state(ids[0]!, 1, 'parked');
    expect(await oldest(no, ids)).to.equal(1);
    await state(ids[1]!, 0, 'retrying');
    await m.db.query('select millrace_private.move_cursor($1, 0, 1, $2)', [no, ids[3]]);
    await m.db.query('select millrace_private.move_cursor($1, 1, 1, $2)', [no, ids[2]]);
    expect(await oldest(no, ids)).to.equal(1);
    await m.db.query('delete from millrace_private.delivery_states where sink_no = $1 and id = $2', [no, ids[1]]);
    // What was passed and has no state was settled.
    expect(await oldest(no, ids)).to.equal(null);
    await state(ids[2]!, 1, 'held');
    expect(await oldest(no, ids), 'held behind the parked one').to.equal(2);
  });
});
