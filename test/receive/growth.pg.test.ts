/**
 * A backlog costs nothing: what receive, acknowledgement, delivery and the status views touch does not grow with what is
 * pending. Counted in pages, not in time, so that it holds on every machine.
 */
import { expect } from 'chai';
import type { Database } from '../../src/db/pool.ts';
import { openPool } from '../../src/db/pool.ts';
import { statement } from '../../src/db/statement.ts';
import { readNew, takeLane } from '../../src/deliver/settle.ts';
import { addPullSink, addPushSink, addShop, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type Pull, pullFrom } from '../support/pull/pull.ts';
import { until } from '../support/until.ts';

const BACKLOG = 120_000;
const HOT = 50;
let nextId = 1_795_000_000_000_000;

const ACKNOWLEDGE = 'select millrace_private.acknowledge($1::integer, $2::text[])';

describe('a backlog', function () {
  this.timeout(60_000);
  let on: MessageDatabase;
  /** As roles have it: rows are found by index. */
  let queue: Database;
  let tableNo: number;

  before(async () => {
    on = await messageDatabase();
    queue = openPool({ address: on.url, max: 1, applicationName: 'millrace test', path: 'role', queue: true });
    ({ tableNo } = await addShop(on.db));
  });
  after(async () => {
    await queue.close();
    await on.drop();
  });

  /** Rows of as many groups, in turn; 0: each has its own. Never analysed, as in a queue that has just filled. */
  const fill = async (sinkNo: number, rows: number, groups = 0): Promise<number> => {
    const first = nextId;
    nextId += rows;
    await on.db.query(
      `insert into millrace_private.messages (sink_no, lane, id, group_key, source_table, action, record_pks, commit_lsn,
              commit_idx, committed_at, record)
       select $1::integer, 0, n.id, case when $4::integer = 0 then n.id else n.id % $4::integer end, $5::integer, 'update',
              '["1"]', n.id, 0, now(), '{"id":' || n.id || '}'
         from (select $2::bigint + g as id from generate_series(0, $3::integer - 1) g) n`,
      [sinkNo, first, rows, groups, tableNo],
    );
    return first;
  };

  /** Pages that a statement looked at, with everything that its functions did. */
  const pages = async (sql: string, values: readonly unknown[]): Promise<number> => {
    const { rows } = await queue.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
      `explain (analyze, buffers, timing off, format json) ${sql}`,
      values,
    );
    const plan = rows[0]!['QUERY PLAN'][0]!.Plan;
    return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
  };

  /** Of a receive, and of its acknowledgement. */
  const cycle = async (no: number, batch = 100): Promise<{ receive: number; ack: number }> => {
    const receive = await pages('select * from millrace_private.lease_next($1::integer, $2::integer, null)', [
      no,
      batch,
    ]);
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
      expect(after.receive, 'lease_next').to.be.within(1, before.receive + 12);
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
    // The least of three: a server that has just analysed a table has this session read the catalogs again.
    const empty = async (): Promise<number> => {
      const found: number[] = [];
      for (let n = 0; n < 3; n += 1)
        found.push(
          (await pages('select * from millrace_private.lease_next($1::integer, 10, null)', [no])) +
            (await pages('select millrace_private.next_due($1::integer, 0)', [no])),
        );
      return Math.min(...found);
    };
    const emptyBefore = await empty();
    await fill(no, 1_400);
    await cycle(no, 10);
    const before = await most();
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
      await fill(no, 700);
      expect(await most()).to.be.within(1, before + 60);
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
        await pages(statement('deliver/read-new-bodies').text, above),
      ];
      const rows = await readNew(queue, id, { cursor, limit: 100, bytes: 8 * 1024 * 1024, bodiesOnly: false });
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

  it('is counted one by one up to 100,000, beyond it by the server, and looking costs no more then', async () => {
    const { no } = await addPullSink(on.db, { name: 'counted' });
    const look = 'select * from millrace.sink_status where sink_name = $1';
    const status = async () => {
      const { rows } = await on.db.query<{ pending: number; pending_is_estimate: boolean }>(look, ['counted']);
      return [rows[0]!.pending, rows[0]!.pending_is_estimate];
    };
    await fill(no, 100_000);
    expect(await status()).to.deep.equal([100_000, false]);
    const before = await pages(look, ['counted']);
    await fill(no, BACKLOG);
    await until('the server has counted', async () => (await status())[0] === 100_000 + BACKLOG);
    expect(await status()).to.deep.equal([100_000 + BACKLOG, true]);
    expect(await pages(look, ['counted'])).to.be.within(1, before * 1.2);
    // Nobody who only asks for health counts: it is some single rows of a dozen tables.
    const health = 'select sink_name, health from millrace.sink_status where sink_name = $1';
    expect(await pages(health, ['counted'])).to.be.within(1, 100);
    // The messages of another sink are in nobody's way.
    const { name } = await addPullSink(on.db, { name: 'beside' });
    const count = 'select count(*) from millrace.pending_messages where sink_name = $1';
    expect(await pages(count, [name])).to.be.within(1, 30);
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
