/** Sinks and change retentions are made, edited and deleted over HTTP, as a file would, and what a file manages is not. */
import { expect } from 'chai';
import { loadCatalog } from '../../src/catalog/store.ts';
import { KEYS } from '../catalog/support.ts';
import { appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';
import type { MessageDatabase } from '../support/postgres/message-database.ts';
import type { Reply, TestWeb } from '../support/processes/web.ts';
import { CANARY, type Editing, editing, fails, search as searchOn } from './editing.ts';

describe('api: sinks are made, edited and deleted', () => {
  let all: Editing;
  let m: MessageDatabase;
  let web: TestWeb;
  before(async () => {
    all = await editing();
    ({ m, web } = all);
  });
  after(async () => await all?.close());

  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    await web.call(method, `/api/${path}`, { body, headers });
  const as = async (token: string, method: string, path: string, body?: unknown) =>
    await web.call(method, `/api/${path}`, { body, token });
  const told = ({ status, json }: Reply): unknown[] => [status, json.code, Object.keys(json.validation_errors ?? {})];
  const pull = (name: string, more: object = {}) => ({
    name,
    database: 'shop',
    destination: { type: 'pull' },
    ...more,
  });
  const search = (name: string, more?: object) => searchOn(all.engine, name, more);
  const audited = async (subject: string): Promise<string[]> =>
    (
      await m.db.query<{ text: string }>(
        `select concat_ws(' ', a.actor, a.action) as text from millrace_private.audit_log a
          where a.subject = $1::text order by a.id`,
        [subject],
      )
    ).rows.map(({ text }) => text);

  it('makes one with 200, a Location and a version, and gives what a file gives', async () => {
    const made = await call('POST', 'sinks', pull('made', { transform: 'document', max_retry_count: null }));
    expect([made.status, made.json.name, made.json.version, made.json.managed_by]).to.deep.equal([
      200,
      'made',
      1,
      'api',
    ]);
    expect(made.headers.get('location')).to.equal(`/api/sinks/${made.json.id}`);
    expect(made.headers.get('etag')).to.equal('"1"');
    expect(made.json).to.include({ updated_by: 'token admin', transform: 'document', status_by: 'operator' });
    const shown = await web.call('GET', made.headers.get('location')!);
    expect(shown.json.id).to.equal(made.json.id);
    const { sinks } = await loadCatalog(m.db, KEYS);
    const sink = sinks.find(({ name }) => name === 'made')!;
    expect([sink.lanes, sink.reach.allowed]).to.deep.equal([1, false]);
    const { rows } = await m.db.query('select from millrace_private.consumers where sink_no = $1', [sink.no]);
    expect(rows).to.have.length(1);
    expect(await audited('sink made')).to.deep.equal(['token admin create']);
  });

  it('refuses every wrong field by name, and makes nothing', async () => {
    const before = (await loadCatalog(m.db, KEYS)).generation;
    const wrong = { name: 'no', databse: 'x', database: 'nowhere', transform: 'gone', destination: { type: 'pul' } };
    await fails(call('POST', 'sinks', wrong), 422, 'invalid', ['destination.type', 'databse', 'database', 'transform']);
    await fails(call('POST', 'sinks', {}), 422, 'invalid', ['name', 'database', 'destination']);
    await fails(call('POST', 'sinks', pull('run')), 422, 'invalid', ['name']);
    await fails(call('POST', 'sinks', search('masked', { auth_value: '********' })), 422, 'invalid', [
      'destination.auth_value',
    ]);
    const table = { type: 'change_table', database: 'shop', table_schema: 'public', table_name: 'a' };
    await fails(call('POST', 'sinks', pull('t', { destination: table })), 422, 'invalid');
    for (const name of ['made', 'filed']) {
      const { json } = await fails(call('POST', 'change_retentions', { name }), 409, 'name_taken');
      expect(json.id).to.be.a('string');
    }
    expect((await loadCatalog(m.db, KEYS)).generation).to.equal(before);
  });

  it('makes a search index only where its index answers, unless that is not asked for', async () => {
    await fails(call('POST', 'sinks', search('products', { index_name: 'missing' })), 422, 'test_failed');
    expect((await call('GET', 'sinks/products')).status).to.equal(404);
    const untried = await call('POST', 'sinks?test=false', search('untried', { index_name: 'missing' }));
    expect([untried.status, untried.json.health.status]).to.deep.equal([200, 'error']);
    expect(untried.json.state.error).to.match(/^not tried yet/);
    const made = await call('POST', 'sinks', search('products'));
    expect([made.status, made.json.destination.auth_value], made.text).to.deep.equal([200, '********']);
    expect(made.text).to.not.include(CANARY);
  });

  it('changes what is given, keeps its secret, and does nothing for what is so already', async () => {
    const { json } = await call('GET', 'sinks/products');
    const changed = await call('PATCH', 'sinks/products', { destination: { batch_size: 7 }, max_retry_count: 3 });
    expect([changed.status, changed.json.version], changed.text).to.deep.equal([200, json.version + 1]);
    expect(changed.json.destination).to.include({ batch_size: 7, index_name: 'products' });
    const reset = await call('PUT', 'sinks/products', { destination: { batch_size: null }, max_retry_count: null });
    expect([reset.json.destination.batch_size, reset.json.max_retry_count]).to.deep.equal([100, null]);
    for (const method of ['PATCH', 'PUT']) {
      const shown = await call('GET', 'sinks/products');
      const same = await call(method, 'sinks/products', shown.json);
      expect([same.status, same.json.version], same.text).to.deep.equal([200, shown.json.version]);
    }
    const { sinks } = await loadCatalog(m.db, KEYS);
    expect(sinks.find(({ name }) => name === 'products')!.secret()).to.equal(CANARY);
  });

  it('never makes another kind of it, nor moves it to another database', async () => {
    const refused: [object, string[]][] = [
      [{ database: 'other' }, ['database']],
      [{ kind: 'webhook' }, ['kind']],
      [{ destination: { type: 'webhook', url: 'http://h' } }, ['destination.type']],
      [{ initial_backfill: true }, ['initial_backfill']],
      [{ database: 'other', destination: { type: 'elasticsearch' } }, ['database', 'destination.type']],
    ];
    for (const [body, fields] of refused) await fails(call('PATCH', 'sinks/made', body), 422, 'immutable', fields);
    await fails(call('PATCH', 'sinks/made', { databse: 'x', status: 'off' }), 422, 'invalid', ['status', 'databse']);
    await fails(call('PATCH', 'sinks/made', { destination: null }), 422, 'invalid', ['destination']);
  });

  it('wants the version that was read, where one is said', async () => {
    const { json } = await call('GET', 'sinks/made');
    const old = { 'if-match': `"${json.version}"` };
    expect((await call('PATCH', 'sinks/made', { annotations: { a: '1' } }, old)).status).to.equal(200);
    for (const body of [{ annotations: {} }, { status: 'paused' }]) {
      const late = await fails(call('PATCH', 'sinks/made', body, old), 412, 'version_conflict');
      expect(late.json).to.include({ version: json.version + 1, updated_by: 'token admin' });
      expect(late.json.summary).to.include('by token admin');
    }
    await fails(call('DELETE', 'sinks/made', undefined, old), 412, 'version_conflict');
    await fails(call('PATCH', 'sinks/made', {}, { 'if-match': 'abc' }), 400, 'bad_request', ['If-Match']);
    expect((await call('PATCH', 'sinks/made', { annotations: {} }, { 'if-match': '*' })).status).to.equal(200);
  });

  it('lets one of those win that saw the same version, and all that say none', async () => {
    const { json } = await call('GET', 'sinks/made');
    const edits = (headers: Record<string, string>) =>
      Promise.all([1, 2, 3, 4, 5].map((n) => call('PATCH', 'sinks/made', { annotations: { n: `${n}` } }, headers)));
    const raced = await edits({ 'if-match': `"${json.version}"` });
    expect(raced.map(({ status }) => status).sort()).to.deep.equal([200, 412, 412, 412, 412]);
    expect((await edits({})).every(({ status }) => status === 200)).to.equal(true);
    expect((await call('GET', 'sinks/made')).json.version).to.be.within(json.version + 5, json.version + 6);
  });

  it('lets an operator change the status alone, also of a sink of the file', async () => {
    for (const name of ['made', 'filed']) {
      const paused = await as('operate-token', 'PATCH', `sinks/${name}`, { status: 'paused' });
      expect([paused.status, paused.json.status, paused.json.status_by]).to.deep.equal([200, 'paused', 'operator']);
      expect((await as('operate-token', 'PUT', `sinks/${name}`, { status: 'active' })).json.status).to.equal('active');
    }
    const refused = await as('operate-token', 'PATCH', 'sinks/made', { status: 'paused', annotations: {} });
    expect([refused.status, refused.json.needs]).to.deep.equal([403, 'admin']);
    expect(await audited('sink filed')).to.include.members(['token operate pause', 'token operate resume']);
  });

  it('leaves what a file manages to the file, until it is released', async () => {
    const edit = { destination: { max_waiting: 3 } };
    const { json } = await fails(call('PATCH', 'sinks/filed', edit), 409, 'managed_by_file');
    expect(json.remedy).to.include('millrace release sink filed');
    await fails(call('DELETE', 'sinks/filed'), 409, 'managed_by_file');
    await call('POST', 'sinks/filed/release');
    expect((await call('PATCH', 'sinks/filed', edit)).json.destination.max_waiting).to.equal(3);
    await call('POST', 'sinks/filed/adopt');
    const gone = await call('DELETE', 'sinks/filed?release=true');
    expect([gone.status, gone.json.deleted, gone.json.warnings.length], gone.text).to.deep.equal([200, true, 1]);
  });

  it('renames it, and who may consume it still may', async () => {
    await m.db.query(
      `insert into millrace_private.api_tokens (name, hash, scopes) values ('c', 'c', '{consume:made,consume:other}')`,
    );
    await fails(call('PATCH', 'sinks/made', { name: 'products' }), 409, 'name_taken');
    await fails(call('PATCH', 'sinks/made', { name: 'sql' }), 422, 'invalid', ['name']);
    await fails(call('PATCH', 'sinks/made', { name: 'a b' }), 422, 'invalid', ['name']);
    const { json } = await call('GET', 'sinks/made');
    const renamed = await call('PATCH', 'sinks/made', { name: 'worker' });
    expect([renamed.status, renamed.json.name, renamed.json.id]).to.deep.equal([200, 'worker', json.id]);
    const { rows } = await m.db.query<{ scopes: string[]; metadata: string }>(
      `select t.scopes, s.metadata from millrace_private.api_tokens t, millrace_private.sinks s
        where t.name = 'c' and s.name = 'worker' and s.settings ->> 'name' = 'worker'`,
    );
    expect(rows[0]!.scopes).to.deep.equal(['consume:worker', 'consume:other']);
    expect(rows[0]!.metadata).to.include('"worker"');
    expect((await call('GET', 'sinks/made')).status).to.equal(404);
    expect(await audited('sink worker')).to.deep.equal(['token admin update']);
  });

  it('deletes one with its messages only by force, and says how many', async () => {
    const { rows } = await m.db.query<{ no: number }>("select no from millrace_private.sinks where name = 'worker'");
    const { no } = rows[0]!;
    const ids = await appendMessages(m.db, no, [{}, {}, {}]);
    await parkOnArrival(m.db, no, ids.slice(0, 1));
    const { json } = await fails(call('DELETE', 'sinks/worker'), 409, 'needs_force');
    expect([json.pending, json.parked, json.summary]).to.deep.equal([
      ...[2, 1],
      'sink worker has 2 pending and 1 parked messages, which would go with it',
    ]);
    const gone = await call('DELETE', 'sinks/worker?force=true');
    expect(gone.json).to.include({ name: 'worker', deleted: true, success: true, pending: 2, parked: 1 });
    expect((await call('DELETE', 'sinks/worker')).status).to.equal(404);
    const tables = await m.db.query('select from pg_tables where tablename = $1', [`messages_${no}`]);
    expect(tables.rows).to.deep.equal([]);
    expect((await audited('sink worker')).at(-1)).to.equal('token admin delete');
  });

  it('does the same with change retentions', async () => {
    const body = {
      ...{ name: 'history', source_database: 'shop', source_table_name: 'orders' },
      ...{ destination_database: 'shop', destination_table_name: 'events', retention: { by: 'job', keep: '30 days' } },
    };
    const circle = { ...body, destination_table_name: 'orders' };
    await fails(call('POST', 'change_retentions', circle), 422, 'invalid', ['destination_table_name']);
    const made = await call('POST', 'change_retentions', body);
    expect([made.status, made.headers.get('location')]).to.deep.equal([201, `/api/change_retentions/${made.json.id}`]);
    const same = await call('PUT', 'change_retentions/history', made.json);
    expect([same.status, same.json.version], same.text).to.deep.equal([200, 1]);
    const longer = await call('PATCH', 'change_retentions/history', { retention: { keep: '60 days' } });
    expect(longer.json.retention).to.deep.include({ by: 'job', keep: '60 days' });
    expect((await call('PATCH', 'change_retentions/history', { retention: null })).json.retention).to.equal(null);
    const moved = call('PATCH', 'change_retentions/history', { source_database: 'other' });
    await fails(moved, 422, 'immutable', ['source_database']);
    const back = { ...body, name: 'back', source_table_name: 'events', destination_table_name: 'orders' };
    await fails(call('POST', 'change_retentions', back), 422, 'invalid', ['destination_table_name']);
    expect((await call('PATCH', 'sinks/history', { name: 'x' })).status).to.equal(404);
    const gone = await call('DELETE', 'change_retentions/history');
    expect(gone.json.left).to.deep.equal(['drop table "public"."events"']);
    expect(told(gone)).to.deep.equal([200, undefined, []]);
  });

  it('writes no credential to the audit log', async () => {
    const { rows } = await m.db.query<{ text: string }>('select a::text as text from millrace_private.audit_log a');
    expect(rows.map(({ text }) => text).join()).to.not.include(CANARY);
  });
});
