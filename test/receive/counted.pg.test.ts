/** How many messages are pending: counted or estimated, alike for everybody who looks, and for little. */
import { expect } from 'chai';
import { BACKLOG, type Backlog, openBacklog } from '../support/fixtures/backlog.ts';
import { addPullSink, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { pullFrom } from '../support/pull/pull.ts';
import { until } from '../support/until.ts';

describe('what is pending', function () {
  this.timeout(120_000);
  let on: Backlog['on'];
  let queue: Backlog['queue'];
  let fill: Backlog['fill'];
  let pages: Backlog['pages'];
  let backlog: Backlog;

  before(async () => {
    backlog = await openBacklog();
    ({ on, queue, fill, pages } = backlog);
  });
  after(async () => await backlog.close());

  /** In a session that has looked before, and whose plans are not outdated: to plan a function, pages are read too. */
  const planned = async (sql: string, values: readonly unknown[]): Promise<number> =>
    Math.min(await pages(sql, values), await pages(sql, values), await pages(sql, values));

  it('is counted one by one up to 100,000, beyond it by the server, and looking costs no more then', async () => {
    const { no } = await addPullSink(on.db, { name: 'counted' });
    const look = 'select * from millrace.sink_status where sink_name = $1';
    const status = async () => {
      const { rows } = await on.db.query<{ pending: number; pending_is_estimate: boolean }>(look, ['counted']);
      return [rows[0]!.pending, rows[0]!.pending_is_estimate];
    };
    await fill(no, 100_000);
    expect(await status()).to.deep.equal([100_000, false]);
    const before = await planned(look, ['counted']);
    await fill(no, BACKLOG);
    await until('the server has counted', async () => (await status())[0] === 100_000 + BACKLOG);
    expect(await status()).to.deep.equal([100_000 + BACKLOG, true]);
    expect(await planned(look, ['counted'])).to.be.within(1, before * 1.2);
    // Nobody who only asks for health counts: it is some single rows of a dozen tables.
    const health = 'select sink_name, health from millrace.sink_status where sink_name = $1';
    expect(await planned(health, ['counted'])).to.be.within(1, 100);
    // The messages of another sink are in nobody's way.
    const { name } = await addPullSink(on.db, { name: 'beside' });
    const count = 'select count(*) from millrace.pending_messages where sink_name = $1';
    expect(await planned(count, [name])).to.be.within(1, 30);
  });

  it('is estimated by the size of the table when the server has forgotten its counts', async () => {
    const { no } = await addPullSink(on.db, { name: 'forgotten' });
    await fill(no, BACKLOG);
    await on.db.query('analyze millrace_private.messages');
    await until('the reset is seen', async () => {
      await on.db.query(
        `select pg_stat_reset_single_table_counters(to_regclass('millrace_private.messages_' || $1::integer))`,
        [no],
      );
      const { rows } = await on.db.query<{ live: number }>(
        `select pg_stat_get_live_tuples(to_regclass('millrace_private.messages_' || $1::integer)) as live`,
        [no],
      );
      return rows[0]!.live === 0;
    });
    const { rows } = await on.db.query<{ pending: number; estimate: boolean }>(
      "select pending, pending_is_estimate as estimate from millrace.consumer_status where sink_name = 'forgotten'",
    );
    expect(rows[0]!.estimate).to.equal(true);
    expect(rows[0]!.pending).to.be.within(100_001, BACKLOG * 1.2);
  });

  it('is counted as the messages are: leased, held, passed, backing off, parked, still to be shaped', async () => {
    const { no } = await addPullSink(on.db, { name: 'mixed', lanes: 1 });
    const pull = pullFrom(queue, no);
    const counts = async (): Promise<void> => {
      const { rows } = await on.db.query<{ pending: number; seen: number; oldest: Date; first: Date }>(
        `select s.pending, (select count(*) from millrace.pending_messages p where p.sink_name = 'mixed') as seen,
                s.oldest_committed_at as oldest,
                (select min(m.committed_at) from millrace_private.messages m where m.sink_no = $1) as first
           from millrace.sink_status s where s.sink_name = 'mixed'`,
        [no],
      );
      const { pending, seen, oldest, first } = rows[0]!;
      expect(pending).to.equal(seen);
      expect(oldest).to.deep.equal(first);
    };
    await counts();
    const first = await fill(no, 40, 4);
    await counts();
    const [a, b] = [await pull.receive(2), await pull.receive(2)];
    expect([...a.ids, ...b.ids]).to.have.length(4);
    expect((await pull.receive(10)).ids).to.deep.equal([]);
    await counts();
    await pull.nack(a.ackIds, '1 hour');
    await counts();
    await pull.ack(b.ackIds);
    await counts();
    await parkOnArrival(on.db, no, [first + 39]);
    await counts();
    await on.db.query('update millrace_private.messages set lane = 1 where sink_no = $1 and id = $2', [no, first + 38]);
    await counts();
    await on.db.query(`insert into millrace_private.cursor_log (sink_no, lane, seq, id) values ($1, 1, 1, $2)`, [
      no,
      first + 38,
    ]);
    await on.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, state, attempts, parked_at)
       values ($1, $2, 1, 'parked', 1, now())`,
      [no, first + 38],
    );
    await counts();
  });

  it('is seen by a reader, who sees no table', async () => {
    const { no } = await addPullSink(on.db, { name: 'read' });
    await fill(no, 3);
    await pullFrom(queue, no).receive(2);
    await on.db.transaction(async (tx) => {
      await tx.query('set local role millrace_reader');
      const look = "select pending::int, leased::int from millrace.consumer_status where sink_name = 'read'";
      expect((await tx.query(look)).rows).to.deep.equal([{ pending: 3, leased: 2 }]);
      const states =
        "select array_agg(state order by id) as states from millrace.pending_messages where sink_name = 'read'";
      expect((await tx.query(states)).rows).to.deep.equal([{ states: ['leased', 'leased', 'waiting'] }]);
      await tx.query('select * from millrace.metrics()');
    });
  });
});
