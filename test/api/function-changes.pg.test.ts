/** Functions are made, edited and deleted over HTTP: what does not work is not stored, and what is used is not deleted. */
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { loadCatalog } from '../../src/catalog/store.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type Reply, type TestWeb, testWeb } from '../support/processes/web.ts';

const FILE = `databases: [{ name: shop, url: 'postgres://u:p@h/d', slot: { name: a }, publication: { name: a } }]
functions:
  - { name: filed, type: filter, code: "() => true" }
`;

describe('api: functions are made, edited and deleted', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  before(async () => {
    m = await messageDatabase();
    await applyConfig({ db: m.db, keys: KEYS }, parse(FILE).config, { from: 'start' });
    web = await testWeb({ db: m.db }, { keepHealthMs: 0 });
  });
  after(async () => {
    await web?.close();
    await m?.drop();
  });

  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Reply> => await web.call(method, `/api/functions${path}`, { body, headers });
  const fails = async (reply: Promise<Reply>, status: number, code: string): Promise<Record<string, unknown>> => {
    const got = await reply;
    expect([got.status, got.json.code], got.text).to.deep.equal([status, code]);
    return got.json;
  };
  const stored = async (name: string) => (await loadCatalog(m.db, KEYS)).functions.find((fn) => fn.name === name);
  const draft = { name: 'document', type: 'transform', code: '(action, record) => record' };

  it('are made with 201, Location and ETag, once, and edited and deleted by who read the last version', async () => {
    const made = await call('POST', '', { ...draft, description: 'the row' });
    expect(made.status, made.text).to.equal(201);
    const { id, version } = made.json;
    expect(made.headers.get('location')).to.equal(`/api/functions/${id}`);
    expect(made.headers.get('etag')).to.equal(`"${version}"`);
    expect(made.json).to.include({
      name: 'document',
      managed_by: 'api',
      description: 'the row',
      updated_by: 'token admin',
    });
    expect(await fails(call('POST', '', draft), 409, 'name_taken')).to.include({ id });
    const edited = await call(
      'PATCH',
      '/document',
      { description: null, code: '() => ({})' },
      { 'if-match': `"${version}"` },
    );
    expect([edited.status, edited.json.description, edited.json.code], edited.text).to.deep.equal([
      200,
      null,
      '() => ({})',
    ]);
    expect(edited.json.version).to.be.greaterThan(version);
    await fails(
      call('PATCH', '/document', { code: '() => 1' }, { 'if-match': `"${version}"` }),
      412,
      'version_conflict',
    );
    await fails(call('DELETE', '/document', undefined, { 'if-match': `"${version}"` }), 412, 'version_conflict');
    // GET, edit, PUT.
    const shown = (await call('GET', '/document')).json;
    const put = await call('PUT', '/document', { ...shown, name: 'doc' });
    expect([put.status, put.json.id, put.json.name], put.text).to.deep.equal([200, id, 'doc']);
    const gone = await call('DELETE', '/doc');
    expect(gone.json).to.include({ id, name: 'doc', deleted: true, success: true });
    expect(await stored('doc')).to.equal(undefined);
    await fails(call('DELETE', '/doc'), 404, 'not_found');
    const { rows } = await m.db.query<{ action: string; subject: string }>(
      "select action, subject from millrace_private.audit_log where subject like 'function doc%' order by id",
    );
    expect(rows.map(({ action }) => action)).to.deep.equal(['create', 'update', 'update', 'delete']);
  });

  it('are compiled and tried before anything is stored: 422 with line and column', async () => {
    const json = await fails(
      call('POST', '', { name: 'f', type: 'filter', code: '(a) => {\n  return nosuch\n}' }),
      422,
      'invalid',
    );
    expect(json).to.include({ line: 2, column: 3 });
    expect(json.validation_errors)
      .to.have.property('code')
      .and.match(/nosuch is not defined \(line 2, column 3\)/);
    for (const code of ['(a) => {', '() => { for (;;); }', '() => 1'])
      await fails(call('POST', '', { name: 'f', type: 'filter', code }), 422, 'invalid');
    expect(await stored('f')).to.equal(undefined);
    await call('POST', '', { name: 'f', type: 'filter', code: '() => true' });
    await fails(call('PATCH', '/f', { code: '() => "yes"' }), 422, 'invalid');
    expect(await stored('f')).to.include({ code: '() => true' });
    await call('DELETE', '/f');
  });

  it('are refused by the field that is wrong', async () => {
    const wrong: [object, string][] = [
      [{ type: 'filter', code: '() => true' }, 'name'],
      [{ ...draft, name: 'none' }, 'name'],
      [{ ...draft, name: 'a b' }, 'name'],
      [{ name: 'f', code: '() => true' }, 'type'],
      [{ name: 'f', type: 'enrichment', code: '() => true' }, 'type'],
      [{ name: 'f', type: 'filter' }, 'code'],
      [{ name: 'f', type: 'filter', code: 1 }, 'code'],
      [{ name: 'f', type: 'filter', file: 'f.js' }, 'file'],
      [{ name: 'f', type: 'path', path: 'row.id' }, 'path'],
      [{ ...draft, name: 'f', cod: '' }, 'cod'],
      [{ ...draft, name: 'f', sink_type: 'elasticsearch' }, 'sink_type'],
    ];
    for (const [body, field] of wrong) {
      const json = await fails(call('POST', '', body), 422, 'invalid');
      expect(Object.keys(json.validation_errors as object), JSON.stringify(body)).to.deep.equal([field]);
    }
  });

  it('have all their wrong fields named at once, with what is wrong with the code', async () => {
    const fields = (json: Record<string, unknown>): string[] =>
      Object.keys(json.validation_errors as object).toSorted();
    const nonsense = { name: 'a b', type: 'nonsense', code: 1, cod: '', sink_type: 'nowhere' };
    const refused = await fails(call('POST', '', nonsense), 422, 'invalid');
    expect(fields(refused)).to.deep.equal(['cod', 'code', 'name', 'sink_type', 'type']);
    const broken = { name: 'a b', type: 'filter', code: '(a) => {\n  return nosuch\n}' };
    const json = await fails(call('POST', '', broken), 422, 'invalid');
    expect(fields(json)).to.deep.equal(['code', 'name']);
    expect(json).to.include({ line: 2, column: 3 });
    await call('POST', '', { name: 'f', type: 'filter', code: '() => true' });
    const edited = await fails(call('PATCH', '/f', { name: 'a b', code: '() => "yes"' }), 422, 'invalid');
    expect(fields(edited)).to.deep.equal(['code', 'name']);
    await call('DELETE', '/f');
  });

  it('of a file are the file’s', async () => {
    expect(await fails(call('PATCH', '/filed', { code: '() => false' }), 409, 'managed_by_file')).to.include({
      remedy: 'Change its entry and apply it, or: bin/millrace release function filed',
    });
    await fails(call('DELETE', '/filed'), 409, 'managed_by_file');
    expect((await call('POST', '/filed/release')).json).to.include({ managed_by: 'api' });
    expect((await call('PATCH', '/filed', { code: '() => false' })).json).to.include({ code: '() => false' });
  });

  it('that are used follow a new name into their sinks, keep a type that fits, and are not deleted', async () => {
    await call('POST', '', draft);
    const sink = { name: 'worker', database: 'shop', transform: 'document', destination: { type: 'pull' } };
    const made = await web.call('POST', '/api/sinks', { body: sink });
    expect(made.status, made.text).to.equal(200);
    expect((await call('PATCH', '/document', { name: 'row' })).json.used_by).to.deep.equal(['worker']);
    expect((await web.call('GET', '/api/sinks/worker')).json.transform).to.equal('row');
    const used = await fails(call('DELETE', '/row'), 409, 'in_use');
    expect(used).to.deep.include({ used_by: ['worker'] });
    const misfit = await fails(call('PATCH', '/row', { type: 'filter', code: '() => true' }), 422, 'invalid');
    expect(misfit.validation_errors)
      .to.have.property('type')
      .and.match(/^does not fit worker, whose transform it is/);
    expect(await stored('row')).to.include({ type: 'transform', code: draft.code });
    expect((await call('PATCH', '/row', { type: 'path', code: null, path: 'record.id' })).status).to.equal(200);
    await web.call('DELETE', '/api/sinks/worker');
    expect((await call('DELETE', '/row')).status).to.equal(200);
  });
});
