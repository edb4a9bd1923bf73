/** Verifications, rebuilds and resyncs over HTTP: asked for, refused, seen, paused, resumed and cancelled with what they began. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import type { Reply } from '../support/processes/web.ts';
import { FILE, type Managed, managed } from './support.ts';

describe('api: jobs of a worker', () => {
  let all: Managed;
  let engine: BulkServer;
  before(async () => {
    all = await managed();
    engine = await startBulkServer({ indexes: ['p'] });
    await applyConfig({ db: all.m.db, keys: KEYS }, parse(FILE.replace('http://h:9200', engine.url)).config);
  });
  after(async () => {
    await engine?.close();
    await all?.close();
  });
  afterEach(async () => void (await all.m.db.query('delete from millrace_private.operations')));

  const call = async (method: string, path: string, body?: unknown, token = 'operate-token'): Promise<Reply> =>
    await all.web.call(method, `/api/${path}`, { token, body });
  const now = async (id: string, set: string): Promise<void> => {
    await all.m.db.query(`update millrace_private.operations set ${set} where id = $1`, [id]);
  };

  it('begin with 202 and a place to watch, once of a kind, and say that no worker is there', async () => {
    const reply = await call('POST', 'sinks/products/verifications', { repair: true, refresh_ms: 300 });
    expect(reply.status, reply.text).to.equal(202);
    const { id } = reply.json;
    expect(reply.headers.get('location')).to.equal(`/api/operations/${id}`);
    expect(reply.json).to.deep.include({
      ...{ kind: 'verify', sink: 'products', database: 'shop', state: 'waiting', result: null, attempt: 0 },
      ...{ reason: 'no worker is there to take it', requested_by: 'token operate' },
    });
    expect(reply.json.remedy).to.contain('bin/millrace start');
    const { rows } = await all.m.db.query('select request from millrace_private.operations');
    expect(rows).to.deep.equal([{ request: { repair: true, refresh_ms: 300 } }]);
    const second = await call('POST', 'sinks/products/verifications');
    expect([second.status, second.json.code, second.json.id]).to.deep.equal([409, 'operation_running', id]);
    const bySql = await all.m.db.query("select millrace.verify('products')").catch((error: unknown) => error);
    expect(bySql).to.include({ code: 'MR409' });
    const listed = (await call('GET', 'operations?kind=verify&sink=products&state=waiting')).json;
    expect(listed.data.map((one: { id: string }) => one.id)).to.deep.equal([id]);
  });

  it('are refused with what is wrong', async () => {
    const cases: [string, unknown, number, string][] = [
      ['sinks/products/verifications', { repair: 'yes' }, 422, 'invalid'],
      ['sinks/products/verifications', { refresh_ms: 600_001 }, 422, 'invalid'],
      ['sinks/orders/verifications', {}, 422, 'invalid'],
      ['sinks/none/verifications', {}, 404, 'not_found'],
      ['sinks/products/rebuilds', {}, 422, 'invalid'],
      ['sinks/products/rebuilds', { index: 'p' }, 422, 'invalid'],
      ['sinks/products/rebuilds', { index: 'p-2', transform: 'documnet' }, 422, 'invalid'],
      ['sinks/products/rebuilds', { index: 'p-2' }, 422, 'test_failed'],
      ['sinks/orders/rebuilds', { index: 'p-2' }, 422, 'invalid'],
      ['postgres_databases/shop/resyncs', { force: 1 }, 422, 'invalid'],
      ['postgres_databases/none/resyncs', {}, 404, 'not_found'],
      ['postgres_databases/shop/resyncs', {}, 409, 'wrong_state'],
    ];
    for (const [path, body, status, code] of cases) {
      const reply = await call('POST', path, body, 'admin-token');
      expect([reply.status, reply.json.code], `${path} ${JSON.stringify(body)}: ${reply.text}`).to.deep.equal([
        status,
        code,
      ]);
    }
    expect((await call('POST', 'sinks/products/rebuilds', { index: 'p-2' })).status).to.equal(403);
    expect((await all.m.db.query('select from millrace_private.operations')).rowCount).to.equal(0);
  });

  it('begin a rebuild when its index is there, and a resync when it is forced', async () => {
    engine.engine.createIndex('p-2');
    const rebuild = await call('POST', 'sinks/products/rebuilds', { index: 'p-2', transform: 'none' }, 'admin-token');
    expect([rebuild.status, rebuild.json.kind], rebuild.text).to.deep.equal([202, 'rebuild']);
    const resync = await call('POST', 'postgres_databases/shop/resyncs', { force: true, verify: false });
    expect([resync.status, resync.json.kind, resync.json.sink], resync.text).to.deep.equal([202, 'resync', null]);
    const { rows } = await all.m.db.query('select kind, request from millrace_private.operations order by kind');
    expect(rows).to.deep.equal([
      { kind: 'rebuild', request: { index: 'p-2', transform: 'none' } },
      { kind: 'resync', request: { force: true, verify: false } },
    ]);
    // All rows may have been sent, and nothing be missing any more: it is under way until it has ended.
    const again = await call('POST', 'postgres_databases/shop/resyncs', {});
    expect([again.status, again.json.code, again.json.id], again.text).to.deep.equal([
      409,
      'operation_running',
      resync.json.id,
    ]);
  });

  it('are paused, resumed and cancelled together with what they began', async () => {
    const { json } = await call('POST', 'postgres_databases/shop/resyncs', { force: true });
    const backfill = (await call('POST', 'sinks/products/backfills')).json.id;
    await all.m.db.query(
      `insert into millrace_private.operations (kind, sink_no, database_no, parent_id, request, requested_by)
       select 'verify', s.no, d.no, $1, '{}', 'test' from millrace_private.sinks s join millrace_private.databases d on d.id = s.database_id
        where s.name = 'products'`,
      [json.id],
    );
    await now(json.id, `state = 'running', token = gen_random_uuid(), kept = '{"backfills": ["${backfill}"]}'`);
    const states = async (): Promise<string[]> => {
      const { rows } = await all.m.db.query<{ state: string }>(
        `select state from millrace_private.operations union all select state from millrace_private.backfills where id = $1`,
        [backfill],
      );
      return rows.map(({ state }) => state);
    };
    const verbs = [
      ['pause', 'paused'],
      ['pause', 'paused'],
      ['resume', 'waiting'],
      ['cancel', 'cancelled'],
      ['cancel', 'cancelled'],
    ] as const;
    for (const [verb, state] of verbs) {
      const changed = await call('POST', `operations/${json.id}/${verb}`);
      expect([changed.status, changed.json.state], changed.text).to.deep.equal([200, state]);
      expect(await states()).to.deep.equal([state, state, state]);
    }
    const late = await call('POST', `operations/${json.id}/resume`);
    expect([late.status, late.json.code, late.json.state]).to.deep.equal([409, 'wrong_state', 'cancelled']);
  });

  it('show figures to whoever may read, and keys and the words of destinations to whoever may see data', async () => {
    const { json } = await call('POST', 'sinks/products/verifications');
    await now(
      json.id,
      `state = 'failed', reason = 'sink products has made no progress: {"secret": "document"}', lines = '{document}',
       ended_at = now(), attempt = 1,
       steps = '[{"at": "2026-01-01", "text": "products: the verification failed: {document}"}, {"at": "2026-01-01", "text": "done: 7 rows"}]'`,
    );
    await all.m.db.query(
      `insert into millrace_private.operation_findings
       select $1, n, jsonb_build_object('kind', 'missing', 'index', 'p', 'id', n::text, 'table', 'public.a', 'key', json_build_array(n::text),
                                        'fields', '[]'::json, 'reason', null) from generate_series(1, 3) n`,
      [json.id],
    );
    const shown = await call('GET', `operations/${json.id}`);
    expect(shown.json).to.deep.include({ reason: 'sink products has made no progress', lines: [] });
    const texts = shown.json.steps.map((step: { text: string }) => step.text);
    expect(texts).to.deep.equal(['products: the verification failed', 'done: 7 rows']);
    for (const path of [`operations/${json.id}`, 'operations', 'overview']) {
      expect((await call('GET', path)).text, path)
        .to.contain('has made no progress')
        .and.not.to.contain('document"');
      expect((await call('GET', path, undefined, 'data-token')).text, path).to.contain('secret');
    }
    expect((await call('GET', `operations/${json.id}/differences`)).status).to.equal(403);
    const first = await call('GET', `operations/${json.id}/differences?limit=2`, undefined, 'data-token');
    expect(first.json.data.map((one: { key: string[] }) => one.key)).to.deep.equal([['1'], ['2']]);
    const rest = await call(
      'GET',
      `operations/${json.id}/differences?limit=2&cursor=${first.json.next_cursor}`,
      undefined,
      'data-token',
    );
    expect([rest.json.data.length, rest.json.next_cursor]).to.deep.equal([1, null]);
  });
});
