/** `GET /api/sinks`: what a console and scripts see of all sinks, and what no token learns. */
import { expect } from 'chai';
import { appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';
import type { Reply } from '../support/processes/web.ts';
import { CANARIES, type Managed, managed } from './support.ts';

describe('GET /api/sinks', () => {
  let m: Managed['m'];
  let web: Managed['web'];
  let noOf: Managed['noOf'];
  let close: Managed['close'];
  const get = async (query = '', token: string | null = 'read-token'): Promise<Reply> =>
    await web.call('GET', `/api/sinks${query}`, { token });
  const names = (reply: Reply): string[] => reply.json.data.map(({ name }: { name: string }) => name);

  before(async () => {
    ({ m, web, noOf, close } = await managed());
  });
  after(async () => await close?.());

  it('has every sink by name, as it is declared and as it is, in the shape that its schema says', async () => {
    const no = await noOf('orders');
    const ids = await appendMessages(m.db, no, [{}, {}, {}]);
    await parkOnArrival(m.db, no, ids.slice(0, 1));
    const reply = await get();
    expect(reply.status, reply.text).to.equal(200);
    expect(names(reply)).to.deep.equal(['idle', 'orders', 'products']);
    expect(reply.json.next_cursor).to.equal(null);
    const [idle, orders, products] = reply.json.data;
    expect(orders).to.deep.include({
      ...{ kind: 'pull', database: 'shop', status: 'active', transform: 'none', annotations: { team: 'billing' } },
      actions: ['insert', 'update', 'delete'],
    });
    expect(orders.state).to.include({ pending: 2, pending_is_estimate: false, parked: 1, retrying: 0, error: null });
    expect(orders.state.oldest_committed_at).to.match(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{6}Z$/);
    expect(orders.health).to.deep.include({ name: 'Sink', status: 'warning' });
    expect(orders.health.checks).to.have.length(1);
    expect(orders.health.checks[0]).to.deep.include({
      ...{ name: 'parked', status: 'warning', error: '1 message is parked and not tried again' },
      ...{ run_on: 'message database', command: null },
    });
    expect(orders.health.checks[0].sql).to.include("millrace.retry('orders'");
    expect(idle).to.include({ status: 'paused', database: 'other' });
    expect(idle.health.status).to.equal('paused');
    expect(idle.health.checks.map(({ name, status }: Record<string, string>) => [name, status])).to.deep.equal([
      ['paused', 'paused'],
    ]);
    expect(products).to.include({ transform: 'document', filter: 'none' });
    expect(products.destination).to.include({ type: 'elasticsearch', index_name: 'p', auth_value: '********' });
    expect(orders.active_backfills).to.deep.equal([]);
    for (const secret of CANARIES) expect(reply.text).to.not.include(secret);
  });

  it('tells what a destination said only to those who may read data: that may quote a row', async () => {
    await m.db.query(
      `insert into millrace_private.circuits (sink_no, reason, error, probe_at)
       values ($1, 'unreachable', 'a value of a row', now())`,
      [await noOf('products')],
    );
    const reader = await get('?health=error');
    expect(names(reader)).to.deep.equal(['products']);
    expect(reader.json.data[0].health.checks[0]).to.deep.include({
      ...{ name: 'unreachable', status: 'error', remedy: 'Check its address, the network and TLS, and that it runs.' },
      error: 'nothing can be delivered: there is no connection to it, or no complete answer',
    });
    expect(reader.json.data[0].state.failing_since).to.be.a('string');
    expect(reader.json.data[0].state.next_probe_at).to.be.a('string');
    expect(reader.text).to.not.include('a value of a row');
    for (const token of ['admin-token', 'data-token']) {
      const { json } = await get('?health=error', token);
      expect(json.data[0].state.error).to.equal('a value of a row');
    }
    const operator = await get('?health=error', 'operate-token');
    expect(operator.text).to.not.include('a value of a row');
    await m.db.query('delete from millrace_private.circuits');
  });

  it('counts the messages of one that is asked for, and glances at those of all', async () => {
    const no = await noOf('products');
    const ids = await appendMessages(m.db, no, Array(1_200).fill({}));
    await m.db.query(`analyze millrace_private.messages_${no}`);
    const listed = (await get('?kind=search_index')).json.data[0];
    expect(listed.state).to.include({ pending: 1_200, pending_is_estimate: true });
    const one = await web.call('GET', '/api/sinks/products');
    expect(one.json.state).to.include({ pending: 1_200, pending_is_estimate: false });
    await m.db.query('delete from millrace_private.messages where sink_no = $1 and id = any ($2::bigint[])', [no, ids]);
  });

  it('shows one that has very many without counting them', async () => {
    const no = await noOf('products');
    await m.db.query(
      `insert into millrace_private.messages_${no} (sink_no, lane, id, group_key, source_table, action, record_pks,
                                                   commit_lsn, commit_idx, committed_at, record)
       select ${no}, 0, n, n, 1, 'insert', '["1"]', n, 0, now(), '{}' from generate_series(1000001, 1200050) n`,
    );
    const [id] = await appendMessages(m.db, no, [{}]);
    await parkOnArrival(m.db, no, [id!]);
    await m.db.query(`analyze millrace_private.messages_${no}`);
    const { state } = (await web.call('GET', '/api/sinks/products')).json;
    expect(state).to.include({ pending_is_estimate: true, parked: 1 });
    expect(state.pending).to.be.within(190_000, 210_000);
    await m.db.query('delete from millrace_private.messages where sink_no = $1', [no]);
    await m.db.query('delete from millrace_private.delivery_states where sink_no = $1', [no]);
  });

  it('is filtered, and comes in pages', async () => {
    expect(names(await get('?kind=pull'))).to.deep.equal(['idle', 'orders']);
    expect(names(await get('?kind=pull&status=active'))).to.deep.equal(['orders']);
    expect(names(await get('?database=other'))).to.deep.equal(['idle']);
    const { rows } = await m.db.query<{ id: string }>("select id from millrace_private.databases where name = 'other'");
    expect(names(await get(`?database=${rows[0]!.id}`))).to.deep.equal(['idle']);
    expect(names(await get('?database=nobody'))).to.deep.equal([]);
    expect(names(await get('?managed_by=api'))).to.deep.equal(['idle', 'orders', 'products']);
    expect(names(await get('?managed_by=file'))).to.deep.equal([]);
    const first = await get('?limit=2');
    expect(names(first)).to.deep.equal(['idle', 'orders']);
    expect(first.headers.get('link')).to.equal(`</api/sinks?limit=2&cursor=${first.json.next_cursor}>; rel="next"`);
    const second = await get(`?limit=2&cursor=${first.json.next_cursor}`);
    expect(second.headers.get('link')).to.equal(null);
    expect([names(second), second.json.next_cursor]).to.deep.equal([['products'], null]);
  });

  it('refuses what it does not know, each field by name', async () => {
    const cases: [string, string, RegExp][] = [
      ['?databse=shop', 'databse', /^is not a known field\. Did you mean `database`\?$/],
      [
        '?page=2',
        'page',
        /^is not a known field\. Known here: kind, database, status, health, managed_by, limit, cursor\.$/,
      ],
      ['?status=on', 'status', /^must be active, paused or disabled$/],
      ['?limit=0', 'limit', /^must be a whole number from 1 to 1000$/],
      ['?cursor=x', 'cursor', /^is not one of ours\./],
      ['?kind=a&kind=b', 'kind', /^must be a text$/],
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
    expect(json.needs).to.equal('read');
    expect(json.remedy).to.match(/give it that scope in `api_tokens`, and apply the file\.$/);
  });

  it('shows one, by its name or id', async () => {
    const [orders] = (await get('?kind=pull&status=active')).json.data;
    for (const ref of ['orders', orders.id]) {
      const { status, json, headers } = await get(`/${ref}`);
      expect([status, json.id, json.name]).to.deep.equal([200, orders.id, 'orders']);
      expect(headers.get('etag')).to.equal(`"${json.version}"`);
    }
    for (const ref of ['order', 'history', '00000000-0000-0000-0000-000000000000']) {
      const { status, json } = await get(`/${ref}`);
      expect([status, json.code, json.summary]).to.deep.equal([404, 'not_found', `there is no sink ${ref}`]);
    }
    expect((await get('/order')).json.remedy).to.match(/^Did you mean orders\?/);
  });

  it('has change retentions in a list of their own, with the keys of the file', async () => {
    const { json } = await web.call('GET', '/api/change_retentions', { token: 'read-token' });
    expect(json.data).to.have.length(1);
    expect(json.data[0]).to.deep.include({
      ...{ name: 'history', source_database: 'shop', source_table_schema: 'public', source_table_name: 'a' },
      ...{ destination_database: 'shop', destination_table_schema: 'public', destination_table_name: 'b' },
      retention: { by: 'job', keep: '30 days', every: '10 minutes' },
    });
    const one = await web.call('GET', '/api/change_retentions/history');
    expect(one.json).to.include({ id: json.data[0].id, status: 'active' });
    const other = await web.call('GET', '/api/change_retentions/orders');
    expect([other.status, other.json.summary]).to.deep.equal([404, 'there is no change retention orders']);
  });

  it('understands no other method', async () => {
    const reply = await web.call('DELETE', '/api/sinks');
    expect([reply.status, reply.headers.get('allow')]).to.deep.equal([405, 'GET, POST']);
    expect(reply.json).to.include({ code: 'method_not_allowed', request_id: reply.headers.get('x-request-id') });
  });
});
