/** Tabs that ask the same: whoever accepts an answer some seconds old is given that of another one, if that may see the same. */
import { expect } from 'chai';
import { acceptedMs } from '../../src/http/shared-answers.ts';
import { appendMessages, parkOnArrival } from '../support/fixtures/fixtures.ts';
import { type Managed, managed } from './support.ts';

const OLD = { 'cache-control': 'max-age=10' };

describe('api: answers that tabs share', () => {
  let all: Managed;
  const get = async (path: string, { token = 'read-token', headers = {} }: Asked = {}) => {
    const reply = await all.web.call('GET', path, { token, headers });
    expect(reply.status, reply.text).to.equal(200);
    return reply;
  };
  interface Asked {
    token?: string;
    headers?: Record<string, string>;
  }
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());

  it('are given where the request accepts their age, and say it; others are made anew, and given from then on', async () => {
    const path = '/api/sinks/orders';
    const pending = async (asked?: Asked): Promise<number> => (await get(path, asked)).json.state.pending;
    expect(await pending()).to.equal(0);
    await appendMessages(all.m.db, await all.noOf('orders'), [{}, {}]);
    const shared = await get(path, { headers: OLD });
    expect(shared.json.state.pending).to.equal(0);
    expect(shared.headers.get('age')).to.match(/^\d+$/);
    expect(shared.headers.get('cache-control')).to.equal('no-store');
    expect(shared.headers.get('etag')).to.equal(`"${shared.json.version}"`);
    expect(await pending({ headers: { 'cache-control': 'no-cache' } })).to.equal(2);
    expect(await pending({ headers: OLD })).to.equal(2);
  });

  it('are never given to who may see something else', async () => {
    const [id] = await appendMessages(all.m.db, await all.noOf('products'), [{}]);
    await parkOnArrival(all.m.db, await all.noOf('products'), [id!]);
    const path = '/api/sinks/products/messages?state=parked';
    const whole = await get(path, { token: 'admin-token', headers: OLD });
    expect(whole.json.data[0]).to.have.property('record_pk');
    const cut = await get(path, { headers: OLD });
    expect(cut.json.data[0]).to.not.have.property('record_pk');
    expect((await get(path, { token: 'admin-token', headers: OLD })).text).to.equal(whole.text);
    const refused = await all.web.call('GET', path, { token: null, headers: OLD });
    expect(refused.status).to.equal(401);
  });

  it('are told apart by what is asked, and lead to the next page', async () => {
    const no = await all.noOf('idle');
    await appendMessages(all.m.db, no, [{}, {}, {}]);
    const path = '/api/sinks/idle/messages';
    const [one, two] = [await get(`${path}?limit=1`, { headers: OLD }), await get(`${path}?limit=2`, { headers: OLD })];
    expect([one.json.data.length, two.json.data.length]).to.deep.equal([1, 2]);
    const again = await get(`${path}?limit=1`, { headers: OLD });
    expect(again.headers.get('link')).to.equal(one.headers.get('link')).and.contain('rel="next"');
    const elsewhere = await get('/api/change_retentions/history/messages?limit=1', { headers: OLD });
    expect(elsewhere.json.data).to.deep.equal([]);
  });

  it('show nobody what was before its own change', async () => {
    const path = '/api/sinks/orders';
    await get(path);
    const changed = await all.web.call('POST', `${path}/pause`, { body: {} });
    expect(changed.status, changed.text).to.equal(200);
    expect((await get(path)).json.status).to.equal('paused');
    expect((await get(path, { headers: OLD })).json.status).to.equal('paused');
  });

  it('are ten seconds old at most, and only where the header says a number', () => {
    const headers = [
      'max-age=2',
      'Max-Age = 2',
      'no-transform, max-age=3',
      'max-age=999',
      'max-age=-1',
      'max-age=',
      'no-cache',
      undefined,
    ];
    expect(headers.map(acceptedMs)).to.deep.equal([2_000, 0, 3_000, 10_000, 0, 0, 0, 0]);
  });
});
