/**
 * A backlog costs nothing: what receive, acknowledgement, delivery and the status views touch does not grow with what is
 * pending. Counted in pages, not in time, so that it holds on every machine.
 */
import { expect } from 'chai';
import { statement } from '../../src/db/statement.ts';
import { readNew, takeLane } from '../../src/deliver/settle.ts';
import { BACKLOG, type Backlog, openBacklog } from '../support/fixtures/backlog.ts';
import { addPullSink, addPushSink } from '../support/fixtures/fixtures.ts';
import { type Pull, pullFrom } from '../support/pull/pull.ts';
import { until } from '../support/until.ts';

const HOT = 50;

const LEASE = 'select * from millrace_private.lease_batches($1::integer, array[$2::integer], null, 1e9::bigint)';
const ACKNOWLEDGE = 'select millrace_private.acknowledge($1::integer, $2::text[])';

describe('a backlog', function () {
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

  /** Of a receive, and of its acknowledgement. */
  const cycle = async (no: number, batch = 100): Promise<{ receive: number; ack: number }> => {
    const receive = await pages(LEASE, [no, batch]);
    const { rows } = await queue.query<{ ids: string[] }>(
      `select array_agg(l.token || '-' || m.id) as ids
         from (select * from millrace_private.leases where sink_no = $1 order by hi desc limit 1) l
         join millrace_private.messages m on m.sink_no = $1 and m.lane = 0 and m.id > l.lo and m.id <= l.hi`,
      [no],
    );
    expect(rows[0]!.ids).to.have.length(batch);
    return { receive, ack: await pages(ACKNOWLEDGE, [no, rows[0]!.ids]) };
  };
  const twice = async (no: number): Promise<{ receive: number; ack: number }> => {
    // The first one of a session also reads the catalogs.
    await cycle(no);
    return await cycle(no);
  };

  // The first one: no other sink's leases are there, and the statistics are those of an empty table.
  it('of dead rows under a snapshot that is held costs receive and ack nothing, whatever the statistics say', async () => {
    const { no } = await addPullSink(on.db, { name: 'pinned' });
    const pull = pullFrom(queue, no);
    const step = async (): Promise<{ receive: number; read: number; ack: number }> => {
      const { receive, ack } = await cycle(no, 10);
      const leased = "select * from millrace.receive('pinned', 10)";
      const read = await pages(leased, []);
      await on.db.query('delete from millrace_private.leases where sink_no = $1', [no]);
      await on.db.query('delete from millrace_private.delivery_states where sink_no = $1', [no]);
      return { receive, read, ack };
    };
    await fill(no, 9_000);
    await step();
    const before = await step();
    await on.db.transaction(async (tx) => {
      await tx.query('set transaction isolation level repeatable read');
      await tx.query('select count(*) from millrace_private.sinks');
      for (let n = 0; n < 800; n += 1) await pull.ack((await pull.receive(10)).ackIds);
      for (const table of ['leases', 'cursor_log', 'delivery_states', 'consumers', `messages_${no}`])
        await on.db.query(`vacuum analyze millrace_private.${table}`);
      await step();
      const after = await step();
      expect(after.receive, 'lease_batches').to.be.within(1, before.receive + 12);
      expect(after.read, 'receive').to.be.within(1, before.read + 12);
      expect(after.ack, 'ack').to.be.within(1, before.ack + 12);
    });
  });

  it('of leases that are over, under a snapshot that is held, costs receives nothing, whether they count or find nothing', async () => {
    const dead = 20_000;
    const { no } = await addPullSink(on.db, { name: 'over', maxAckPending: 40 });
    const pull = pullFrom(queue, no);
    // More than 64 in a row, and each fourth has to count what is leased.
    const most = async (): Promise<number> => {
      let pagesMost = 0;
      for (let n = 0; n < 70; n += 1) pagesMost = Math.max(pagesMost, (await cycle(no, 10)).receive);
      return pagesMost;
    };
    // The least of a few: a server that has just analysed a table has this session read the catalogs again.
    const usualMost = async (): Promise<number> => Math.min(await most(), await most());
    const empty = async (): Promise<number> => {
      const found: number[] = [];
      for (let n = 0; n < 3; n += 1)
        found.push(
          (await pages(LEASE, [no, 10])) + (await pages('select millrace_private.next_due($1::integer, 0)', [no])),
        );
      return Math.min(...found);
    };
    const emptyBefore = await empty();
    await fill(no, 2_100);
    await cycle(no, 10);
    const before = await usualMost();
    await on.db.transaction(async (tx) => {
      await tx.query('set transaction isolation level repeatable read');
      await tx.query('select count(*) from millrace_private.sinks');
      await on.db.query(
        `insert into millrace_private.leases (sink_no, token, lo, hi, until, size, remaining, dense, digest)
         select $1, g, g, g, now() - interval '1 minute' + g * interval '1 ms', 1, 1, true, 0
           from generate_series(1, $2::integer) g`,
        [no, dead],
      );
      await on.db.query('delete from millrace_private.leases where sink_no = $1', [no]);
      await fill(no, 1_400);
      expect(await usualMost()).to.be.within(1, before + 60);
      await until('all are done', async () => {
        const { ackIds } = await pull.receive(1_000);
        await pull.ack(ackIds);
        return ackIds.length === 0;
      });
      expect(await empty()).to.be.within(1, emptyBefore + 60);
    });
  });

  it('of a blocked group costs acknowledgements nothing when the statistics are of a queue that was empty', async () => {
    const { no } = await addPullSink(on.db, { name: 'was-empty' });
    const pull = pullFrom(queue, no);
    const answered = async (what: string, ids: string[]): Promise<number> => {
      if (what === 'ack') return await pages(ACKNOWLEDGE, [no, ids]);
      const sql = "select millrace_private.put_back($1::integer, $2, $3::text[], interval '1 hour')";
      return await pages(sql, [no, what, ids]);
    };
    /** Of a whole batch that is acknowledged, and of the dearest part of one. */
    const costs = async (): Promise<{ whole: number; part: number }> => {
      const [one, other] = [await pull.receive(100, '12 hours'), await pull.receive(100, '12 hours')];
      expect([one.ackIds.length, other.ackIds.length]).to.deep.equal([100, 100]);
      const parts = [await answered('nack', other.ackIds.splice(0, 40)), await answered('extend', other.ackIds)];
      parts.push(await answered('ack', other.ackIds.splice(0, 30)), await answered('ack', other.ackIds));
      return { whole: await answered('ack', one.ackIds), part: Math.max(...parts) };
    };
    await fill(no, 400);
    await costs();
    const before = await costs();
    for (const table of ['leases', 'delivery_states'])
      await on.db.query(`delete from millrace_private.${table} where sink_no = $1`, [no]);
    await on.db.query(`delete from millrace_private.messages_${no}`);
    await on.db.query(`vacuum (analyze, truncate off) millrace_private.messages_${no}`);
    await fill(no, 1);
    expect((await pull.receive(1, '12 hours')).ids).to.have.length(1);
    await fill(no, 20_000, 1);
    await fill(no, 1_000);
    // It passes them all.
    await until('the blocked ones are passed', async () => (await pull.receive(100, '12 hours')).ids.length === 100);
    await costs();
    const after = await costs();
    expect(after.whole, 'whole').to.be.within(1, before.whole * 2 + 30);
    expect(after.part, 'part').to.be.within(1, before.part * 2 + 30);
  });

  it('of one group is acknowledged without going past what was just deleted of it for each message', async () => {
    const { no } = await addPullSink(on.db, { name: 'one-group', maxPerGroup: 1_000 });
    const pull = pullFrom(queue, no);
    await fill(no, 2_000, 1);
    const { ackIds } = await pull.receive(1_000);
    const few = (await pages(ACKNOWLEDGE, [no, ackIds.slice(0, 100)])) / 100;
    const many = (await pages(ACKNOWLEDGE, [no, ackIds.slice(100)])) / 900;
    expect(many, 'pages of a message').to.be.within(1, few);
  });

  it('of 120,000 messages, 50 hot rows and a blocked group costs receive and ack nothing', async () => {
    const few = await addPullSink(on.db, { name: 'few' });
    await fill(few.no, 250);
    const small = await twice(few.no);

    const many = await addPullSink(on.db, { name: 'many' });
    const pull: Pull = pullFrom(queue, many.no);
    await fill(many.no, 20_000, 1);
    const blocked = await pull.receive(1, '12 hours');
    expect(blocked.ids).to.have.length(1);
    await fill(many.no, HOT * 20, HOT);
    await fill(many.no, BACKLOG);
    // Everything of the blocked group is passed, and the hot rows that wait for their turn.
    const hot: string[] = [];
    while (hot.length < HOT) hot.push(...(await pull.receive(HOT - hot.length, '12 hours')).ackIds);
    await cycle(many.no);
    // An index is a level deeper, no more.
    const large = await twice(many.no);
    expect(large.receive).to.be.within(1, small.receive * 3 + 30);
    expect(large.ack).to.be.within(1, small.ack * 2 + 30);
    // Of two leases in one statement; the first one of a session also reads the catalogs.
    const both = async (): Promise<number> =>
      await pages(ACKNOWLEDGE, [many.no, [...(await pull.receive(100)).ackIds, ...(await pull.receive(100)).ackIds]]);
    await both();
    expect(await both()).to.be.within(1, 4 * large.ack);
  });

  it('of 120,000 messages costs a lane nothing', async () => {
    const lane = { sinkNo: 0, lane: 0, owner: 'test' };
    const look = async (no: number, cursor: number): Promise<number[]> => {
      const id = { ...lane, sinkNo: no };
      expect(await takeLane(queue, id)).to.equal(true);
      const above = [no, 0, cursor, 100, 8 * 1024 * 1024];
      const costs = [
        await pages(statement('deliver/read-cursor').text, [no, 0]),
        await pages(statement('deliver/read-new').text, above),
        await pages(statement('deliver/read-together').text, above),
        await pages(statement('deliver/read-apart').text, above),
      ];
      const rows = await readNew(queue, id, {
        cursor,
        limit: 100,
        bytes: 8 * 1024 * 1024,
        bodiesOnly: false,
        hasStates: false,
      });
      const hi = rows.at(-1)!.id;
      const kept = JSON.stringify([
        { id: rows[0]!.id, state: 'retrying', attempts: 1, delay_ms: 0, stage: 'send', error: 'x' },
      ]);
      costs.push(await pages(statement('deliver/settle').text, [no, 0, 'test', cursor, hi, [], kept, []]));
      costs.push(await pages(statement('deliver/read-due').text, [no, 0, 100, hi, 8 * 1024 * 1024]));
      costs.push(await pages(statement('deliver/busy-lanes').text, []));
      return costs;
    };
    const few = await addPushSink(on.db, { name: 'few-pushed', kind: 'change_table' });
    const many = await addPushSink(on.db, { name: 'many-pushed', kind: 'change_table' });
    const [first, other] = [await fill(few.no, 300), await fill(many.no, BACKLOG)];
    await look(few.no, first - 1);
    const small = await look(few.no, first + 99);
    await look(many.no, other - 1);
    const large = await look(many.no, other + 99);
    for (const [place, cost] of large.entries())
      expect(cost, `statement ${place}`).to.be.within(1, small[place]! * 2 + 30);
  });
});
