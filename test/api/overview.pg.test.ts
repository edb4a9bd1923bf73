/** Everything on one page. */
import { expect } from 'chai';
import { openCounters } from '../../src/messages/counters.ts';
import { appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { testWeb } from '../support/processes/web.ts';
import { CANARIES, type Managed, managed } from './support.ts';

interface Item {
  id: string;
  key: string;
  subject: { kind: string; name: string | null };
  status: string;
  answer: string | null;
  since: string | null;
  command: string | null;
  act: { path: string; body: object } | null;
}

describe('GET /api/overview', () => {
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());

  const overview = async (token = 'read-token') => {
    const { status, json, text } = await all.web.call('GET', '/api/overview', { token });
    expect(status, text).to.equal(200);
    return { json, text };
  };
  const named = (list: { name: string }[], name: string) => list.find((one) => one.name === name);

  it('has each thing with its health, its counts and its last hour', async () => {
    const no = await all.noOf('orders');
    const ids = await appendMessages(all.m.db, no, [{}, {}, {}]);
    await parkOnArrival(all.m.db, no, [ids[0]!]);
    const counters = openCounters({ db: all.m.db, onError: () => undefined });
    counters.add(no, { persisted: 120, delivered: 60 });
    counters.took(no, [{ ms: 4, count: 60 }]);
    await counters.write();
    // As if the minute were over.
    await all.m.db.query("update millrace_private.sink_counters set at = at - interval '1 min' where step = 'minute'");
    await all.m.db.query(
      `insert into millrace_private.database_counters (database_no, step, at, lag_bytes, kept_bytes)
       select d.no, 'minute', date_trunc('minute', clock_timestamp()), 8192, 301000
         from millrace_private.databases d where d.name = 'shop'`,
    );
    const { json, text } = await overview();
    expect(json.sinks.map(({ name }: { name: string }) => name)).to.deep.equal(['idle', 'orders', 'products']);
    expect(json.change_retentions.map(({ name }: { name: string }) => name)).to.deep.equal(['history']);
    const orders = json.sinks[1];
    expect(orders).to.deep.include({ kind: 'pull', database: 'shop', status: 'active', pending: 2, parked: 1 });
    expect(orders.per_second).to.deep.equal({ persisted: 2, delivered: 1, failed: 0 });
    expect(orders.latency_ms).to.deep.equal({ p50: 4, p99: 5 });
    expect(orders.hour.delivered).to.have.length(60);
    expect(orders.hour.persisted.slice(-2)).to.deep.equal([9, 0]);
    expect(orders.hour.delivered.slice(-2)).to.deep.equal([5, 0]);
    expect(orders.hour.peak).to.equal(120);
    expect(json.totals.per_second).to.deep.equal({ persisted: 2, delivered: 1, failed: 0 });
    expect(json.totals.latency_ms).to.deep.equal({ p50: 4, p99: 5 });
    expect(json.totals.hour.persisted.slice(-2)).to.deep.equal([120, 0]);
    expect(json.totals.hour.delivered).to.have.length(60);
    expect(orders.oldest_seconds).to.be.greaterThan(0);
    expect(orders.lag_seconds).to.be.greaterThan(0);
    expect(named(json.databases, 'shop')).to.deep.include({ lag_bytes: 8192, kept_bytes: 301_000, limit_bytes: null });
    expect(named(json.databases, 'other')).to.deep.include({ lag_bytes: null, lag_seconds: null });
    for (const secret of CANARIES) expect(text).to.not.include(secret);
  });

  it('says what needs attention, the worst first, and what does something about it', async () => {
    const no = await all.noOf('products');
    await all.m.db.query(
      `insert into millrace_private.circuits (sink_no, reason, error, probe_at)
       values ($1, 'index_missing', 'no such index, row 17', now())`,
      [no],
    );
    await all.m.db.query(
      `insert into millrace_private.processes (id, role, host, pid, version, key_id)
       select gen_random_uuid(), 'web', 'host-' || v, 1, v, 'k' from unnest(array['1.0.0', '1.1.0']) v`,
    );
    await all.m.db.query(
      `insert into millrace_private.notices (sink_no, code, table_name, message, remedy) values
         ($1, 'added_late', 'public.products', 'it came late', 'bin/millrace backfill products public.products'),
         ($1, 'added_late', 'public.orders', 'it came late', 'bin/millrace backfill products public.orders')`,
      [no],
    );
    await all.m.db.query(
      `insert into millrace_private.operations (kind, database_no, request, requested_by, state, reason, ended_at)
       select 'resync', d.no, '{}', 'token ci', 'failed', 'of a reason', '2026-11-22T08:00:00Z'
         from millrace_private.databases d where d.name = 'shop'`,
    );
    await all.m.db.query('update millrace_private.consumers set max_ack_pending = 1');
    await all.m.db.query("select millrace.receive('orders', 1)");
    await all.m.db.query(
      `insert into millrace_private.api_tokens (name, hash, scopes, expires_at)
       values ('ci', 'x', '{read}', clock_timestamp() + interval '3 days')`,
    );
    const { json } = await overview();
    const items: Item[] = json.attention;
    const order = ['error', 'warning', 'notice'];
    const places = items.map(({ status }) => order.indexOf(status));
    expect(places).to.deep.equal(places.toSorted((one, other) => one - other));
    const of = (id: string, name: string | null) => items.find((item) => item.id === id && item.subject.name === name)!;
    expect(of('index_missing', 'products')).to.deep.include({ status: 'error', answer: null });
    expect(of('index_missing', 'products').since).to.match(/^20/);
    expect(of('index_missing', 'products').act!.path).to.match(/^\/api\/sinks\/.*\/probe$/);
    expect(of('parked', 'orders').act!.path).to.match(/^\/api\/sinks\/.*\/messages\/retry$/);
    expect(of('parked', 'orders').since).to.match(/^20/);
    expect(of('paused', 'idle').act!.path).to.match(/resume$/);
    expect(of('paused', 'idle').since).to.match(/^20/);
    expect(new Set(items.map(({ key }) => key)).size).to.equal(items.length);
    expect(items.find(({ key }) => key === 'sink/products/added_late/public.orders')).to.deep.include({
      command: 'bin/millrace backfill products public.orders',
      act: { method: 'POST', path: of('added_late', 'products').act!.path, body: { table: 'public.orders' } },
    });
    expect(of('ack_pending_full', 'orders').status).to.equal('warning');
    expect(of('expires_soon', null).status).to.equal('warning');
    expect(of('failed', 'shop').since).to.equal('2026-11-22T08:00:00.000Z');
    expect(of('no_worker', null).command).to.equal('bin/millrace start worker');
    expect(of('versions_differ', null).status).to.equal('warning');
    expect(items.map(({ status }) => status)).to.not.include('ok');
    expect(json.attention_count).to.equal(items.length);
    expect(json.health).to.equal('error');
    expect(json.processes.map(({ is_present }: { is_present: boolean }) => is_present)).to.deep.equal([true, true]);
    // The destination's words are for those who may read data.
    const { json: whole } = await overview('data-token');
    expect(whole.attention.find(({ id }: Item) => id === 'index_missing').answer).to.contain('row 17');
  });

  it('does what it says: its routes take their bodies', async () => {
    const { json } = await overview();
    const isOver = ({ id }: Item): boolean => ['parked', 'paused', 'failed'].includes(id);
    for (const { act } of json.attention.filter(({ act: acts }: Item) => acts !== null)) {
      const { status, text } = await all.web.call(act.method, act.path, { body: act.body, token: 'operate-token' });
      expect(status, text).to.equal(200);
    }
    const { json: then } = await overview();
    expect(then.attention.filter(isOver)).to.deep.equal([]);
    expect(then.operations.map(({ kind, state }: { kind: string; state: string }) => `${kind} ${state}`)).to.include(
      'resync waiting',
    );
  });

  it('is read once, however many ask', async () => {
    let reads = 0;
    const { db } = all.m;
    const counting = {
      ...db,
      transaction: async <Result>(work: Parameters<typeof db.transaction<Result>>[0]): Promise<Result> => {
        reads += 1;
        return await db.transaction(work);
      },
    };
    const web = await testWeb({ db: counting });
    try {
      await Promise.all(Array.from({ length: 20 }, () => web.call('GET', '/api/overview')));
      expect(reads).to.equal(1);
    } finally {
      await web.close();
    }
  });
});
