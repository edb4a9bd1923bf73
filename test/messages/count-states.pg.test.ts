/** Messages that failed are counted alike everywhere, and by index: a sink may have hundreds of thousands of them. */
import { expect } from 'chai';
import { readOverview } from '../../src/admin/overview.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import { addPullSink } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';

describe('messages that failed', () => {
  let m: MessageDatabase;
  /** As roles have it. */
  let queue: Database;
  let no: number;
  before(async () => {
    m = await messageDatabase();
    queue = openPool({ address: m.url, max: 1, applicationName: 'millrace test', queue: true });
    ({ no } = await addPullSink(m.db, { name: 'counted' }));
  });
  after(async () => {
    await queue.close();
    await m.drop();
  });

  /** Of each state one more than of the one before; a fifth of those parked failed in a function. */
  const SINCE = '2026-02-03T04:05:06.000Z';
  const add = (factor: number): Promise<unknown> =>
    m.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, state, attempts, due_at, stage, error, parked_at)
       select $1, row_number() over () + coalesce((select max(id) from millrace_private.delivery_states), 0), 0, k.state, 1,
              case when k.state in ('leased', 'retrying', 'waiting') then now() + interval '1 h' end,
              case when k.state = 'parked' and n % 5 = 0 then 'shape' when k.state = 'retrying' and n = 1 then 'index' else 'send' end,
              case when k.state = 'retrying' and n = 1 then 'no such index' else 'refused' end,
              case when k.state = 'parked' then $3::timestamptz + n * interval '1 s' - interval '1 s' end
         from unnest(array['leased', 'retrying', 'waiting', 'held', 'parked']) with ordinality k (state, place)
        cross join lateral generate_series(1, $2::integer * (k.place + 1)) n`,
      [no, factor, SINCE],
    );

  it('are counted alike in the overview, the views and the backlog', async () => {
    await add(5);
    const { sinks } = await readOverview(queue, Date.now);
    expect(sinks[0]).to.deep.include({ retrying: 15 + 25, parked: 30, faulty: 6, error: 'no such index' });
    expect(sinks[0]!.parked_since?.toISOString()).to.equal(SINCE);
    const read = async (from: string): Promise<unknown> => (await m.db.query(from)).rows[0];
    const both = { retrying: 40, parked: 30 };
    expect(await read('select retrying, parked from millrace.sink_status')).to.deep.equal(both);
    expect(await read('select retrying, parked from millrace_private.sinks_backlog()')).to.deep.equal(both);
    expect(await read('select leased, retrying, held, parked from millrace.consumer_status')).to.deep.equal({
      ...{ leased: 10, retrying: 15, held: 25, parked: 30 },
    });
  });

  /** A queue is analysed when it is empty, when it is full, or never. */
  const TIMES: Record<string, () => Promise<unknown>> = {
    'never analysed': () => add(400),
    'analysed when it is full': () => m.db.query('analyze millrace_private.delivery_states'),
    async 'analysed when it was empty'() {
      await m.db.query('truncate millrace_private.delivery_states');
      await m.db.query('analyze millrace_private.delivery_states');
      await add(400);
    },
  };
  for (const [when, act] of Object.entries(TIMES)) {
    it(`are counted without their rows where those that are parked or held are many: ${when}`, async () => {
      await act();
      const { rows } = await queue.query<{ 'QUERY PLAN': string }>(
        `explain select x.* from millrace_private.sinks s cross join lateral millrace_private.count_states(s.no) x`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan)
        .to.not.contain('Function Scan')
        .and.not.contain('Seq Scan')
        .and.not.contain('_pkey on delivery_states');
      expect(plan).to.match(/Index Only Scan using delivery_states_parked_at /);
      expect(plan).to.match(/Index Only Scan using delivery_states_held /);
      expect(plan).to.match(/Index Scan using delivery_states_due /);
    });
  }
});
