/** Source databases are made, edited and deleted over HTTP, and what Millrace made in them goes along. */
import { expect } from 'chai';
import pg from 'pg';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { loadCatalog } from '../../src/catalog/store.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { sharedSource, type TestDatabase } from '../support/postgres/postgres.ts';
import { type Reply, type TestWeb, testWeb } from '../support/processes/web.ts';

const CANARY = 'a-password-that-nobody-reads';
const FILE = `databases:
  - { name: filed, url: 'postgres://u:${CANARY}@h/d', slot: { name: a }, publication: { name: a } }
  - { name: used, url: 'postgres://u:${CANARY}@h2/d', slot: { name: b }, publication: { name: b } }
sinks: [{ name: worker, database: used, destination: { type: pull } }]
`;
const PATH = '/api/postgres_databases';

describe('api: databases are made, edited and deleted', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  let source: TestDatabase;
  let client: pg.Client;
  before(async () => {
    m = await messageDatabase();
    source = await (await sharedSource()).createDatabase();
    client = new pg.Client(source.url);
    await client.connect();
    await client.query('create table orders (id int primary key)');
    await applyConfig({ db: m.db, keys: KEYS }, parse(FILE).config, { from: 'start' });
    web = await testWeb({ db: m.db, privateAllowed: true }, { keepHealthMs: 0 });
  });
  after(async () => {
    await web?.close();
    await client?.end();
    await source?.drop();
    await m?.drop();
  });

  const call = async (method: string, at: string, body?: unknown, headers: Record<string, string> = {}) =>
    await web.call(method, `${PATH}${at}`, { body, headers });
  const fails = async (reply: Promise<Reply>, status: number, code: string, fields?: string[]): Promise<Reply> => {
    const { json, text, ...rest } = await reply;
    expect([rest.status, json.code], text).to.deep.equal([status, code]);
    if (fields) expect(Object.keys(json.validation_errors ?? {})).to.deep.equal(fields);
    expect(text).to.not.include(CANARY);
    return await reply;
  };
  const parts = (): { hostname: string; port: number; database: string; username: string; password: string } => {
    const { hostname, port, pathname, username, password } = new URL(source.url);
    return { hostname, port: Number(port), database: pathname.slice(1), username, password };
  };
  const pullFrom = (database: string) => ({ name: `of-${database}`, database, destination: { type: 'pull' } });
  const names = async (sql: string): Promise<string[]> =>
    (await client.query<{ name: string }>(sql)).rows.map(({ name }) => name);

  it('makes one where it can be captured, with 201, a Location and a version', async () => {
    const slots = [{ slot_name: source.name, publication_name: 'mine' }];
    await fails(call('POST', '', { name: 'shop', ...parts(), replication_slots: slots }), 422, 'test_failed');
    expect((await call('GET', '/shop')).status).to.equal(404);
    const made = await call('POST', '', {
      name: 'shop',
      url: source.url,
      slot: { name: source.name, create_if_not_exists: true },
      publication: { name: 'mine', create_if_not_exists: true },
      replication_slots: slots,
      annotations: null,
    });
    expect([made.status, made.json.version, made.json.managed_by], made.text).to.deep.equal([201, 1, 'api']);
    expect(made.headers.get('location')).to.equal(`${PATH}/${made.json.id}`);
    expect(made.json).to.deep.include({
      password: '********',
      replication_slots: slots,
      annotations: {},
      warnings: [],
    });
    const { databases } = await loadCatalog(m.db, KEYS);
    const found = databases.find(({ settings }) => settings.name === 'shop')!;
    expect([found.address().host, found.reach.allowed]).to.deep.equal([parts().hostname, false]);
  });

  it('refuses every wrong field by name, and makes nothing', async () => {
    const { generation } = await loadCatalog(m.db, KEYS);
    await fails(call('POST', '', {}), 422, 'invalid', ['name']);
    await fails(call('POST', '', { name: 'bare' }), 422, 'invalid', ['url']);
    await fails(call('POST', '', { name: 'no/good', url: source.url, port: 0, slott: 1 }), 422, 'invalid', [
      ...['name', 'port', 'slott'],
    ]);
    await fails(call('POST', '?test=maybe', {}), 400, 'bad_request', ['test']);
    await fails(call('POST', '', { name: 'setup_sql', url: source.url }), 422, 'invalid', ['name']);
    const other = { replication_slots: [{ slot_name: 'x' }], slot: { name: 'y' } };
    await fails(call('POST', '', { name: 'a', url: source.url, ...other }), 422, 'invalid', ['replication_slots']);
    await fails(call('POST', '', { name: 'a', ...parts(), password: '********' }), 422, 'invalid', ['password']);
    const { json } = await fails(call('POST', '', { name: 'shop', url: source.url }), 409, 'name_taken');
    expect(json.id).to.be.a('string');
    const operator = await web.call('POST', PATH, { token: 'operate-token', body: {} });
    expect(operator.json.needs).to.equal('admin');
    expect((await loadCatalog(m.db, KEYS)).generation).to.equal(generation);
  });

  it('changes what is given, and nothing when what was read is sent back', async () => {
    const shown = (await call('GET', '/shop')).json;
    expect((await call('PUT', '/shop', shown)).json.version).to.equal(shown.version);
    const wider = await call('PATCH', '/shop', { pool_size: 5, publication: { name: 'other' } }, { 'if-match': '"1"' });
    expect([wider.status, wider.json.version, wider.json.pool_size], wider.text).to.deep.equal([200, 2, 5]);
    expect(wider.json.publication).to.deep.include({ name: 'other', create_if_not_exists: true });
    await fails(call('PATCH', '/shop', { pool_size: 6 }, { 'if-match': '"1"' }), 412, 'version_conflict');
    const usual = await call('PATCH', '/shop', { pool_size: null, replication_slots: shown.replication_slots });
    expect(usual.json).to.deep.include({ pool_size: 3, slot: shown.slot, publication: shown.publication });
    const switched = await call('PATCH', '/shop', { capture: 'triggers', trigger_errors: 'skip' });
    expect(switched.json).to.deep.include({ capture: 'triggers', trigger_errors: 'skip', slot: shown.slot });
    const back = await call('PATCH', '/shop', { capture: null, trigger_errors: null });
    expect(back.json).to.deep.include({ capture: 'replication', trigger_errors: 'fail', slot: shown.slot });
    const renamed = await call('PATCH', '/shop', { name: 'store' });
    expect([renamed.status, renamed.json.name]).to.deep.equal([200, 'store']);
    expect((await call('PATCH', '/store', { name: 'shop' })).status).to.equal(200);
  });

  it('tells the stored password to no other server', async () => {
    await fails(call('PATCH', '/shop', { hostname: 'elsewhere.example' }), 422, 'secret_required', ['password']);
    await fails(call('PATCH', '/shop', { port: 1 }), 422, 'secret_required', ['password']);
    const moved = await call('PATCH', '/shop', { port: 1, password: CANARY });
    expect(moved.status, moved.text).to.equal(200);
    const back = await call('PATCH', '/shop', { url: source.url });
    expect(back.status, back.text).to.equal(200);
    const { databases } = await loadCatalog(m.db, KEYS);
    const { address } = databases.find(({ settings }) => settings.name === 'shop')!;
    expect(address().password).to.equal(parts().password);
  });

  it('needs no slot for one that nothing reads from, beside another one of its server', async () => {
    const at = (database: string): string => `postgres://u:${CANARY}@one.example/${database}`;
    const made = async (body: object) => await call('POST', '?test=false', body);
    expect((await made({ name: 'archive', url: at('archive') })).status).to.equal(201);
    const parts = { slot: { name: 'millrace' }, publication: { name: 'millrace' } };
    const source = await made({ name: 'source', url: at('source'), ...parts });
    expect(source.status, source.text).to.equal(201);
    expect((await web.call('POST', '/api/sinks', { body: pullFrom('source') })).status).to.equal(200);
    for (const name of ['archive', 'source']) {
      const edited = await call('PATCH', `/${name}`, { pool_size: 5 });
      expect([edited.status, edited.json.pool_size], edited.text).to.deep.equal([200, 5]);
      const back = await call('PUT', `/${name}`, edited.json);
      expect([back.status, back.json.version], back.text).to.deep.equal([200, edited.json.version]);
    }
    await fails(made({ name: 'third', url: at('third'), ...parts }), 422, 'invalid', ['slot']);
    // As soon as something reads from it, it needs one.
    const read = await web.call('POST', '/api/sinks', { body: pullFrom('archive') });
    expect([read.status, Object.keys(read.json.validation_errors)], read.text).to.deep.equal([422, ['database']]);
    expect((await call('PATCH', '/archive', { slot: { name: 'own' } })).status).to.equal(200);
    expect((await web.call('POST', '/api/sinks', { body: pullFrom('archive') })).status).to.equal(200);
    expect((await call('PATCH', '/archive', { slot: null })).json.code).to.equal('invalid');
    const own = { slot: { name: 'millrace', create_if_not_exists: true } };
    await fails(call('PATCH', '/archive', own), 422, 'invalid', ['slot']);
  });

  it('leaves to the file what is of the file', async () => {
    const told = await fails(call('PATCH', '/filed', { pool_size: 9 }), 409, 'managed_by_file');
    expect(told.json.remedy).to.include('release database filed');
    await fails(call('DELETE', '/filed'), 409, 'managed_by_file');
    await fails(call('DELETE', '/used?release=true&force=true'), 409, 'in_use');
    const away = await fails(call('DELETE', '/filed?release=true'), 409, 'needs_force');
    const left = ["select pg_drop_replication_slot('a')", 'drop publication "a"'];
    expect(away.json.left).to.deep.equal(left);
    const gone = await call('DELETE', '/filed?release=true&force=true');
    expect([gone.status, gone.json.left, gone.json.deleted], gone.text).to.deep.equal([200, left, true]);
    expect(gone.json.warnings.join(' ')).to.include('take it out there, too');
    expect((await call('GET', '/filed')).status).to.equal(404);
  });

  it('keeps the name of one that entries of the file name, until they are released, too', async () => {
    expect((await call('POST', '/used/release')).status).to.equal(200);
    const told = await fails(call('PATCH', '/used', { name: 'renamed' }), 409, 'managed_by_file');
    expect([told.json.used_by, told.json.remedy]).to.deep.equal([
      ['worker'],
      'Release each of them, as by: bin/millrace release sink worker',
    ]);
    expect((await web.call('POST', '/api/sinks/worker/release')).status).to.equal(200);
    const renamed = await call('PATCH', '/used', { name: 'renamed' });
    expect([renamed.status, renamed.json.name], renamed.text).to.deep.equal([200, 'renamed']);
    expect(renamed.json.warnings[0]).to.include('may still have the entry used').and.include('Take it out');
    expect((await web.call('GET', '/api/sinks/worker')).json.database).to.equal('renamed');
  });

  it('deletes one with its triggers, and says how where it is away', async () => {
    await client.query('create schema millrace_capture; create table noted_of (id int)');
    await client.query(`create function millrace_capture.f() returns trigger language plpgsql as 'begin return null; end';
      create trigger "!millrace_1" after insert on noted_of for each row execute function millrace_capture.f()`);
    const entry = { capture: 'triggers', publication: { name: 'listed' } };
    const made = await call('POST', '?test=false', { name: 'noted', url: source.url, ...entry });
    expect(made.status, made.text).to.equal(201);
    const asked = await fails(call('DELETE', '/noted'), 409, 'needs_force');
    expect(asked.json.summary).to.include('triggers, with what they have noted').and.not.include('slot');
    const gone = await call('DELETE', '/noted?force=true');
    expect([gone.status, gone.json.left], gone.text).to.deep.equal([200, []]);
    expect(await names("select tgname as name from pg_trigger where tgrelid = 'noted_of'::regclass")).to.deep.equal([]);
    expect(await names("select nspname as name from pg_namespace where nspname = 'millrace_capture'")).to.deep.equal(
      [],
    );
    const away = await call('POST', '?test=false', { name: 'away', url: 'postgres://u@127.0.0.1:1/d', ...entry });
    expect(away.status, away.text).to.equal(201);
    const left = (await call('DELETE', '/away?force=true')).json.left;
    expect(left).to.deep.equal(['drop schema if exists millrace_capture cascade', 'drop publication "listed"']);
  });

  it('deletes one with the slot and the publication that were made for it', async () => {
    await client.query(`select pg_create_logical_replication_slot('${source.name}', 'pgoutput')`);
    await client.query('create publication mine');
    const asked = await fails(call('DELETE', '/shop'), 409, 'needs_force');
    expect(asked.json.summary).to.include(`replication slot ${source.name} and its publication mine`);
    await fails(call('DELETE', '/shop?force=true', undefined, { 'if-match': '"1"' }), 412, 'version_conflict');
    const gone = await call('DELETE', '/shop?force=true');
    expect([gone.status, gone.json.left, gone.json.warnings], gone.text).to.deep.equal([200, [], []]);
    expect(await names(`select slot_name as name from pg_replication_slots where slot_name = '${source.name}'`)).to.be
      .empty;
    expect(await names("select pubname as name from pg_publication where pubname = 'mine'")).to.be.empty;
    await fails(call('DELETE', '/shop'), 404, 'not_found');
    const { rows } = await m.db.query<{ text: string }>(
      "select concat_ws(' ', a.actor, a.action) as text from millrace_private.audit_log a where a.subject = 'database shop' order by a.id",
    );
    expect(rows[0]!.text).to.equal('token admin create');
    expect(rows.at(-1)!.text).to.equal('token admin delete');
    const all = await m.db.query<{ text: string }>('select a::text as text from millrace_private.audit_log a');
    expect(all.rows.map(({ text }) => text).join()).to.not.include(CANARY);
  });
});
