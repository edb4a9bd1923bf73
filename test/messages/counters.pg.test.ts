/** What a process counts: how it is written down, and what is shown of it. */
import { expect } from 'chai';
import { openCounters } from '../../src/messages/counters.ts';
import { LATENCY_BOUNDS, LATENCY_BUCKETS } from '../../src/messages/latency.ts';
import { addPullSink } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { until } from '../support/until.ts';

describe('counters', () => {
  let m: MessageDatabase;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());

  const metrics = async (step: string) =>
    (
      await m.db.query(
        `select sink_name, persisted, delivered, failed, retried, parked, discarded, bytes, p50_ms, p99_ms, latency_buckets
           from millrace.sink_metrics where step = $1::text order by sink_name, at`,
        [step],
      )
    ).rows;

  it('knows the same buckets in the database', async () => {
    const { rows } = await m.db.query<{ bounds: number[] }>('select millrace_private.latency_bounds() as bounds');
    expect(rows[0]!.bounds).to.deep.equal(LATENCY_BOUNDS);
    const of = async (counts: Record<number, number>, share: number) => {
      const buckets = Array.from({ length: LATENCY_BUCKETS }, (_, n) => counts[n] ?? 0);
      const { rows } = await m.db.query<{ ms: number | null }>(
        'select millrace_private.latency_share($1::bigint[], $2::double precision) as ms',
        [buckets, share],
      );
      return rows[0]!.ms;
    };
    expect(await of({}, 0.5)).to.equal(null);
    expect(await of({ 0: 10 }, 0.5)).to.equal(0.5);
    expect(await of({ 3: 50, 9: 50 }, 0.5)).to.equal(5);
    expect(await of({ 3: 50, 9: 50 }, 0.75)).to.equal(80);
    expect(await of({ 23: 5 }, 0.99)).to.equal(86_400_000);
  });

  it('of several processes add up, by minutes, by hours and in all', async () => {
    const { no } = await addPullSink(m.db, { name: 'orders' });
    const { no: other } = await addPullSink(m.db, { name: 'quiet' });
    const [one, two] = [1, 2].map(() =>
      openCounters({
        db: m.db,
        onError: (error) => {
          throw error;
        },
      }),
    ) as [ReturnType<typeof openCounters>, ReturnType<typeof openCounters>];
    one.add(no, { persisted: 3, bytes: 500 });
    one.add(no, { persisted: 1, parked: 1 });
    // A sink that is gone is nobody's failure.
    one.add(99_999, { persisted: 1 });
    two.add(no, { delivered: 2, failed: 2, retried: 1, parked: 1 });
    two.took(no, [
      { ms: 4, count: 1 },
      { ms: -5, count: 1 },
      { ms: Number.NaN, count: 1 },
    ]);
    await Promise.all([one.write(), two.write()]);
    await one.write();
    two.add(no, { discarded: 1 });
    await two.close();
    await m.db.query('select millrace_private.add_counters($1::jsonb)', [JSON.stringify([{ sink_no: no, failed: 1 }])]);
    const sums = { persisted: 4, delivered: 2, failed: 3, retried: 1, parked: 2, discarded: 1, bytes: 500 };
    const sum = (rows: Record<string, unknown>[], figure: string): number =>
      rows.reduce((all, row) => all + Number(row[figure]), 0);
    for (const step of ['minute', 'hour']) {
      const rows = await metrics(step);
      expect(rows.every((row) => row.sink_name === 'orders')).to.equal(true);
      for (const [figure, wanted] of Object.entries(sums)) expect(sum(rows, figure), figure).to.equal(wanted);
    }
    const { rows } = await m.db.query(
      'select sink_no, persisted, delivered, latency, latency_ms from millrace_private.sink_totals',
    );
    const latency = Array.from({ length: LATENCY_BUCKETS }, (_, n) => (n === 0 || n === 3 ? 1 : 0));
    expect(rows).to.deep.equal([{ sink_no: no, persisted: 4, delivered: 2, latency, latency_ms: 4 }]);
    expect(rows.some((row) => row.sink_no === other)).to.equal(false);
  });

  it('knows when something was delivered first and last, and how long that took', async () => {
    const { no } = await addPullSink(m.db, { name: 'dated' });
    const read = async () => {
      const { rows } = await m.db.query<{ first: Date | null; last: Date | null; took: number | null }>(
        `select first_delivered_at as first, last_delivered_at as last, last_delivery_ms as took
           from millrace_private.sink_totals where sink_no = $1`,
        [no],
      );
      return rows[0]!;
    };
    const add = (counts: object) =>
      m.db.query('select millrace_private.add_counters($1::jsonb)', [JSON.stringify([{ sink_no: no, ...counts }])]);
    await add({ persisted: 1, failed: 1 });
    expect(await read()).to.deep.equal({ first: null, last: null, took: null });
    await add({ delivered: 2, first_ago_ms: 60_000, last_ago_ms: 30_000, last_ms: 7 });
    const { first, last } = await read();
    expect(last!.getTime() - first!.getTime()).to.equal(30_000);
    // Another process, which began a moment before, and was slower to say so.
    await add({ delivered: 1, first_ago_ms: 120_000, last_ago_ms: 90_000, last_ms: 900 });
    const both = await read();
    expect(both.first!.getTime()).to.be.below(first!.getTime());
    expect(both).to.deep.include({ last, took: 7 });
    // A release that does not say has just delivered.
    await add({ delivered: 1 });
    expect((await read()).last!.getTime()).to.be.above(last!.getTime());
    expect(await read()).to.deep.include({ first: both.first, took: null });
  });

  it('does not take for the first delivery what was the first one that is written down', async () => {
    const { no } = await addPullSink(m.db, { name: 'of-old' });
    await m.db.query(
      `insert into millrace_private.sink_totals (sink_no, delivered, latency) values ($1, 5, array_fill(0::bigint, array[24]))`,
      [no],
    );
    const counters = openCounters({ db: m.db, onError: () => undefined });
    counters.add(no, { delivered: 1 });
    counters.took(no, [{ ms: 12, count: 1 }]);
    await counters.close();
    const { rows } = await m.db.query(
      `select first_delivered_at, last_delivered_at is not null as known, last_delivery_ms
         from millrace_private.sink_totals where sink_no = $1`,
      [no],
    );
    expect(rows).to.deep.equal([{ first_delivered_at: null, known: true, last_delivery_ms: 12 }]);
  });

  it('writes the first delivery to a sink at once', async () => {
    const { no } = await addPullSink(m.db, { name: 'at-once' });
    const stop = new AbortController();
    const counters = openCounters({ db: m.db, onError: () => undefined }, { everyMs: 3_600_000 });
    const running = counters.run(stop.signal);
    counters.add(no, { delivered: 1 });
    counters.took(no, [{ ms: 12, count: 1 }]);
    await until('it is written', async () => {
      const { rows } = await m.db.query(
        'select from millrace_private.sink_totals where sink_no = $1 and delivered = 1 and last_delivery_ms = 12',
        [no],
      );
      return rows.length === 1;
    });
    stop.abort();
    await running;
  });

  it('keeps what could not be written for the next time', async () => {
    const { no } = await addPullSink(m.db, { name: 'later' });
    let isAway = true;
    const query: typeof m.db.query = async (...args) => {
      if (isAway) throw new Error('away');
      return await m.db.query(...args);
    };
    const counters = openCounters({ db: { query }, onError: () => undefined });
    counters.add(no, { persisted: 1 });
    await counters.write().then(
      () => expect.fail('it was written'),
      (error: unknown) => expect(String(error)).to.contain('away'),
    );
    counters.add(no, { persisted: 1 });
    isAway = false;
    await counters.close();
    const { rows } = await m.db.query('select persisted from millrace_private.sink_totals where sink_no = $1', [no]);
    expect(rows).to.deep.equal([{ persisted: 2 }]);
  });
});
