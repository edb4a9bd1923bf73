/**
 * Thousands of messages that failed, and what reads and settles beside them: as counted, with statistics that know of them. Postgres then
 * takes an index that leads past all of them to be as good as the one that leads to those of one row.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { type Database, openPool } from '../../src/db/pool.ts';
import { statement } from '../../src/db/statement.ts';
import { addPullSink, addPushSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { rowsRead } from '../support/postgres/rows-read.ts';

const MANY = 3_000;
/** So many that a plan with a step for each message seems to cost no more than others. */
const VERY_MANY = 60_000;
const SETTLE = `select millrace_private.settle($1, 0, 'us', 0, 0, $2::bigint[], null, '{}'::bigint[])`;

describe('a lane beside thousands of messages that failed', () => {
  let m: MessageDatabase;
  /** As a worker has it. */
  let queue: Database;
  before(async () => {
    m = await messageDatabase();
    queue = openPool({ address: m.url, max: 1, applicationName: 'millrace test', queue: true });
  });
  after(async () => {
    await queue.close();
    await m.drop();
  });

  /** Ordered by groups as a webhook, or by keys as an index. */
  const addSink = async (name: string, { isOrdered }: { isOrdered: boolean }): Promise<number> => {
    const { no } = isOrdered
      ? await addPullSink(m.db, { name, lanes: 1 })
      : await addPushSink(m.db, { name, kind: 'search_index' });
    if (isOrdered) await m.db.query('update millrace_private.sinks set receivable = false where no = $1', [no]);
    await m.db.query(
      `insert into millrace_private.lanes (sink_no, lane, owner, until) values ($1, 0, 'us', now() + interval '1 hour')
           on conflict (sink_no, lane) do update set owner = excluded.owner, until = excluded.until`,
      [no],
    );
    return no;
  };
  /** Nothing else is there, and statistics tell of nothing else. */
  const clear = async (): Promise<void> => {
    await m.db.query('truncate millrace_private.messages, millrace_private.delivery_states');
  };
  /** As many more, each of a group of its own. */
  const multiply = async (no: number, [first]: readonly number[], count: number): Promise<void> => {
    await m.db.query(
      `insert into millrace_private.messages (sink_no, lane, id, group_key, source_table, action, record_pks, commit_lsn, commit_idx,
                                              committed_at, record)
       select o.sink_no, o.lane, o.id + n, o.group_key + n, o.source_table, o.action, o.record_pks, o.commit_lsn, n, o.committed_at, o.record
         from millrace_private.messages o cross join generate_series(1, $3::integer) n where o.sink_no = $1 and o.id = $2`,
      [no, first, count],
    );
  };
  const append = async (no: number, count: number, group: (n: number) => number): Promise<number[]> =>
    await appendMessages(
      m.db,
      no,
      Array.from({ length: count }, (_, n) => ({ group: group(n) })),
    );
  const putStates = async (no: number, ids: readonly number[], state: string): Promise<void> => {
    await m.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, due_at, stage, error, parked_at)
       select m.sink_no, m.id, 0, m.group_key, $3::text, 1, case when $3 in ('retrying', 'waiting') then clock_timestamp() end,
              'send', 'HTTP 422', case when $3 = 'parked' then clock_timestamp() end
         from millrace_private.messages m where m.sink_no = $1 and m.id = any ($2::bigint[])`,
      [no, ids, state],
    );
  };
  const analyze = async (no: number): Promise<void> => {
    await m.db.query('vacuum analyze millrace_private.delivery_states');
    await m.db.query(`analyze millrace_private.messages_${no}`);
  };
  const idsIn = async (no: number, state: string): Promise<number[]> =>
    (
      await m.db.query<{ id: number }>(
        'select e.id from millrace_private.delivery_states e where e.sink_no = $1 and e.state = $2 order by e.id',
        [no, state],
      )
    ).rows.map(({ id }) => id);

  for (const [name, traits] of Object.entries({ 'a webhook': { isOrdered: true }, 'an index': { isOrdered: false } })) {
    it(`reads and settles some of those that are due, for ${name}`, async () => {
      await clear();
      const no = await addSink(`due in ${name}`, traits);
      const [first] = await append(no, 1, () => 1);
      await multiply(no, [first!], VERY_MANY);
      const ids = Array.from({ length: VERY_MANY + 1 }, (_, n) => first! + n);
      await putStates(no, ids, 'retrying');
      await analyze(no);
      const { text: sql } = statement('deliver/read-due');
      expect(await rowsRead(queue, { sql, values: [no, 0, 50, ids.at(-1), 1e6] }), 'read').to.be.below(MANY);
      expect(await rowsRead(queue, { sql: SETTLE, values: [no, ids.slice(0, 50)] }), 'settled').to.be.below(MANY);
    });

    it(`reads rows behind others of which all these are, for ${name}`, async () => {
      await clear();
      const no = await addSink(`parked of one in ${name}`, traits);
      const parked = await append(no, MANY, () => 7);
      await putStates(no, parked, 'parked');
      await append(no, 50, (n) => 100 + n);
      await analyze(no);
      for (const name of ['deliver/read-new', 'deliver/read-apart']) {
        const { text: sql } = statement(name);
        expect(await rowsRead(queue, { sql, values: [no, 0, parked.at(-1), 50, 1e6] }), name).to.be.below(MANY);
      }
    });
  }

  it('makes a thousand due that were held behind one, and the next ones when those are gone', async () => {
    const no = await addSink('held', { isOrdered: true });
    const ids = await append(no, MANY, () => 7);
    await putStates(no, ids.slice(0, 1), 'retrying');
    await putStates(no, ids.slice(1), 'held');
    let from = 0;
    for (let next = ids.slice(0, 1); next.length > 0; next = await idsIn(no, 'waiting')) {
      expect(next).to.deep.equal(ids.slice(from, from + next.length));
      expect(next.length).to.be.at.most(1_000);
      await m.db.query(SETTLE, [no, next]);
      from += next.length;
    }
    expect(from).to.equal(MANY);
  });

  it('makes due what nothing earlier is in the way of, at random', async () => {
    const no = await addSink('random', { isOrdered: true });
    const one = fc.record({
      group: fc.integer({ min: 1, max: 3 }),
      group2: fc.option(fc.integer({ min: 4, max: 6 }), { freq: 3 }),
      state: fc.constantFrom('held', 'held', 'held', 'parked', 'retrying', 'none'),
    });
    type One = { group: number; group2: number | null; state: string };
    const groupsOf = ({ group, group2 }: One): number[] => (group2 === null ? [group] : [group, group2]);
    const isUndecided = ({ state }: One): boolean => state === 'held' || state === 'retrying';
    await fc.assert(
      fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 12 }), async (all) => {
        for (const table of ['messages', 'delivery_states'])
          await m.db.query(`delete from millrace_private.${table} where sink_no = $1`, [no]);
        const ids = await appendMessages(m.db, no, all);
        for (const state of ['held', 'parked', 'retrying'])
          await putStates(
            no,
            ids.filter((_, i) => all[i]!.state === state),
            state,
          );
        await m.db.query('select millrace_private.free_held_of_groups($1, $2::bigint[])', [no, [1, 2, 3, 4, 5, 6]]);
        const free = ids.filter((_, i) => {
          const message = all[i]!;
          const before = all
            .slice(0, i)
            .filter((o) => isUndecided(o) && groupsOf(o).some((group) => groupsOf(message).includes(group)));
          const isInTheWay = (o: One): boolean => o.state !== 'held' || message.group2 !== null || o.group2 !== null;
          return message.state === 'held' && !before.some(isInTheWay);
        });
        expect(await idsIn(no, 'waiting')).to.deep.equal(free);
      }),
      { numRuns: 60 },
    );
  });
});
