/** What became of the messages of a sink, over HTTP. */
import { expect } from 'chai';
import { openCounters } from '../../src/messages/counters.ts';
import { appendMessages } from '../support/fixtures/fixtures.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';
import { promised } from '../support/until.ts';
import { type Managed, managed } from './support.ts';

describe('api: metrics', () => {
  let all: Managed;
  let web: TestWeb;
  const onError = (error: unknown): never => {
    throw error;
  };
  before(async () => {
    all = await managed();
  });
  after(async () => {
    await web?.close();
    await all?.close();
  });

  const points = async (path: string) => {
    const { status, json } = await web.call('GET', `/api/${path}`, { token: 'read-token' });
    expect(status, JSON.stringify(json)).to.equal(200);
    return json.points;
  };

  it('count what clients acknowledge and give back, how long that took, and what is given up', async () => {
    const counters = openCounters({ db: all.m.db, onError });
    web = await testWeb({ db: all.m.db, counters });
    const no = await all.noOf('orders');
    await appendMessages(all.m.db, no, [{}, {}, {}, {}, {}]);
    await all.m.db.query(
      "update millrace_private.messages set committed_at = clock_timestamp() - interval '10 s' where sink_no = $1",
      [no],
    );
    const at = '/api/http_pull_consumers/orders';
    const { json } = await web.call('POST', `${at}/receive`, { body: { batch_size: 5 } });
    const ids: string[] = json.data.map(({ ack_id }: { ack_id: string }) => ack_id);
    await web.call('POST', `${at}/ack`, { body: { ack_ids: ids.slice(0, 3) } });
    await web.call('POST', `${at}/nack`, { body: { ack_ids: ids.slice(3, 5), delay: 60_000 } });
    const more = await appendMessages(all.m.db, no, [{}, {}]);
    const batch = await web.call('POST', `${at}/receive`, { body: { batch_size: 2 } });
    await web.call('POST', `${at}/ack`, {
      body: { ack_ids: batch.json.data.map(({ ack_id }: { ack_id: string }) => ack_id) },
    });
    expect(more.length).to.equal(2);
    const { rows: byHand } = await all.m.db.query(
      `select millrace.discard('orders', array[min(f.id)]) as count from millrace_private.delivery_states f
        where f.sink_no = $1::integer`,
      [no],
    );
    const { json: dropped } = await web.call('POST', '/api/sinks/orders/messages/discard', { body: { filter: {} } });
    expect([byHand[0]!.count, dropped.count]).to.deep.equal([1, 1]);
    await web.call('POST', '/api/sinks/orders/messages/discard', { body: { filter: {}, dry_run: true } });
    await counters.write();
    for (const step of ['minute', 'hour']) {
      const [point, ...others] = await points(`sinks/orders/metrics?step=${step}`);
      expect(others).to.deep.equal([]);
      expect(point).to.deep.include({ persisted: 0, delivered: 5, failed: 2, retried: 2, parked: 0, discarded: 2 });
      // Three of 10 s; the others of the fixture's day.
      expect(point.latency_buckets[15]).to.equal(3);
      expect(point.latency_ms.p50).to.be.within(5_000, 15_000);
    }
  });

  it('are asked for by a time from and to, and by step; what is wrong is said by its field', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    expect(await points(`sinks/orders/metrics?from=${later}`)).to.deep.equal([]);
    expect(await points(`sinks/orders/metrics?from=2026-01-01&to=${later}`)).to.have.length(1);
    expect(await points('sinks/orders/metrics?to=2026-01-01')).to.deep.equal([]);
    expect(await points('change_retentions/history/metrics')).to.deep.equal([]);
    const { status, json } = await web.call('GET', '/api/sinks/orders/metrics?from=soon&to=x&step=day&until=1');
    expect(status).to.equal(400);
    expect(Object.keys(json.validation_errors).toSorted()).to.deep.equal(['from', 'step', 'to', 'until']);
    expect((await web.call('GET', '/api/sinks/history/metrics')).status).to.equal(404);
  });

  it('of a database are what was captured of it, how far it is behind, and when its slot is lost', async () => {
    // A minute of the past, whenever this runs.
    const at = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 600_000);
    await all.m.db.query(
      `insert into millrace_private.database_counters (database_no, step, at, lag_bytes, kept_bytes, limit_bytes, commits)
       select d.no, 'minute', $1::timestamptz + n * interval '1 min', 1, 200 + 100 * n, 1000, 5 - 5 * n
         from millrace_private.databases d, generate_series(0, 1) n where d.name = 'shop'`,
      [at],
    );
    await all.m.db.query(
      `insert into millrace_private.sink_counters (sink_no, step, at, persisted, bytes, latency)
       select s.no, 'minute', $1::timestamptz, 3, 50, array_fill(0::bigint, array[24]) from millrace_private.sinks s`,
      [at],
    );
    const { json } = await web.call('GET', '/api/postgres_databases/shop/metrics', { token: 'read-token' });
    const wal = { lag_bytes: 1, limit_bytes: 1000 };
    expect(json).to.deep.equal({
      step: 'minute',
      // 700 more, at 100 a minute.
      seconds_to_limit: 420,
      points: [
        // Three sinks read from it.
        { at: at.toISOString(), commits: 5, persisted: 9, bytes: 150, kept_bytes: 200, ...wal },
        {
          at: new Date(at.getTime() + 60_000).toISOString(),
          commits: 0,
          persisted: 0,
          bytes: 0,
          kept_bytes: 300,
          ...wal,
        },
      ],
    });
    expect(await points('postgres_databases/other/metrics')).to.deep.equal([]);
    expect((await web.call('GET', '/api/postgres_databases/nobody/metrics')).status).to.equal(404);
  });

  it('are read of all that is kept: 31 days by hours, a day by minutes', async () => {
    const busy = await all.noOf('products');
    await all.m.db.query(
      `insert into millrace_private.sink_counters (sink_no, step, at, persisted, delivered, latency)
       select $1::integer, s.step, date_trunc(s.step, clock_timestamp(), 'UTC') - n * s.long, 9, 24, array_fill(1::bigint, array[24])
         from (values ('minute', interval '1 min', 1439), ('hour', interval '1 h', 743)) s (step, long, count)
        cross join lateral generate_series(0, s.count) n
           on conflict do nothing`,
      [busy],
    );
    const from = new Date(Date.now() - 31 * 86_400_000).toISOString();
    const begun = performance.now();
    expect(await points(`sinks/products/metrics?step=hour&from=${from}`)).to.have.length.within(743, 744);
    expect(await points(`sinks/products/metrics?step=minute&from=${from}`)).to.have.length.within(1_439, 1_441);
    expect(await points(`postgres_databases/shop/metrics?step=minute&from=${from}`)).to.have.length(2);
    expect(performance.now() - begun).to.be.lessThan(promised(1_000));
  });
});
