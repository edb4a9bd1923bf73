/**
 * Messages that failed, however many: put back or given up by a worker, and seen in groups of equal errors. The worker's part
 * runs in this process; test/e2e/jobs.pg.test.ts kills a real one.
 */
import { expect } from 'chai';
import type { Held } from '../../src/admin/operation/held.ts';
import { OPERATIONS, type Operations, openOperations } from '../../src/admin/operation/runner.ts';
import { settleWork } from '../../src/admin/operation/settle-job.ts';
import type { Jobs } from '../../src/db/jobs.ts';
import { createLog } from '../../src/runtime/log.ts';
import { appendMessages } from '../support/fixtures/fixtures.ts';
import { openSession } from '../support/postgres/sessions.ts';
import { runCli } from '../support/processes/cli.ts';
import type { Reply } from '../support/processes/web.ts';
import { until } from '../support/until.ts';
import { type Managed, managed } from './support.ts';

const MANY = 11_000;

describe('api: many messages that failed', () => {
  let all: Managed;
  let no: number;
  let worker: { operations: Operations; stop(): Promise<void> };
  before(async () => {
    all = await managed();
    no = await all.noOf('orders');
    await append(MANY);
  });
  after(async () => {
    await worker?.stop();
    await all?.close();
  });

  /** Parked, with errors that differ in their numbers; the first of ten failed elsewhere. */
  const append = async (count: number): Promise<number[]> => {
    const ids = await appendMessages(
      all.m.db,
      no,
      Array.from({ length: count }, () => ({})),
    );
    await all.m.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, group_key, state, attempts, stage, error, parked_at)
       select $1, i, 0, null, 'parked', 1, case when n % 10 = 1 then 'shape' else 'send' end,
              format('field [price] of document %s: took %s.%s ms', i, n, n), now()
         from unnest($2::bigint[]) with ordinality u (i, n)`,
      [no, ids],
    );
    return ids;
  };
  const post = async (verb: string, body: unknown, token = 'operate-token'): Promise<Reply> =>
    await all.web.call('POST', `/api/sinks/orders/messages/${verb}`, { token, body });
  const get = async (path: string, token = 'data-token'): Promise<Reply> =>
    await all.web.call('GET', `/api/sinks/orders/messages${path}`, { token });
  const states = async (): Promise<Record<string, number>> => {
    const { rows } = await all.m.db.query<{ state: string; count: number }>(
      'select state, count(*)::integer as count from millrace_private.delivery_states where sink_no = $1 group by 1',
      [no],
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  };
  const operation = async (id: string, verb?: string): Promise<Reply['json']> =>
    (
      await (verb === undefined
        ? all.web.call('GET', `/api/operations/${id}`)
        : all.web.call('POST', `/api/operations/${id}/${verb}`))
    ).json;
  const ended = (id: string): Promise<Reply['json']> =>
    until('it has ended', async () => {
      const seen = await operation(id);
      return seen.ended_at !== null && seen;
    });
  /** A worker's part. `onTaken`: an operation begins. */
  const startWorker = (onTaken: (id: string) => Promise<unknown> = async () => undefined): typeof worker => {
    const stop = new AbortController();
    const jobs: Pick<Jobs, 'add'> = {
      add: async (_task, payload) => {
        void operations.task(payload, stop.signal);
        return true;
      },
    };
    const work = async (verb: 'retry' | 'discard', held: Held) => {
      await onTaken(held.id);
      return await settleWork(verb)(held);
    };
    const never = () => Promise.reject(new Error('nobody asked for it'));
    const deps = {
      db: all.m.db,
      jobs: () => jobs as Jobs,
      log: createLog({ level: 'silent', role: 'test' }),
      owner: 'test',
      work: {
        ...{ verify: never, rebuild: never, resync: never },
        retry: (held: Held) => work('retry', held),
        discard: (held: Held) => work('discard', held),
      },
    };
    const operations = openOperations(deps, { ...OPERATIONS, beatMs: 100, sweepMs: 200 });
    const running = operations.run(stop.signal);
    return {
      operations,
      async stop() {
        stop.abort();
        await running;
      },
    };
  };

  it('are seen in groups of equal errors, each with the filter that finds it, and no text without read:data', async () => {
    const { json, text } = await get('/groups');
    expect([json.scanned, json.is_estimate, json.data.length], text).to.deep.equal([MANY, false, 2]);
    const [sent, shaped] = json.data;
    expect(sent).to.include({ stage: 'send', count: 9_900 });
    expect(shaped).to.include({ stage: 'shape', count: 1_100 });
    expect(sent.tables).to.deep.equal(['public.orders']);
    expect(sent.error).to.match(/^field \[price\] of document \d+: took 11000.11000 ms$/);
    expect(sent.record_pk).to.equal(String(sent.sample_id));
    const plain = (await get('/groups', 'read-token')).json.data;
    expect(plain.map(({ filter }: { filter: object }) => filter)).to.deep.equal([sent.filter, shaped.filter]);
    expect(plain[0]).to.not.have.any.keys('error', 'record_pk');
    const query = new URLSearchParams({ ...shaped.filter, limit: '2' });
    const page = (await get(`?${query}`, 'read-token')).json;
    expect(page.data.map(({ stage }: { stage: string }) => stage)).to.deep.equal(['shape', 'shape']);
    // The second one is the eleventh that was looked at.
    expect(page.scanned).to.equal(11);
    query.set('limit', '500');
    let scanned = 0;
    let found = 0;
    for (let cursor = ''; ; ) {
      const { json: next } = await get(`?${query}${cursor}`);
      scanned += next.scanned;
      found += next.data.length;
      if (next.next_cursor === null) break;
      cursor = `&cursor=${next.next_cursor}`;
    }
    expect([scanned, found]).to.deep.equal([MANY, 1_100]);
    for (const verb of ['retry', 'discard']) {
      const counted = await post(verb, { filter: shaped.filter, dry_run: true });
      expect(counted.json, counted.text).to.deep.equal({ count: 1_100, more: false });
    }
    expect((await get('?group=x')).json.validation_errors.group).to.have.length(1);
  });

  it('are refused when they are others than somebody saw, and begin as an operation when they are many', async () => {
    const counted = (await post('retry', { filter: {}, dry_run: true })).json;
    expect(counted).to.deep.equal({ count: MANY, more: false });
    for (const expected_count of [9_000, 13_000]) {
      const { status, json } = await post('retry', { filter: {}, expected_count });
      expect([status, json.code, json.count]).to.deep.equal([409, 'count_moved', MANY]);
    }
    for (const body of [
      { filter: {}, expected_count: 1, limit: 1 },
      { ids: [1], expected_count: 1 },
    ]) {
      expect((await post('retry', body)).json.validation_errors).to.have.property('expected_count');
    }
    const begun = await post('retry', { filter: { error: 'price', key: 'x' }, expected_count: 0 }, 'admin-token');
    expect([begun.status, begun.json]).to.deep.equal([200, { count: 0, more: false }]);
    const reply = await post('retry', { filter: { action: 'insert', error: 'PRICE' } }, 'admin-token');
    expect(reply.status, reply.text).to.equal(202);
    const { id } = reply.json;
    expect(reply.headers.get('location')).to.equal(`/api/operations/${id}`);
    expect(reply.json).to.include({ kind: 'retry', sink: 'orders', state: 'waiting', requested_by: 'token admin' });
    const second = await post('retry', { filter: {} });
    expect([second.status, second.json.code, second.json.id]).to.deep.equal([409, 'operation_running', id]);
    const { rows } = await all.m.db.query<{ after: object }>(
      "select after from millrace_private.audit_log where action = 'retry'",
    );
    expect(rows).to.have.length(1);
    expect(JSON.stringify(rows)).to.include('"action":"insert"').and.not.include('PRICE');
    expect((await operation(id, 'cancel')).state).to.equal('cancelled');
  });

  it('are put back or given up each once, whatever pauses and stops come between, but none that came later', async () => {
    const retry = (await post('retry', { filter: {} })).json.id;
    const later = await append(5);
    // The first worker is stopped, the second sees the operation paused.
    const begun = Promise.withResolvers<void>();
    worker = startWorker(async () => begun.resolve());
    await begun.promise;
    await until('some are put back', async () => (await states()).retrying);
    await worker.stop();
    const half = (await states()).retrying!;
    worker = startWorker();
    const done = await ended(retry);
    expect([done.state, done.result, done.progress.total]).to.deep.equal(['done', { count: MANY }, MANY]);
    expect(half).to.satisfy((count: number) => count % 1_000 === 0);
    expect(await states()).to.deep.equal({ retrying: MANY, parked: later.length });

    // By SQL; paused when a worker has it.
    await worker.stop();
    const sql = `select millrace.discard_all('orders', '{"state": "retrying"}') as id`;
    const discard = (await all.m.db.query<{ id: string }>(sql)).rows[0]!.id;
    worker = startWorker(async (id) => await operation(id, 'pause'));
    await until('it is paused', async () => (await operation(discard)).state === 'paused');
    expect((await operation(discard, 'pause')).state).to.equal('paused');
    await worker.stop();
    expect((await states()).retrying).to.equal(MANY);
    worker = startWorker();
    await operation(discard, 'resume');
    worker.operations.onNews('');
    expect((await ended(discard)).result).to.deep.equal({ count: MANY });
    expect(await states()).to.deep.equal({ parked: later.length });
    const total = 'select discarded::integer as count from millrace_private.sink_totals where sink_no = $1';
    expect((await all.m.db.query(total, [no])).rows).to.deep.equal([{ count: MANY }]);
    expect((await get('')).json.data.map(({ id }: { id: number }) => id)).to.deep.equal(later);
  });

  it('are given up by a command, which says how many it were', async () => {
    await append(MANY);
    const call = (...words: string[]) => runCli(words, { MILLRACE_URL: all.web.url, MILLRACE_TOKEN: 'admin-token' });
    const groups = await call('message', 'groups', 'orders');
    expect(groups.stdout).to.match(/ 9904 \| send /);
    const whole = await call('discard', 'orders', '--state', 'parked', '--yes');
    expect([whole.code, whole.stdout.split('\n').at(-2)], whole.stderr).to.deep.equal([
      0,
      '11,005 messages are given up.',
    ]);
  });

  it('by SQL are refused with what is wrong', async () => {
    for (const [call, words] of [
      [`millrace.retry_all('orders', '{"state": "held"}')`, 'the state must be one of parked'],
      [`millrace.retry_all('orders', '{"tabel": "x"}')`, "the filter has 'tabel'"],
      [`millrace.discard_all('orders', '{"key": 1}')`, "the filter has 'key'"],
      [`millrace.discard_all('orders', '{"since": "soon"}')`, 'since or until is not a time'],
      [`millrace.discard_all('orders', null)`, 'the filter must be an object'],
    ] as const) {
      const refused = await all.m.db.query(`select ${call}`).catch((error: unknown) => error);
      expect(refused, call).to.include({ code: 'MR400' });
      expect(String(refused)).to.contain(words);
    }
  });

  it('by SQL are those of the times that whoever asks means, in its zone and its order of day and month', async () => {
    const asker = await openSession(all.m.db);
    await asker.query("set TimeZone = 'Asia/Tokyo'; set DateStyle = 'SQL, DMY'");
    const { rows: asked } = await asker
      .query<{ id: string; today: string }>(
        "select millrace.discard_all('orders', $1) as id, extract(epoch from 'today'::timestamptz)::text as today",
        [{ since: '03/02/2026 08:00', until: 'today', action: 'insert' }],
      )
      .finally(() => asker.close());
    const { rows } = await all.m.db.query(
      `select (request #>> '{filter,since}')::timestamptz::text as since,
              extract(epoch from (request #>> '{filter,until}')::timestamptz)::text as until
         from millrace_private.operations where id = $1`,
      [asked[0]!.id],
    );
    await operation(asked[0]!.id, 'cancel');
    expect(rows).to.deep.equal([{ since: '2026-02-02 23:00:00+00', until: asked[0]!.today }]);
  });

  it('have a destination that is asked at once, when somebody thinks that it is well again', async () => {
    const probe = async (sink: string): Promise<Reply> =>
      await all.web.call('POST', `/api/sinks/${sink}/probe`, { token: 'operate-token' });
    expect((await probe('products')).json).to.deep.equal({ probed: false });
    await all.m.db.query(
      `insert into millrace_private.circuits (sink_no, reason, error, probe_at)
       select no, 'index_missing', 'no such index', now() + interval '30 s' from millrace_private.sinks where name = 'products'`,
    );
    expect((await probe('products')).json).to.deep.equal({ probed: true });
    const sql = 'select probe_at <= clock_timestamp() as now from millrace_private.circuits';
    expect((await all.m.db.query(sql)).rows).to.deep.equal([{ now: true }]);
    const paused = await probe('idle');
    expect([paused.status, paused.json.code]).to.deep.equal([422, 'invalid']);
    expect((await all.web.call('POST', '/api/sinks/products/probe', { token: 'data-token' })).status).to.equal(403);
  });
});
