/** Messages of a sink over HTTP: found, shown as they are stored, tried again and given up; no row without `read:data`. */
import { expect } from 'chai';
import { appendMessages, type MessageFixture, parkOnArrival } from '../support/fixtures/fixtures.ts';
import type { Reply } from '../support/processes/web.ts';
import { type Managed, managed } from './support.ts';

/** Digits that no double has. */
const RECORD = '{"id":9223372036854775807,"price":12345678901234567890.1200,"note":"a \\u0000 b"}';

describe('api: messages', () => {
  let all: Managed;
  let no: number;
  beforeEach(async () => {
    all = await managed();
    no = await all.noOf('orders');
  });
  afterEach(async () => await all?.close());

  const get = async (path: string, token = 'data-token'): Promise<Reply> =>
    await all.web.call('GET', `/api/sinks/orders/messages${path}`, { token });
  const post = async (path: string, body?: unknown, token = 'operate-token'): Promise<Reply> =>
    await all.web.call('POST', `/api/sinks/orders/messages${path}`, { token, body });
  const idsOf = (reply: Reply): number[] => reply.json.data.map(({ id }: { id: number }) => id);
  const append = async (messages: readonly MessageFixture[]): Promise<number[]> =>
    await appendMessages(all.m.db, no, messages);
  /** Every page. */
  const walk = async (query: string): Promise<{ ids: number[]; pages: number }> => {
    const ids: number[] = [];
    let cursor = '';
    for (let pages = 1; ; pages++) {
      const reply = await get(`${query}${cursor}`);
      expect(reply.status, reply.text).to.equal(200);
      ids.push(...idsOf(reply));
      if (reply.json.next_cursor === null) return { ids, pages };
      cursor = `&cursor=${reply.json.next_cursor}`;
    }
  };

  it('are listed by id, each once, whatever the size of a page', async () => {
    const ids = await append(Array.from({ length: 7 }, () => ({})));
    for (const limit of [1, 3, 7, 50]) {
      expect(await walk(`?limit=${limit}`)).to.deep.equal({ ids, pages: Math.ceil(7 / limit) });
    }
    expect((await walk(`?limit=2&after=${ids[2]}`)).ids).to.deep.equal(ids.slice(3));
    expect((await get(`?key=nobody`)).json).to.include({ last_id: ids[6], next_cursor: null });
    expect((await get(`?after=${ids[6]}`)).json.last_id).to.equal(ids[6]);
    expect((await walk(`?state=waiting&after=${ids[6]}`)).ids).to.deep.equal([]);
    expect((await get('')).json.data[0]).to.include({
      ...{ id: ids[0], state: 'waiting', stage: null, action: 'insert', attempts: 0, parked_at: null },
      ...{ table_schema: 'public', table_name: 'orders', committed_at: '2026-11-21T08:00:00.123456Z' },
    });
  });

  it('are listed with the newest first, each once, whatever the size of a page and whatever is looked for', async () => {
    const lane = await all.noOf('products');
    const ids = await appendMessages(
      all.m.db,
      lane,
      Array.from({ length: 9 }, (_, n) => ({ lane: n % 2, recordPks: [String(n % 3)] })),
    );
    await parkOnArrival(all.m.db, lane, [ids[1]!, ids[4]!, ids[6]!]);
    const list = async (query: string): Promise<Reply> =>
      await all.web.call('GET', `/api/sinks/products/messages?order=newest&${query}`, { token: 'data-token' });
    const cases: [query: string, places: number[]][] = [
      ['', [8, 7, 6, 5, 4, 3, 2, 1, 0]],
      ['key=1', [7, 4, 1]],
      ['state=parked', [6, 4, 1]],
      ['state=parked&key=1', [4, 1]],
      ['error=large', [6, 4, 1]],
      ['state=parked&error=nothing', []],
      ['include=message', [8, 7, 6, 5, 4, 3, 2, 1, 0]],
    ];
    for (const [query, places] of cases)
      for (const limit of [1, 2, 50]) {
        const found: number[] = [];
        for (let cursor = ''; ; ) {
          const reply = await list(`${query}&limit=${limit}${cursor}`);
          expect(reply.status, reply.text).to.equal(200);
          found.push(...idsOf(reply));
          if (reply.json.next_cursor === null) break;
          cursor = `&cursor=${reply.json.next_cursor}`;
        }
        expect(found, `${query} by ${limit}`).to.deep.equal(places.map((place) => ids[place]));
      }
    expect((await list('limit=2')).json).to.include({ scanned: 2, last_id: ids[7] });
    const { next_cursor } = (await list('limit=2')).json;
    for (const query of [`order=oldest&cursor=${next_cursor}`, 'order=first', 'order=newest&after=1'])
      expect((await get(`?${query}`)).status, query).to.equal(400);
  });

  it('with texts that are too much for one page go on behind those of the page, from either end', async () => {
    const record = JSON.stringify({ id: 1, text: 'x'.repeat(1_500_000) });
    const ids = await append(Array.from({ length: 7 }, () => ({ record })));
    expect(await walk('?include=message')).to.deep.equal({ ids, pages: 3 });
    expect(await walk('?include=message&order=newest')).to.deep.equal({ ids: ids.toReversed(), pages: 3 });
  });

  it('are found by a key of several columns, one with hyphens, and one without letters', async () => {
    const keys = [['a-b', 'c'], ['550e8400-e29b-41d4-a716-446655440000'], ['ä/ö'], ['--'], ['x"y\\z']];
    const ids = await append(keys.map((recordPks) => ({ recordPks })));
    const { json } = await get('');
    expect(json.data).to.have.length(keys.length);
    for (const [place, { record_pk }] of json.data.entries())
      expect(idsOf(await get(`?key=${encodeURIComponent(record_pk)}`)), record_pk).to.deep.equal([ids[place]]);
  });

  it('are found by state, table, key, action, error and time', async () => {
    const ids = await append([{ action: 'delete' }, { recordPks: ['17'] }, {}, { recordPks: ['a', 'b-c'] }]);
    await parkOnArrival(all.m.db, no, ids.slice(2));
    const cases: [string, number[]][] = [
      ['state=parked', ids.slice(2)],
      ['state=waiting', ids.slice(0, 2)],
      ['state=leased', []],
      ['state=retrying', []],
      ['table=orders', ids],
      ['table=public.orders&action=delete', ids.slice(0, 1)],
      ['table=public.others', []],
      ['key=17', ids.slice(1, 2)],
      ['error=TOO%20LARGE', ids.slice(2)],
      ['error=%25', []],
      ['since=2026-11-21T08:00:00Z&until=2026-11-22', ids],
      ['until=2026-11-21T09:00:00%2B01:00', []],
    ];
    for (const [query, found] of cases) {
      expect(await walk(`?limit=1&${query}`), query).to.have.deep.property('ids', found);
      const { json } = await get(`/count?${query}`);
      expect(json, query).to.deep.equal({ count: found.length, is_estimate: false });
    }
    const cursor = (await get('?limit=1')).json.next_cursor;
    for (const query of [
      'state=on',
      'since=yesterday',
      'since=0000-01-01',
      'since=2026-01-01T00:00:00%2B16:00',
      'action=x',
      'after=x',
      `key=1&cursor=${cursor}`,
    ]) {
      expect((await get(`?${query}`)).status, query).to.equal(400);
    }
  });

  it('show what the functions make of them now, and what is wrong', async () => {
    const lane = await all.noOf('products');
    const [id, gone] = await appendMessages(all.m.db, lane, [
      { record: RECORD },
      { action: 'delete', record: '{"id":1}' },
    ]);
    const show = async (path: string, token = 'data-token'): Promise<Reply> =>
      await all.web.call('GET', `/api/sinks/products/messages/${path}`, { token });
    const both = await show(`${id}?include=message,shaped`);
    expect(both.text).to.include(`"message":{"record":${RECORD},`);
    expect(both.text).to.include(`"shaped":{"ok":true,"kept":true,"result":${RECORD}}`);
    expect((await show(`${gone}?include=shaped`)).json.shaped).to.deep.equal({ ok: true, kept: true, result: null });
    const set = 'update millrace_private.functions set settings = settings || jsonb_build_object($1::text, $2::text)';
    await all.m.db.query(set, ['code', '(action, record) => record.a.b']);
    const { error } = (await show(`${id}?include=shaped`)).json.shaped;
    expect(error).to.include({ function: 'document', kind: 'threw', line: 1, column: 30 });
    expect((await show(`${id}?include=shaped`, 'read-token')).status).to.equal(403);
    expect((await show(`${id}?include=all`)).status).to.equal(400);
    const [plain] = await append([{}]);
    expect((await get(`/${plain}?include=shaped`)).json.shaped).to.deep.equal({ ok: true, kept: true, result: null });
  });

  it('are those that wait for a lane, too', async () => {
    const lane = await all.noOf('products');
    const ids = await appendMessages(all.m.db, lane, [{ lane: 1 }, { lane: 0 }, { lane: 1 }]);
    const { json } = await all.web.call('GET', '/api/sinks/products/messages?limit=2');
    expect(json.data.map(({ id }: { id: number }) => id)).to.deep.equal(ids.slice(0, 2));
    const one = await all.web.call('GET', `/api/sinks/products/messages/${ids[2]}`);
    expect(one.json).to.include({ id: ids[2], state: 'waiting' });
  });

  it('are shown as they are stored, digit by digit', async () => {
    const [id] = await append([{ record: RECORD }]);
    const text = (await get(`/${id}?include=message`)).text;
    expect(text).to.include(`"message":{"record":${RECORD},"changes":null,"action":"insert","metadata":{`);
    expect((await get('?include=message')).text).to.include(RECORD);
    expect((await get(`/${id}`)).json).to.not.have.property('message');
    expect((await get(`/${id! + 1}`)).json.summary).to.equal(`there is no message ${id! + 1}`);
    expect((await get('/0')).status).to.equal(400);
  });

  it('tell no row, no key and no error to who may not read data, nor let them be guessed', async () => {
    const ids = await append([{ recordPks: ['secret-key'], record: '{"name":"secret-name"}' }]);
    await parkOnArrival(all.m.db, no, ids);
    for (const token of ['read-token', 'operate-token']) {
      for (const path of ['', `/${ids[0]}`]) {
        const { status, text, json } = await get(path, token);
        expect(status).to.equal(200);
        for (const secret of ['secret-key', 'secret-name', 'too large']) expect(text).to.not.include(secret);
        expect(path === '' ? json.data[0] : json).to.not.have.any.keys('record_pk', 'error', 'message');
      }
      for (const path of ['?key=1', '?error=x', '?include=message', '/count?key=1', `/${ids[0]}?include=message`]) {
        const { status, json } = await get(path, token);
        expect([status, json.needs], path).to.deep.equal([403, 'read:data']);
      }
    }
    for (const filter of [{ key: 'secret-key' }, { error: 'x' }]) {
      const { status, json } = await post('/discard', { filter, dry_run: true });
      expect([status, json.needs]).to.deep.equal([403, 'read:data']);
    }
    const error = { status: null, type: null, text: 'too large' };
    expect((await get(`/${ids[0]}`)).json).to.deep.include({ record_pk: 'secret-key', error });
    const failure = { status: 400, type: 'mapping' };
    const kept = JSON.stringify([{ id: ids[0], attempts: 1, stage: 'send', error: 'too large', failure }]);
    await all.m.db.query('select millrace_private.record_attempts($1, $2)', [no, kept]);
    expect((await get('')).json.data[0].error).to.deep.equal({ ...failure, text: 'too large' });
  });

  it('are tried again by id, and those that did not fail are left alone', async () => {
    const ids = await append([{}, {}, {}]);
    await parkOnArrival(all.m.db, no, ids.slice(1));
    expect((await post('/retry', { ids })).json).to.deep.equal({ count: 2, more: false });
    expect((await post('/retry', { ids })).json).to.deep.equal({ count: 0, more: false });
    expect((await walk('?state=retrying')).ids).to.deep.equal(ids.slice(1));
    expect((await post(`/${ids[0]}/discard`)).json).to.deep.equal({ count: 0, more: false });
    expect((await post(`/${ids[1]}/discard`)).json).to.deep.equal({ count: 1, more: false });
    expect((await walk('?')).ids).to.deep.equal([ids[0], ids[2]]);
  });

  it('are tried again or given up by filter, counted first, some at a time', async () => {
    const ids = await append([...Array.from({ length: 2_100 }, () => ({})), { action: 'delete' }, {}]);
    await parkOnArrival(all.m.db, no, ids.slice(0, -1));
    const filter = { table: 'orders', action: 'insert' };
    expect((await post('/discard', { filter, dry_run: true })).json).to.deep.equal({ count: 2_100, more: false });
    expect((await post('/discard', { filter, limit: 1_500 })).json).to.deep.equal({ count: 1_500, more: true });
    expect((await post('/retry', { filter, limit: 600 })).json).to.deep.equal({ count: 600, more: false });
    expect((await post('/retry', { filter })).json).to.deep.equal({ count: 0, more: false });
    expect((await post('/discard', { filter: { ...filter, state: 'retrying' } })).json.count).to.equal(600);
    expect((await post('/discard', { filter: {} })).json).to.deep.equal({ count: 1, more: false });
    expect((await walk('?')).ids).to.deep.equal(ids.slice(-1));
  });

  it('are refused with the field that is wrong', async () => {
    const cases: [unknown, string[]][] = [
      [{}, ['filter']],
      [{ ids: [] }, ['ids']],
      [{ ids: ['x'] }, ['ids[0]']],
      [{ ids: [1], dry_run: true }, ['dry_run']],
      [{ ids: [1], filter: {} }, ['filter']],
      [{ filter: { state: 'waiting' } }, ['filter.state']],
      [{ filter: { tabel: 'x' } }, ['filter.tabel']],
      [{ filter: {}, limit: 10_001 }, ['limit']],
      [{ filter: { since: 'yesterday', table: 'a.b.c' } }, ['filter.table', 'filter.since']],
    ];
    for (const [body, fields] of cases) {
      const { status, json } = await post('/retry', body);
      expect([status, json.code], JSON.stringify(body)).to.deep.equal([422, 'invalid']);
      expect(Object.keys(json.validation_errors), JSON.stringify(body)).to.have.members(fields);
    }
    expect((await post('/retry', { filter: { state: 'held' } })).json.validation_errors).to.deep.equal({
      'filter.state': ['must be parked'],
    });
  });

  it('of a change retention have the same routes', async () => {
    const retention = await all.noOf('history');
    const ids = await appendMessages(all.m.db, retention, [{}, {}]);
    await parkOnArrival(all.m.db, retention, ids);
    const path = '/api/change_retentions/history/messages';
    expect((await all.web.call('GET', path)).json.data).to.have.length(2);
    expect((await all.web.call('POST', `${path}/${ids[0]}/retry`, {})).json.count).to.equal(1);
    expect((await all.web.call('POST', `${path}/discard`, { body: { filter: {} } })).json.count).to.equal(2);
    expect((await all.web.call('GET', '/api/sinks/history/messages')).status).to.equal(404);
  });
});
