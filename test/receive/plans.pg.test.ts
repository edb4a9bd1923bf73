/**
 * Conditions that several functions share are functions of their own, and cost what they cost where they are written out:
 * Postgres puts them into the statement and finds their rows by index. It does so silently, and silently ceases to.
 */
import { expect } from 'chai';
import { type Database, openPool } from '../../src/db/pool.ts';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { rowsRead } from '../support/postgres/rows-read.ts';

describe('receive: plans', () => {
  let m: MessageDatabase;
  /** As roles have it. */
  let queue: Database;
  let no: number;
  before(async () => {
    m = await messageDatabase();
    queue = openPool({ address: m.url, max: 1, applicationName: 'millrace test', queue: true });
    ({ no } = await addPullSink(m.db, { name: 'planned' }));
  });
  after(async () => {
    await queue.close();
    await m.drop();
  });

  /** Prepared, and planned for any values, as in a function. */
  const planOf = async (sql: string): Promise<string> => {
    await queue.query(`prepare planned (integer) as ${sql}`);
    const { rows } = await queue.query<{ 'QUERY PLAN': string }>(`explain execute planned (${no})`);
    await queue.query('deallocate planned');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };

  for (const [condition, indexes] of [
    ['parked($1, m.id)', ['pkey']],
    ['earlier_in_group($1, m.group_key, m.id)', ['group', 'pkey']],
    ['earlier_leaving($1, m.group_key, m.id)', ['group2', 'pkey']],
    ['blockers($1, m.group_key, m.id)', ['group', 'group2', 'pkey']],
    ['behind_changed_key($1, m.id, m.id + 10)', ['group2']],
  ] as const) {
    it(`${condition} is part of the statement, and found by index`, async () => {
      const plan = await planOf(
        `select m.id, exists (select from millrace_private.${condition} offset 0)
           from millrace_private.messages m where m.sink_no = $1 order by m.lane, m.id`,
      );
      expect(plan).to.not.contain('Function Scan').and.not.contain('Seq Scan').and.not.contain('Hash');
      // It would look at every parked message of the sink.
      expect(plan).to.not.contain('delivery_states_parked');
      for (const index of indexes)
        expect(plan).to.match(new RegExp(`Index (Only )?Scan (Backward )?using \\S+_${index} `));
    });
  }

  const read = async (sql: string, values: readonly unknown[] = []): Promise<number> =>
    await rowsRead(queue, { sql, values, table: 'delivery_states' });

  for (const state of ['leased', 'retrying', 'parked', 'held'])
    it(`what is done to one of many messages that are ${state} looks at no others`, async () => {
      const name = `many-${state}`;
      const { no: of } = await addPullSink(m.db, { name, maxRetryCount: 3 });
      const ids = await appendMessages(
        m.db,
        of,
        Array.from({ length: 500 }, () => ({})),
      );
      const token = 'a'.repeat(32);
      await m.db.query(
        `insert into millrace_private.delivery_states (sink_no, id, lane, state, attempts, due_at, parked_at, token, stage, error)
         select $1, i, 0, $3, 1, case when $3 in ('leased', 'retrying') then clock_timestamp() + interval '1 h' end,
                case when $3 = 'parked' then now() end, $4, 'receive', 'x'
           from unnest($2::bigint[]) i`,
        [of, ids, state, token],
      );
      const given = `'{${token}-${ids[7]}}'`;
      for (const call of [
        `millrace.extend('${name}', ${given}, '1 min')`,
        `millrace.nack('${name}', ${given})`,
        `millrace_private.put_back(${of}, 'release', ${given}, '0')`,
        `millrace.retry('${name}', '{${ids[7]}}')`,
        `millrace.discard('${name}', '{${ids[7]}}')`,
        `millrace.ack('${name}', ${given})`,
      ]) {
        expect(await read(`select ${call}`), call).to.be.below(20);
      }
    });

  it('what is pending is counted, and how late it is is found, without going through all that is parked for each message', async () => {
    const half = 500;
    for (const passed of [true, false]) {
      const { no: of } = await addPullSink(m.db, { name: `parked-${passed}` });
      const ids = await appendMessages(
        m.db,
        of,
        Array.from({ length: 2 * half }, () => ({})),
      );
      await m.db.query(
        `insert into millrace_private.delivery_states (sink_no, id, lane, state, attempts, due_at, parked_at, token)
         select $1, i, 0, case when n > $3 then 'parked' else 'leased' end, 1,
                case when n <= $3 then clock_timestamp() + interval '1 h' end, case when n > $3 then now() end, 'x'
           from unnest($2::bigint[]) with ordinality u (i, n)
          where $4 or n > $3`,
        [of, passed ? ids : ids.toReversed(), half, passed],
      );
      if (passed)
        await m.db.query(
          'insert into millrace_private.cursor_log (sink_no, lane, seq, id, in_flight, swept_at) values ($1, 0, 1, $2, 0, now())',
          [of, ids.at(-1)],
        );
      const { rows } = await m.db.query('select pending from millrace_private.count_pending($1)', [of]);
      expect(rows).to.deep.equal([{ pending: half }]);
      const [counting, looking] = [
        await read('select millrace_private.count_pending($1)', [of]),
        await read('select * from millrace_private.sinks_lag(array[$1::integer])', [of]),
      ];
      expect(counting, 'counting').to.be.below(10 * half);
      expect(looking, 'looking').to.be.below(10 * half);
    }
  });

  it('a receive does not look at thousands of messages that are due besides', async () => {
    const { no: of } = await addPullSink(m.db, { name: 'many-due', maxRetryCount: 3 });
    const ids = await appendMessages(
      m.db,
      of,
      Array.from({ length: 9_000 }, () => ({})),
    );
    await m.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, state, attempts, due_at)
       select $1, i, 0, 'retrying', 0, now() - interval '1 h' + n * interval '1 ms' from unnest($2::bigint[]) with ordinality u (i, n)`,
      [of, ids],
    );
    await m.db.query(
      'insert into millrace_private.cursor_log (sink_no, lane, seq, id, in_flight, swept_at) values ($1, 0, 1, $2, 0, now())',
      [of, ids.at(-1)],
    );
    const receive = `select * from millrace.receive('many-due', 10)`;
    expect(await rowsRead(queue, { sql: receive, table: 'delivery_states' })).to.be.below(5_000);
  });

  it('parks all of thousands of messages whose lease has ended for the last time, and hands out none of them', async () => {
    const { no: of } = await addPullSink(m.db, { name: 'many-spent', maxRetryCount: 0 });
    await appendMessages(
      m.db,
      of,
      Array.from({ length: 4_500 }, () => ({})),
    );
    for (const size of [1_000, 1_000, 1_000, 1_000, 400])
      await m.db.query(`select millrace.receive('many-spent', $1)`, [size]);
    await m.db.query(`update millrace_private.leases set until = now() where sink_no = $1`, [of]);
    const { rows } = await m.db.query(`select * from millrace.receive('many-spent', 1000)`);
    expect(rows).to.have.length(100);
    const { rows: counts } = await m.db.query(
      `select parked::integer, pending::integer from millrace.sink_status where sink_name = 'many-spent'`,
    );
    expect(counts).to.deep.equal([{ parked: 4_400, pending: 100 }]);
  });

  it('ranges_of is part of the statement that reads many messages, and reads each range in order', async () => {
    const plan = await planOf(
      `select r.messages from millrace_private.ranges_of($1, array['a', 'b'], array[1, 5], array[4, 9], null, false) r
        order by r.place`,
    );
    expect(plan).to.not.contain('ranges_of').and.not.contain('Seq Scan').and.not.contain('Sort');
    expect(plan).to.match(/Index Scan using \S+_id on \S+ o/);
  });

  it('next_messages is part of the statement of lease_batches, and reads in order', async () => {
    const plan = await planOf('select a.* from millrace_private.next_messages($1, 10, now()) a');
    expect(plan).to.not.contain('Function Scan').and.not.contain('Seq Scan').and.not.contain('Sort');
  });
});
