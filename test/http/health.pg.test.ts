/** What platforms and Prometheus see. */
import { expect } from 'chai';
import type { Queryable } from '../../src/db/pool.ts';
import { createMetrics } from '../../src/runtime/metrics.ts';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type TestWeb, testWeb } from '../support/processes/web.ts';

describe('http: health and metrics', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  let no: number;
  before(async () => {
    m = await messageDatabase();
    ({ no } = await addPullSink(m.db, { name: 'orders' }));
    web = await testWeb({ db: m.db, metrics: createMetrics({ process: false }) }, { keepHealthMs: 0 });
  });
  after(async () => {
    await web.close();
    await m.drop();
  });

  it('is alive and ready, for everybody', async () => {
    for (const path of ['/livez', '/readyz']) {
      const reply = await web.call('GET', path, { token: null });
      expect([reply.status, reply.json], path).to.deep.equal([200, { status: 'ok' }]);
      expect((await web.call('POST', path, { token: null })).status).to.equal(405);
    }
  });

  it('is not ready where a later release has migrated the database, and serves this one no more', async () => {
    await m.db.query('update millrace_private.schema_state set version = version + 1, serves = version + 1');
    const reply = await web.call('GET', '/readyz', { token: null });
    expect([reply.status, reply.json.code]).to.deep.equal([503, 'unavailable']);
    expect(reply.json.summary).to.contain('the release that migrated it');
    await m.db.query('update millrace_private.schema_state set serves = version - 1');
    expect((await web.call('GET', '/readyz', { token: null })).status).to.equal(200);
  });

  it('is healthy while every source and every active sink is', async () => {
    const well = await web.call('GET', '/healthz', { token: null });
    expect(well.status).to.equal(200);
    expect(well.json.status).to.equal('ok');
    expect(well.json.sinks).to.deep.equal([
      {
        name: 'orders',
        kind: 'pull',
        database: 'shop',
        status: 'active',
        health: 'ok',
        level: 'ok',
        reasons: [],
        failing_since: null,
      },
    ]);
    expect(well.json.databases[0]).to.include({ name: 'shop', state: 'streaming' });

    await m.db.query(
      `insert into millrace_private.circuits (sink_no, reason, error, probe_at)
       values ($1, 'unreachable', 'a value of a row', now())`,
      [no],
    );
    const failing = await web.call('GET', '/healthz', { token: null });
    expect([failing.status, failing.json.status, failing.json.sinks[0].health]).to.deep.equal([
      503,
      'failing',
      'unreachable',
    ]);
    expect(failing.text).to.not.include('a value of a row');
    await m.db.query(`select millrace.pause('orders')`);
    expect((await web.call('GET', '/healthz', { token: null })).status, 'paused').to.equal(200);
    await m.db.query(`select millrace.resume('orders')`);
    await m.db.query('delete from millrace_private.circuits');

    await m.db.query(`update millrace_private.positions set state = 'needs_resync'`);
    expect((await web.call('GET', '/healthz', { token: null })).status, 'a source').to.equal(503);
    await m.db.query(`update millrace_private.positions set state = 'streaming'`);
  });

  it('leads to the pages of what it names, where people are known to come by', async () => {
    const linked = await testWeb({ db: m.db }, { baseUrl: 'https://millrace.example.com' });
    const { json } = await linked.call('GET', '/healthz', { token: null });
    expect(json.sinks[0].link).to.equal('https://millrace.example.com/sinks/orders');
    expect(json.databases[0].link).to.equal('https://millrace.example.com/databases/shop');
    await linked.close();
  });

  it('asks the database once a second, on a connection of its own, however many look', async () => {
    let asked = 0;
    const health: Queryable = {
      query: async (...args) => {
        asked += 1;
        return await m.db.query<never>(...args);
      },
    };
    const nobody: Queryable = { query: async () => await Promise.reject(new Error('this is for requests')) };
    const db = { ...m.db, ...nobody };
    const watched = await testWeb({ db, health }, { keepHealthMs: 60_000 });
    const looks = Array.from({ length: 50 }, (_, i) => watched.call('GET', i % 2 === 0 ? '/readyz' : '/healthz'));
    for (const { status } of await Promise.all(looks)) expect(status).to.equal(200);
    // Readiness is one statement, health two.
    expect(asked).to.equal(3);
    await watched.close();
  });

  it('counts what is pending and parked, what was received and answered', async () => {
    await appendMessages(m.db, no, [{ group: 1 }, { group: 2 }, { group: 3 }]);
    const received = await web.call('POST', '/api/http_pull_consumers/orders/receive', { body: { batch_size: 2 } });
    const ackIds = received.json.data.map((each: { ack_id: string }) => each.ack_id);
    await web.call('POST', '/api/http_pull_consumers/orders/ack', { body: { ack_ids: ackIds.slice(0, 1) } });
    const reply = await web.call('GET', '/metrics', { token: null });
    expect(reply.status).to.equal(200);
    expect(reply.headers.get('content-type')).to.match(/^text\/plain/);
    for (const line of [
      'millrace_sink_pending_messages{sink="orders",kind="pull"} 2',
      'millrace_sink_parked_messages{sink="orders",kind="pull"} 0',
      'millrace_sink_ok{sink="orders",kind="pull"} 1',
      'millrace_received_messages_total{consumer="orders"} 2',
      'millrace_answered_messages_total{consumer="orders",answer="ack"} 1',
      'millrace_waiting_receives 0',
      'millrace_http_requests_total{method="POST",status="405"} 2',
    ]) {
      expect(reply.text.split('\n')).to.include(line);
    }
  });
});
