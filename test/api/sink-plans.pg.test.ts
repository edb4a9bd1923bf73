/** What making or changing a sink would do, told while somebody fills a form; nothing is written. */
import { expect } from 'chai';
import { CANARIES, type Managed, managed } from './support.ts';

const SECRET = `\${SINK_SECRET}`;

describe('api: plans of sinks', () => {
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());
  const plan = async (at: string, body: object, token = 'admin-token') =>
    await all.web.call('POST', `/api/${at}/plan`, { body, token });
  const pull = (name: string) => ({ name, database: 'shop', destination: { type: 'pull' } });

  it('tell of a new one its faults, else its YAML without secrets', async () => {
    const wrong = await plan('sinks', { name: 'a b', database: 'gone' });
    expect([wrong.status, Object.keys(wrong.json.validation_errors)]).to.deep.equal([
      422,
      ['name', 'destination', 'database'],
    ]);
    expect((await plan('sinks', pull('orders'))).json.code).to.equal('name_taken');
    const destination = { type: 'elasticsearch', endpoint_url: 'http://h', index_name: 'i', auth_value: CANARIES[0] };
    const { json, text } = await plan('sinks', { ...pull('drafted'), destination });
    expect(json.yaml)
      .to.match(/^sinks:\n {2}- name: drafted\n/)
      .and.include(`auth_value: ${SECRET}`);
    expect(json).to.deep.include({ diff: [], warnings: [] });
    expect(text).to.not.include(CANARIES[0]);
    expect((await all.web.call('GET', '/api/sinks/drafted')).status).to.equal(404);
  });

  it('tell of a change what differs, also of a new name, and keep the stored secret to themselves', async () => {
    const { json } = await plan('sinks/orders', { max_retry_count: 3, destination: { max_waiting: 7 } });
    expect(json.diff).to.have.deep.members([
      { path: 'max_retry_count', old: null, new: 3 },
      { path: 'destination.max_waiting', old: 20, new: 7 },
    ]);
    expect(json.yaml).to.include('max_waiting: 7');
    const edited = await plan('sinks/products', { destination: { batch_size: 7 } });
    expect(edited.json.yaml).to.include(`auth_value: ${SECRET}`);
    expect(edited.text).to.not.include(CANARIES[0]);
    await all.web.call('POST', '/api/sinks', { body: pull('made') });
    const renamed = await plan('sinks/made', { name: 'named', status: 'paused' });
    expect(renamed.json.diff.map(({ path }: { path: string }) => path)).to.deep.equal(['name', 'status']);
    expect((await plan('sinks/made', { name: 'orders' })).json.code).to.equal('name_taken');
    expect((await plan('sinks/made', { destination: { max_waiting: 0 } })).json.validation_errors).to.have.property(
      'destination.max_waiting',
    );
    expect((await all.web.call('GET', '/api/sinks/orders')).json.destination.max_waiting).to.equal(20);
  });

  it('are for whoever may change it, and of change retentions too', async () => {
    expect((await plan('sinks/orders', {}, 'operate-token')).status).to.equal(403);
    const { json } = await plan('change_retentions/history', { actions: ['delete'] });
    expect(json.diff.map(({ path }: { path: string }) => path)).to.deep.equal(['actions']);
    expect(json.yaml).to.match(/^change_retentions:/);
  });
});
