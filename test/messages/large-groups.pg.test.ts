/**
 * Many messages of one group that are held, parked or failed cost what they are, and not their number for each one again: as counted,
 * with statistics of a sink in which nothing had failed yet.
 */
import { expect } from 'chai';
import { type Database, openPool } from '../../src/db/pool.ts';
import { statement } from '../../src/db/statement.ts';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { rowsRead } from '../support/postgres/rows-read.ts';
import { pullFrom } from '../support/pull/pull.ts';

const MANY = 400;
/** Of a message: its row, its state, its group, once or a few times. */
const MOST = MANY * 40;
const SETTLE = `select millrace_private.settle($1, 0, 'us', $2, $3, $4::bigint[], $5::jsonb, $6::bigint[])`;

describe('a group of which many messages left the straight path', () => {
  let m: MessageDatabase;
  /** As roles have it. */
  let queue: Database;
  before(async () => {
    m = await messageDatabase();
    queue = openPool({ address: m.url, max: 1, applicationName: 'millrace test', queue: true });
    for (const table of ['messages', 'delivery_states', 'attempts'])
      await m.db.query(`vacuum analyze millrace_private.${table}`);
  });
  after(async () => {
    await queue.close();
    await m.drop();
  });

  interface Traits {
    ordering: 'group' | 'key';
    replaces: boolean;
    receivable: boolean;
  }

  /** Many of one group with this state, and as many behind them without one. */
  async function sinkWith(
    name: string,
    { state, ...traits }: Traits & { state: string },
  ): Promise<{ no: number; first: number[]; behind: number[] }> {
    const { no } = await addPullSink(m.db, { name, maxPerGroup: 1, lanes: 0 });
    await m.db.query(
      `update millrace_private.sinks
          set receivable = $2, ordering = $3, replaces = $4 where no = $1`,
      [no, traits.receivable, traits.ordering, traits.replaces],
    );
    await m.db.query(
      `insert into millrace_private.lanes (sink_no, lane, owner, until) values ($1, 0, 'us', now() + interval '1 hour')`,
      [no],
    );
    const messages = Array.from({ length: MANY }, () => ({ group: 7, recordPks: ['7'] }));
    const first = await appendMessages(m.db, no, messages);
    await m.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, parked_at, due_at, stage, error)
       select $1, i, 0, 7, $3, 1, case when $3 = 'parked' then now() end, case when $3 = 'retrying' then now() + interval '1 h' end,
              'send', 'x'
         from unnest($2::bigint[]) i`,
      [no, first, state],
    );
    return { no, first, behind: await appendMessages(m.db, no, messages) };
  }
  const PULL: Traits = { ordering: 'group', replaces: false, receivable: true };
  const WEBHOOK: Traits = { ordering: 'group', replaces: false, receivable: false };
  const CHANGE_TABLE: Traits = { ordering: 'key', replaces: false, receivable: false };
  const INDEX: Traits = { ordering: 'key', replaces: true, receivable: false };

  const settled = (
    no: number,
    batch: { lo: number; hi: number; finished?: number[]; kept?: object; last?: number[] },
  ) =>
    rowsRead(queue, {
      sql: SETTLE,
      values: [
        ...[no, batch.lo, batch.hi, batch.finished ?? []],
        batch.kept ? JSON.stringify(batch.kept) : null,
        batch.last ?? [],
      ],
    });

  for (const maxPerGroup of [1, 3, 1_000])
    it(`is received from, and acknowledged, where many are parked: max_per_group ${maxPerGroup}`, async () => {
      const { no, behind } = await sinkWith(`parked-${maxPerGroup}`, { ...PULL, state: 'parked' });
      await m.db.query('update millrace_private.consumers set max_per_group = $2 where sink_no = $1', [
        no,
        maxPerGroup,
      ]);
      const receive = 'select * from millrace_private.lease_batches($1::integer, array[300], null, 1e9::bigint)';
      expect(await rowsRead(queue, { sql: receive, values: [no] }), 'receive').to.be.below(MOST);
      const pull = pullFrom(m.db, no);
      const { ids, ackIds } = await pull.receive(300);
      expect(ids).to.deep.equal(behind.slice(0, Math.min(300, maxPerGroup)));
      const ack = 'select millrace_private.acknowledge($1, $2::text[])';
      expect(await rowsRead(queue, { sql: ack, values: [no, ackIds] }), 'ack').to.be.below(MOST);
      await pull.nack(ackIds);
      expect(await rowsRead(queue, { sql: receive, values: [no] }), 'again').to.be.below(MOST);
    });

  for (const [name, traits] of Object.entries({ webhook: WEBHOOK, 'change table': CHANGE_TABLE }))
    it(`is read from where many are parked, for a ${name}`, async () => {
      const { no, first } = await sinkWith(`${name} that parked`, { ...traits, state: 'parked' });
      const { text: sql } = statement('deliver/read-new');
      expect(await rowsRead(queue, { sql, values: [no, 0, first.at(-1), 300, 1e6] })).to.be.below(MOST);
    });

  it('is settled where many were held behind one of a webhook', async () => {
    const { no, first } = await sinkWith('webhook that held', { ...WEBHOOK, state: 'held' });
    const [one, ...others] = first;
    await m.db.query(`update millrace_private.delivery_states set state = 'waiting', due_at = now() where id = $1`, [
      one,
    ]);
    const at = { lo: first.at(-1)!, hi: first.at(-1)!, finished: [one!] };
    expect(await settled(no, at)).to.be.below(MOST);
    await m.db.query(SETTLE, [no, at.lo, at.hi, at.finished, null, []]);
    const { rows } = await m.db.query<{ id: number }>(
      `select id from millrace_private.delivery_states where sink_no = $1 and state = 'waiting' order by id`,
      [no],
    );
    expect(rows.map(({ id }) => id)).to.deep.equal(others);
  });

  it('is settled where many failed, and later ones of the row were indexed', async () => {
    const { no, first, behind } = await sinkWith('index that failed', { ...INDEX, state: 'retrying' });
    expect(await settled(no, { lo: first.at(-1)!, hi: behind.at(-1)!, last: behind })).to.be.below(MOST);
    const { text: sql } = statement('deliver/read-earlier');
    expect(await rowsRead(queue, { sql, values: [no, 0, behind, 1e6] })).to.be.below(MOST);
  });

  it('is settled where many fail at once', async () => {
    const { no, first, behind } = await sinkWith('webhook that fails', { ...WEBHOOK, state: 'parked' });
    const kept = behind.map((id) => ({
      id,
      state: 'parked',
      attempts: 1,
      delay_ms: 0,
      stage: 'send',
      error: 'x',
      failure: {},
    }));
    expect(await settled(no, { lo: first.at(-1)!, hi: behind.at(-1)!, kept })).to.be.below(MOST);
  });
});
