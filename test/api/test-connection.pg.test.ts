/** Test Connection over HTTP: what is checked, of a draft and of what is stored. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect } from 'chai';
import { testDraftDatabase } from '../../src/admin/test-database.ts';
import { testDraftSink } from '../../src/admin/test-sink.ts';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { readDatabase } from '../../src/catalog/declare/requested-database.ts';
import { readSinkDraft } from '../../src/catalog/declare/requested-sink.ts';
import { KEYS, parse } from '../catalog/support.ts';
import { type BulkServer, startBulkServer } from '../support/engines/bulk-server.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { execute, sharedSource, type TestDatabase } from '../support/postgres/postgres.ts';
import { type Reply, type TestWeb, testWeb } from '../support/processes/web.ts';
import { type Endpoint, startEndpoint } from '../support/webhook/endpoint.ts';

const DATABASES = '/api/postgres_databases';

describe('Test Connection', () => {
  let m: MessageDatabase;
  let source: TestDatabase;
  let web: TestWeb;
  let engine: BulkServer;
  let endpoint: Endpoint;

  before(async () => {
    m = await messageDatabase();
    source = await (await sharedSource()).createDatabase();
    await execute(source.url, 'create table orders (id int primary key)');
    engine = await startBulkServer({ indexes: ['products'] });
    endpoint = await startEndpoint();
    const text = `databases:
  - { name: shop, url: '${source.url}', slot: { name: ${source.name}, create_if_not_exists: true }, publication: { name: all_of_it, create_if_not_exists: true } }
  - { name: away, url: 'postgres://u:hunter22@127.0.0.1:1/d', slot: { name: b }, publication: { name: b } }
sinks:
  - { name: orders, database: shop, destination: { type: pull } }
  - { name: products, database: shop, destination: { type: elasticsearch, endpoint_url: '${engine.url}', index_name: products, auth_type: none } }
change_retentions:
  - { name: history, source_database: shop, source_table_name: orders, destination_database: shop, destination_table_name: history }
`;
    await applyConfig({ db: m.db, keys: KEYS }, parse(text).config);
    web = await testWeb({ db: m.db, privateAllowed: true }, { keepHealthMs: 0 });
  });
  after(async () => {
    await web?.close();
    await engine?.close();
    await endpoint?.close();
    await source?.drop();
    await m?.drop();
  });
  const test = async (at: string, body?: unknown, token = 'admin-token'): Promise<Reply> =>
    await web.call('POST', `${at}/test_connection`, { token, body });
  const idsOf = ({ json }: Reply, status?: string): string[] =>
    json.checks
      .filter((check: { status: string }) => status === undefined || check.status === status)
      .map(({ id }: { id: string }) => id);
  const sqlOf = ({ json }: Reply, id: string): string =>
    json.checks.find((check: { id: string }) => check.id === id)?.sql ?? '';

  describe('of a database', () => {
    it('says what is missing in a draft with the statements that make it, and then that all is well', async () => {
      const draft = { url: source.url, slot_name: `${source.name}_draft`, publication_name: 'by hand' };
      const missing = await test(DATABASES, draft);
      expect([missing.status, missing.json.code, missing.json.success]).to.deep.equal([422, 'test_failed', false]);
      expect(idsOf(missing, 'error')).to.include.members(['slot_missing', 'publication_missing']);
      expect(idsOf(missing, 'ok')).to.include('wal_level').and.not.include('slot');
      expect(missing.json.reason).to.include('does not exist');
      const printed: string[] = missing.json.checks.flatMap(({ sql }: { sql: string | null }) => sql ?? []);
      expect(printed, 'a slot made first might never be read').to.deep.equal(
        ['publication_missing', 'slot_missing'].map((id) => sqlOf(missing, id)),
      );
      for (const sql of printed) await execute(source.url, sql);
      const { url, slot_name, publication_name } = draft;
      const found = await test(DATABASES, { url, replication_slots: [{ slot_name, publication_name }] });
      expect([found.status, found.json.success], found.text).to.deep.equal([200, true]);
      expect(idsOf(found), 'what is well is told too').to.include.members([
        ...['reached', 'version', 'wal_level', 'may_replicate', 'slots', 'slot', 'publication', 'tables'],
      ]);
      await execute(source.url, `select pg_drop_replication_slot('${draft.slot_name}')`);
    });

    it('tells a server that nobody can reach, in its own words and without the password', async () => {
      const reply = await test(DATABASES, { url: 'postgres://u:hunter22@127.0.0.1:1/d' });
      expect([reply.status, idsOf(reply, 'error')]).to.deep.equal([422, ['refused']]);
      expect((await test(`${DATABASES}/away`)).json.checks[0].id).to.equal('refused');
      const other = new URL(source.url);
      other.pathname = '/nowhere';
      expect(idsOf(await test(DATABASES, { url: other.href }), 'error')).to.deep.equal(['no_database']);
      expect(reply.text).to.not.include('hunter22');
    });

    it('asks nothing of what capture needs where nothing is to be read', async () => {
      const role = `${source.name}_writes`;
      await execute(source.url, `create role ${role} login password 'archived' noreplication`);
      const { hostname, port, pathname } = new URL(source.url);
      const url = `postgres://${role}:archived@${hostname}:${port}${pathname}`;
      const made = await web.call('POST', DATABASES, { token: 'admin-token', body: { name: 'archive', url } });
      expect(made.status, made.text).to.equal(201);
      for (const body of [undefined, { pool_size: 9 }]) {
        const tested = await test(`${DATABASES}/archive`, body);
        expect([tested.status, idsOf(tested)], tested.text).to.deep.equal([
          200,
          ['not_encrypted', 'reached', 'version'],
        ]);
      }
      const read = await test(`${DATABASES}/archive`, { slot: { name: 'its_own', create_if_not_exists: true } });
      expect(idsOf(read, 'error')).to.include('may_not_replicate');
    });

    it('tests what is stored for whoever operates, and a draft for an administrator', async () => {
      const stored = await test(`${DATABASES}/shop`, undefined, 'operate-token');
      expect([stored.status, stored.json.success], stored.text).to.deep.equal([200, true]);
      expect((await test(`${DATABASES}/nobody`)).json.code).to.equal('not_found');
      expect((await test(`${DATABASES}/shop`, undefined, 'read-token')).status).to.equal(403);
      expect((await test(DATABASES, { url: source.url }, 'operate-token')).json.needs).to.equal('admin');
    });

    it('tests what a change would make of it, and tells the stored password to no other server', async () => {
      const at = `${DATABASES}/away`;
      const moved = await test(at, { hostname: 'localhost' });
      expect([moved.status, moved.json.code, Object.keys(moved.json.validation_errors)]).to.deep.equal([
        ...[422, 'secret_required', ['password']],
      ]);
      const { hostname, port, username, password, pathname } = new URL(source.url);
      const whole = { hostname, port: Number(port), username, password, database: pathname.slice(1), slot: null };
      const changed = await test(at, { ...whole, publication: null, pool_size: 9 });
      expect([changed.status, changed.json.success], changed.text).to.deep.equal([200, true]);
      const same = await test(`${DATABASES}/shop`, { slot: { name: 'another', create_if_not_exists: false } });
      expect(idsOf(same, 'error')).to.deep.equal(['slot_missing']);
      expect((await test(at, { pool_size: 9 }, 'operate-token')).json.needs).to.equal('admin');
    });

    it('names each field that is wrong', async () => {
      const reply = await test(DATABASES, { url: 'nonsense', pool_size: 0, slott: {} });
      expect([reply.status, Object.keys(reply.json.validation_errors).sort()]).to.deep.equal([
        422,
        ['pool_size', 'slott', 'url'],
      ]);
      const slots = await test(DATABASES, { url: source.url, replication_slots: [] });
      expect(slots.json.validation_errors).to.have.keys('replication_slots');
    });
  });

  describe('of a sink', () => {
    const search = (index_name: string, more = {}) => ({
      destination: { type: 'elasticsearch', endpoint_url: engine.url, index_name, auth_type: 'none', ...more },
    });
    const hook = (more = {}) => ({ destination: { type: 'webhook', url: endpoint.url, ...more } });

    it('searches the index for nothing, and asks nothing else', async () => {
      engine.requests.length = 0;
      const stored = await test('/api/sinks/products', undefined, 'operate-token');
      expect([stored.status, idsOf(stored)], stored.text).to.deep.equal([200, ['index']]);
      expect(stored.json.checks[0].summary).to.match(/^index products answers in \d+ ms, and has 0 documents$/);
      expect((await test('/api/sinks', search('products'))).status).to.equal(200);
      const missing = await test('/api/sinks', search('nothing'));
      expect([missing.status, idsOf(missing, 'error')]).to.deep.equal([422, ['index_missing']]);
      expect(missing.json.checks[0].answer).to.include('index_not_found_exception');
      expect(engine.requests.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
        ...['POST /products/_search', 'POST /products/_search', 'POST /nothing/_search'],
      ]);
      engine.authorization = 'Bearer right';
      const refused = await test('/api/sinks', search('products', { auth_type: 'bearer', auth_value: 'wrong-one' }));
      engine.authorization = undefined;
      expect(idsOf(refused, 'error')).to.deep.equal(['auth_failed']);
      expect(refused.text).to.not.include('wrong-one');
    });

    it('tests what a change would make of it', async () => {
      const other = await test('/api/sinks/products', { destination: { index_name: 'nothing' } });
      expect([other.status, idsOf(other, 'error')]).to.deep.equal([422, ['index_missing']]);
      const secret = { auth_type: 'bearer', auth_value: '********' };
      const kept = await test('/api/sinks/products', { destination: secret });
      expect([kept.status, kept.json.code, Object.keys(kept.json.validation_errors)]).to.deep.equal([
        ...[422, 'secret_required', ['destination.auth_value']],
      ]);
      expect((await test('/api/sinks/products', { destination: {} }, 'operate-token')).json.needs).to.equal('admin');
    });

    it('sends a webhook one signed request that says it is a test, and shows the answer', async () => {
      const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
      endpoint.answer = () => ({ status: 200, text: 'welcome' });
      const reply = await test('/api/sinks', hook({ signing_secrets: [secret] }));
      expect([reply.status, reply.json.checks[0].answer], reply.text).to.deep.equal([200, 'welcome']);
      const request = endpoint.requests.at(-1);
      expect([request?.method, request?.body, request?.headers['webhook-test']]).to.deep.equal(['POST', '', 'true']);
      expect(request?.headers['webhook-signature']).to.match(/^v1,/);
      endpoint.answer = () => ({ status: 400, text: 'no message in it' });
      const doubtful = await test('/api/sinks', hook());
      expect([doubtful.status, idsOf(doubtful)]).to.deep.equal([200, ['test_refused']]);
      endpoint.answer = () => ({ status: 401 });
      expect(idsOf(await test('/api/sinks', hook()), 'error')).to.deep.equal(['auth_failed']);
    });

    it('has nothing to connect to for a pull consumer, and names each field that is wrong', async () => {
      expect((await test('/api/sinks/orders')).json.success).to.equal(true);
      const reply = await test('/api/sinks', {
        destination: { type: 'elasticsearch', index_name: 'Up' },
        databse: 'x',
      });
      expect(Object.keys(reply.json.validation_errors)).to.include.members([
        ...['destination.endpoint_url', 'destination.index_name', 'databse'],
      ]);
    });

    it('does not follow a redirect', async () => {
      engine.fail({ kind: 'status', status: 302, headers: { location: endpoint.url } }, { path: /_search$/ });
      const before = endpoint.requests.length;
      expect(idsOf(await test('/api/sinks', search('products')), 'error')).to.deep.equal(['bad_destination']);
      endpoint.answer = () => ({ status: 307, headers: { location: `${engine.url}/products/_search` } });
      const asked = engine.requests.length;
      expect(idsOf(await test('/api/sinks', hook()), 'error')).to.deep.equal(['bad_destination']);
      expect([endpoint.requests.length, engine.requests.length]).to.deep.equal([before + 1, asked]);
    });
  });

  describe('of a change retention', () => {
    it('compares the table, and prints what makes it fit', async () => {
      const missing = await test('/api/change_retentions/history', undefined, 'operate-token');
      expect([missing.status, idsOf(missing, 'error')]).to.deep.equal([422, ['change_table_missing']]);
      expect(missing.json.checks[0].run_on).to.equal('database shop');
      await execute(source.url, sqlOf(missing, 'change_table_missing'));
      expect((await test('/api/change_retentions/history')).status).to.equal(200);
      await execute(source.url, 'alter table history drop column changes');
      const draft = { destination_database: 'shop', destination_table_name: 'history' };
      const torn = await test('/api/change_retentions', draft);
      expect([torn.status, idsOf(torn, 'error')]).to.deep.equal([422, ['columns']]);
      await execute(source.url, sqlOf(torn, 'columns'));
      expect((await test('/api/change_retentions', draft)).status).to.equal(200);
      const made = { ...draft, destination_table_name: 'later', create_if_not_exists: true };
      const later = await test('/api/change_retentions', made);
      expect([later.status, idsOf(later, 'notice')], later.text).to.deep.equal([200, ['change_table_missing']]);
      const unknown = await test('/api/change_retentions', { ...draft, destination_database: 'nobody' });
      expect([unknown.status, unknown.json.code]).to.deep.equal([422, 'test_failed']);
    });
  });

  it('says of who does not answer that there is no answer', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const on = { db: m.db, messages: m.db, keys: KEYS, privateAllowed: true, patienceMs: 200 };
    const draft = readDatabase({ name: 'mute', hostname: '127.0.0.1', port, database: 'd', slot_name: 's' });
    const [found] = await testDraftDatabase(on, draft);
    expect([found?.id, found?.status]).to.deep.equal(['timed_out', 'error']);
    const hook = readSinkDraft('sinks', { destination: { type: 'webhook', url: `http://127.0.0.1:${port}` } });
    const [answered] = await testDraftSink(on, hook, new AbortController().signal);
    expect([answered?.id, answered?.answer]).to.deep.equal(['unreachable', 'no answer within 200 ms']);
    silent.close();
  });

  it('is refused while many others are under way', async () => {
    const release = Promise.withResolvers<void>();
    endpoint.answer = () => ({ hold: release.promise, status: 204 });
    const body = { destination: { type: 'webhook', url: endpoint.url } };
    const first = Array.from({ length: 12 }, () => test('/api/sinks', body));
    const refused = await Promise.any(
      first.map(async (one) => {
        const reply = await one;
        if (reply.status !== 429) throw new Error(`${reply.status}`);
        return reply;
      }),
    );
    release.resolve();
    expect([refused.json.code, refused.headers.has('retry-after')]).to.deep.equal(['too_many_requests', true]);
    const statuses = (await Promise.all(first)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200).length).to.be.greaterThan(3);
  });
});
