/** `GET /api/sinks`: what a console and scripts see of all sinks, and what no token learns. */
import { expect } from 'chai';
import { listSinks } from '../../src/api/sinks.ts';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { KEYS, parse, SHOP } from '../catalog/support.ts';
import { addShop, appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { type Reply, type TestWeb, testWeb } from '../support/processes/web.ts';

const CREDENTIAL = 'a-credential-that-nobody-reads';
const ADDRESS = 'hunter22';
const FILE = `${SHOP}  - { name: other, url: 'postgres://u:${ADDRESS}@h2/d', slot: { name: b }, publication: { name: b } }
functions: [{ name: document, type: transform, code: "(action, record) => record" }]
sinks:
  - { name: orders, database: shop, destination: { type: pull }, annotations: { team: billing } }
  - { name: idle, database: other, status: paused, destination: { type: sequin_stream } }
  - name: products
    database: shop
    transform: document
    destination: { type: elasticsearch, endpoint_url: 'http://h:9200', index_name: p, auth_type: api_key, auth_value: ${CREDENTIAL} }
change_retentions:
  - { name: history, source_database: shop, source_table_name: a, destination_database: shop, destination_table_name: b }
`;

describe('GET /api/sinks', () => {
  let m: MessageDatabase;
  let web: TestWeb;
  const get = async (query = '', token: string | null = 'read-token'): Promise<Reply> =>
    await web.call('GET', `/api/sinks${query}`, { token });
  const names = (reply: Reply): string[] => reply.json.data.map(({ name }: { name: string }) => name);
  const noOf = async (name: string): Promise<number> =>
    (await m.db.query<{ no: number }>('select no from millrace_private.sinks where name = $1', [name])).rows[0]!.no;

  before(async () => {
    m = await messageDatabase();
    await applyConfig({ db: m.db, keys: KEYS }, parse(FILE).config);
    await addShop(m.db);
    web = await testWeb({ db: m.db }, { keepHealthMs: 0 });
  });
  after(async () => {
    await web?.close();
    await m?.drop();
  });

  it('has every sink by name, as it is declared and as it is, in the shape that its schema says', async () => {
    const no = await noOf('orders');
    const ids = await appendMessages(m.db, no, [{}, {}, {}]);
    await parkOnArrival(m.db, no, ids.slice(0, 1));
    const reply = await get();
    expect(reply.status, reply.text).to.equal(200);
    listSinks.answer.parse(reply.json);
    expect(names(reply)).to.deep.equal(['idle', 'orders', 'products']);
    expect(reply.json.next_cursor).to.equal(null);
    const [idle, orders, products] = reply.json.data;
    expect(orders).to.deep.include({
      ...{ kind: 'pull', database: 'shop', status: 'active', transform: 'none', annotations: { team: 'billing' } },
      actions: ['insert', 'update', 'delete'],
    });
    expect(orders.state).to.include({ pending: 2, pending_is_estimate: false, parked: 1, retrying: 0, error: null });
    expect(orders.state.oldest_committed_at).to.match(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/);
    expect(orders.health).to.deep.equal({ name: 'Sink', status: 'warning', checks: [{ name: 'parked' }] });
    expect(idle).to.include({ status: 'paused', database: 'other' });
    expect(idle.health.status).to.equal('paused');
    expect(products).to.include({ transform: 'document', filter: 'none' });
    expect(products.destination).to.include({ type: 'elasticsearch', index_name: 'p' });
    for (const secret of [CREDENTIAL, ADDRESS]) expect(reply.text).to.not.include(secret);
  });

  it('tells an admin alone what a destination said: that may quote a row', async () => {
    await m.db.query(
      `insert into millrace_private.circuits (sink_no, reason, error, probe_at)
       values ($1, 'unreachable', 'a value of a row', now())`,
      [await noOf('products')],
    );
    const reader = await get('?health=error');
    expect(names(reader)).to.deep.equal(['products']);
    expect(reader.json.data[0].health.checks[0]).to.deep.equal({ name: 'unreachable' });
    expect(reader.json.data[0].state.failing_since).to.be.a('string');
    expect(reader.text).to.not.include('a value of a row');
    const admin = await get('?health=error', 'admin-token');
    expect(admin.json.data[0].state.error).to.equal('a value of a row');
    await m.db.query('delete from millrace_private.circuits');
  });

  it('is filtered, and comes in pages', async () => {
    expect(names(await get('?kind=pull'))).to.deep.equal(['idle', 'orders']);
    expect(names(await get('?kind=pull&status=active'))).to.deep.equal(['orders']);
    expect(names(await get('?database=other'))).to.deep.equal(['idle']);
    const { rows } = await m.db.query<{ id: string }>("select id from millrace_private.databases where name = 'other'");
    expect(names(await get(`?database=${rows[0]!.id}`))).to.deep.equal(['idle']);
    expect(names(await get('?database=nobody'))).to.deep.equal([]);
    const first = await get('?limit=2');
    expect(names(first)).to.deep.equal(['idle', 'orders']);
    const second = await get(`?limit=2&cursor=${first.json.next_cursor}`);
    expect([names(second), second.json.next_cursor]).to.deep.equal([['products'], null]);
  });

  it('refuses what it does not know, each field by name', async () => {
    const cases: [string, string, RegExp][] = [
      ['?databse=shop', 'databse', /^is not a known field\. Did you mean `database`\?$/],
      ['?page=2', 'page', /^is not a known field\. Known here: kind, database, status, health, limit, cursor\.$/],
      ['?status=on', 'status', /^must be active, paused or disabled$/],
      ['?limit=0', 'limit', /^must be a whole number from 1 to 1000$/],
      ['?cursor=x', 'cursor', /^is not one of ours\./],
      ['?kind=a&kind=b', 'kind', /expected string/],
    ];
    for (const [query, field, text] of cases) {
      const reply = await get(query);
      expect([reply.status, reply.json.code], query).to.deep.equal([400, 'bad_request']);
      expect(Object.keys(reply.json.validation_errors), query).to.deep.equal([field]);
      expect(reply.json.validation_errors[field][0], query).to.match(text);
      expect(reply.json.request_id).to.equal(reply.headers.get('x-request-id'));
    }
  });

  it('wants a token with the scope, and says which', async () => {
    const refused: [string | null, number, string][] = [
      [null, 401, 'unauthorized'],
      ['nobody', 401, 'unauthorized'],
      ['orders-token', 403, 'forbidden'],
    ];
    for (const [token, status, code] of refused) {
      // Whatever is asked: who may not ask learns nothing of what is wrong with it.
      const reply = await get('?databse=shop', token);
      expect([reply.status, reply.json.code], String(token)).to.deep.equal([status, code]);
      expect(reply.json.request_id).to.be.a('string');
    }
    const { json } = await get('', 'orders-token');
    expect(json.summary).to.equal('The token does not have the scope `read`');
    expect(json.remedy).to.equal('Give it that scope in `api_tokens`, and apply the file.');
  });

  it('understands no other method', async () => {
    const reply = await web.call('POST', '/api/sinks', { body: {} });
    expect([reply.status, reply.headers.get('allow')]).to.deep.equal([405, 'GET']);
    expect(reply.json).to.include({ code: 'method_not_allowed', request_id: reply.headers.get('x-request-id') });
  });
});
