/** /metrics: the totals of all roles, and each metric as the documentation has it. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { openCounters } from '../../src/messages/counters.ts';
import { freePortFrom } from '../../src/runtime/free-port.ts';
import { createMetrics } from '../../src/runtime/metrics.ts';
import { openMetricsServer } from '../../src/runtime/metrics-server.ts';
import { addPullSink, appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';
import { until } from '../support/until.ts';

const OPERATIONS = readFileSync(path.join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
const PAGE = OPERATIONS.slice(OPERATIONS.indexOf('\n## What to watch\n'), OPERATIONS.indexOf('\n## Logs\n'));

describe('http: metrics of all roles', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  let text: string;
  before(async () => {
    m = await messageDatabase();
    const { no } = await addPullSink(m.db, { name: 'orders' });
    const counters = openCounters({ db: m.db, onError: () => undefined });
    counters.add(no, { persisted: 3, bytes: 500, delivered: 2 });
    counters.took(no, [
      { ms: 4, count: 1 },
      { ms: 90_000_000, count: 1 },
    ]);
    await counters.write();
    await m.db.query(
      `insert into millrace_private.processes (id, role, host, pid, version, key_id)
       select gen_random_uuid(), 'worker', 'h', n, '1.0.0', 'k' from generate_series(1, 2) n`,
    );
    await m.db.query(
      `insert into millrace_private.database_counters (database_no, step, at, lag_bytes, kept_bytes)
       select d.no, 'minute', clock_timestamp(), 10, 20 from millrace_private.databases d`,
    );
    web = await testWeb({ db: m.db, metrics: createMetrics({ process: false }) });
    ({ text } = await web.call('GET', '/metrics', { token: null }));
  });
  after(async () => {
    await web?.close();
    await m?.drop();
  });

  it('has what every process counted', () => {
    const labels = '{sink="orders",kind="pull"}';
    for (const line of [
      `millrace_sink_persisted_messages_total${labels} 3`,
      `millrace_sink_persisted_bytes_total${labels} 500`,
      `millrace_sink_delivered_messages_total${labels} 2`,
      'millrace_sink_latency_seconds_bucket{sink="orders",kind="pull",le="0.003"} 0',
      'millrace_sink_latency_seconds_bucket{sink="orders",kind="pull",le="0.005"} 1',
      'millrace_sink_latency_seconds_bucket{sink="orders",kind="pull",le="86400"} 1',
      'millrace_sink_latency_seconds_bucket{sink="orders",kind="pull",le="+Inf"} 2',
      `millrace_sink_latency_seconds_count${labels} 2`,
      `millrace_sink_latency_seconds_sum${labels} 90000.004`,
      'millrace_processes{role="worker",version="1.0.0"} 2',
      'millrace_database_lag_bytes{database="shop"} 10',
      'millrace_database_wal_kept_bytes{database="shop"} 20',
    ])
      expect(text.split('\n')).to.include(line);
    expect(text).to.not.contain('millrace_database_wal_limit_bytes{');
  });

  it('glances at what waits, however much it is, and the view counts one by one', async () => {
    const { no } = await addPullSink(m.db, { name: 'full' });
    // Postgres counts them with the commit, and not some time later.
    await m.db.transaction(async (tx) => {
      const ids = await appendMessages(tx, no, Array(1_200).fill({}));
      await parkOnArrival(tx, no, ids.slice(0, 50));
      await tx.query('select pg_stat_force_next_flush()');
    });
    const fresh = await testWeb({ db: m.db, metrics: createMetrics({ process: false }) });
    const { text: scraped } = await fresh.call('GET', '/metrics', { token: null });
    await fresh.close();
    const lines = scraped.split('\n');
    expect(lines).to.include('millrace_sink_pending_messages{sink="full",kind="pull"} 1150');
    expect(lines).to.include('millrace_sink_parked_messages{sink="full",kind="pull"} 50');
    const { rows } = await m.db.query(
      `select s.pending, s.pending_is_estimate, x.value
         from millrace.sink_status s, millrace.metrics() x
        where s.sink_name = 'full' and x.name = 'sink_pending_messages' and x.labels ->> 'sink' = 'full'`,
    );
    expect(rows).to.deep.equal([{ pending: 1_150, pending_is_estimate: false, value: 1_150 }]);
    const asked = 'select p.is_estimate from millrace_private.glance_pending($1::integer, 50) p';
    expect((await m.db.query(asked, [no])).rows).to.deep.equal([{ is_estimate: true }]);
    // As after a failover of the server.
    await m.db.query("select pg_stat_reset_single_table_counters(('millrace_private.messages_' || $1)::regclass)", [
      no,
    ]);
    expect((await m.db.query(asked, [no])).rows).to.deep.equal([{ is_estimate: false }]);
    await appendMessages(m.db, no, Array(1_000).fill({}));
    await m.db.query("select pg_stat_reset_single_table_counters(('millrace_private.messages_' || $1)::regclass)", [
      no,
    ]);
    expect((await m.db.query(asked, [no])).rows, 'not counted to the end').to.deep.equal([{ is_estimate: true }]);
    const counted = 'select c.pending, c.is_estimate from millrace_private.count_pending($1::integer) c';
    expect((await m.db.query(counted, [no])).rows).to.deep.equal([{ pending: 2_150, is_estimate: false }]);
  });

  it('is documented, each by its name, which ends in its unit', () => {
    const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => ({ name: name!, type: type! }));
    expect(types.length).to.be.greaterThan(20);
    expect(types.filter(({ name }) => !PAGE.includes(`\`${name}`)).map(({ name }) => name)).to.deep.equal([]);
    const counters = types.filter(({ type }) => type === 'counter');
    expect(counters.filter(({ name }) => !name.endsWith('_total'))).to.deep.equal([]);
    const named = PAGE.matchAll(/`(millrace_(?!process_|private)\w+)[`{]/g);
    const shown = new Set(types.map(({ name }) => name));
    expect([...named].map(([, name]) => name!).filter((name) => !shown.has(name))).to.deep.equal([]);
  });

  it('is served at a port of its own by roles without an API, and nothing else is', async () => {
    const metrics = createMetrics({ process: false });
    metrics.counter({ name: 'process_delivered_messages_total', help: 'Delivered.' }).inc(2);
    const port = await freePortFrom(7_500);
    const stop = new AbortController();
    const server = openMetricsServer({ metrics, log: { info: () => undefined } }, { host: '127.0.0.1', port });
    const running = server.run(stop.signal);
    const get = async (at: string, method = 'GET') => await fetch(`http://127.0.0.1:${port}${at}`, { method });
    await until('it listens', async () => (await get('/metrics').catch(() => undefined))?.ok);
    expect(await (await get('/metrics')).text()).to.contain('millrace_process_delivered_messages_total 2');
    expect([(await get('/')).status, (await get('/metrics', 'POST')).status]).to.deep.equal([404, 405]);
    stop.abort();
    await running;
    await server.close();
    expect(await get('/metrics').catch(() => 'closed')).to.equal('closed');
  });
});
