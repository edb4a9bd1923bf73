/** Pause, resume, disable and dismiss over HTTP: the same as by SQL, and again without harm. */
import { expect } from 'chai';
import type { Reply } from '../support/processes/web.ts';
import { type Managed, managed } from './support.ts';

describe('api: what an operator does to a sink', () => {
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());

  const post = async (path: string, body?: unknown, token = 'operate-token'): Promise<Reply> =>
    await all.web.call('POST', `/api/${path}`, { token, body });
  const stored = async (name: string): Promise<unknown[]> =>
    (
      await all.m.db.query<{ status: string; settings: { status: string }; generation: number }>(
        `select s.status, s.settings, c.generation from millrace_private.sinks s, millrace_private.catalog_state c
          where s.name = $1`,
        [name],
      )
    ).rows.flatMap(({ status, settings, generation }) => [status, settings.status, generation]);

  for (const [path, name] of [
    ['sinks/orders', 'orders'],
    ['sinks/products', 'products'],
    ['change_retentions/history', 'history'],
  ] as const) {
    it(`pauses, disables and resumes ${path}, and does nothing twice`, async () => {
      let [, , generation] = await stored(name);
      for (const [verb, status] of [
        ['pause', 'paused'],
        ['disable', 'disabled'],
        ['resume', 'active'],
      ] as const) {
        const reply = await post(`${path}/${verb}`, {});
        expect([reply.status, reply.json.name, reply.json.status], reply.text).to.deep.equal([200, name, status]);
        expect(reply.json.health.status === 'paused').to.equal(status !== 'active');
        const now = await stored(name);
        expect(now).to.deep.equal([status, status, Number(generation) + 1]);
        generation = now[2];
        const again = await post(`${path}/${verb}`);
        expect([again.status, again.json.status]).to.deep.equal([200, status]);
        expect(await stored(name)).to.deep.equal(now);
      }
    });
  }

  it('keeps why it was done in the audit log, over HTTP and from psql', async () => {
    const pause = async (body: unknown): Promise<number> => (await post('sinks/orders/pause', body)).status;
    const last = async (): Promise<unknown> =>
      (await all.m.db.query<{ after: unknown }>('select a.after from millrace.audit a order by a.id desc limit 1'))
        .rows[0]!.after;
    expect(await pause({ reason: 'the index is rebuilt' })).to.equal(200);
    expect(await last()).to.deep.equal({ status: 'paused', reason: 'the index is rebuilt' });
    // It is said where the pause is, also after other settings have changed.
    await all.web.call('PATCH', '/api/sinks/orders', { body: { max_retry_count: 7 } });
    const { json: paused } = await all.web.call('GET', '/api/sinks/orders');
    expect(paused).to.deep.include({ status: 'paused', status_reason: 'the index is rebuilt' });
    expect(paused.health.checks[0].error).to.include('The reason given: the index is rebuilt');
    const { json: overview } = await all.web.call('GET', '/api/overview');
    expect(overview.attention.map(({ summary }: { summary: string }) => summary)).to.include(
      'delivery is paused: messages wait. The reason given: the index is rebuilt',
    );
    await post('sinks/orders/resume', {});
    expect((await all.web.call('GET', '/api/sinks/orders')).json.status_reason).to.equal(null);
    await post('sinks/orders/pause', { reason: 'another' });
    await all.web.call('PATCH', '/api/sinks/orders', { body: { status: 'disabled', max_retry_count: 8 } });
    expect((await all.web.call('GET', '/api/sinks/orders')).json.status_reason).to.equal(null);
    await all.web.call('PATCH', '/api/sinks/orders', { body: { status: 'active', max_retry_count: 7 } });
    await post('sinks/orders/pause', {});
    await post('sinks/orders/resume', {});
    expect(await last()).to.deep.equal({ status: 'active' });
    await all.m.db.transaction(async (tx) => {
      await tx.query("set local millrace.reason = 'by hand'");
      await tx.query("select millrace.pause('orders')");
    });
    expect(await last()).to.deep.equal({ status: 'paused', reason: 'by hand' });
    for (const reason of [1, null, 'x'.repeat(1_001)]) expect(await pause({ reason })).to.equal(422);
    await post('sinks/orders/resume');
  });

  it('takes an id for a name, and says what is not there', async () => {
    const { json } = await all.web.call('GET', '/api/sinks/orders');
    expect((await post(`sinks/${json.id}/pause`)).json.status).to.equal('paused');
    await post('sinks/orders/resume');
    for (const path of ['sinks/nobody/pause', 'sinks/history/pause', 'change_retentions/orders/pause']) {
      const { status, json } = await post(path);
      expect([status, json.code], path).to.deep.equal([404, 'not_found']);
    }
  });

  it('dismisses a notice that nobody can see to be over, and no other one', async () => {
    await all.m.db.query(
      `insert into millrace_private.notices (sink_no, code, table_name, message) values ($1, 'gap', '', 'a gap')`,
      [await all.noOf('orders')],
    );
    expect((await post('sinks/orders/notices/gap/dismiss')).json).to.deep.equal({ dismissed: true });
    expect((await post('sinks/orders/notices/gap/dismiss')).json).to.deep.equal({ dismissed: false });
    const refused = await post('sinks/orders/notices/no_primary_key/dismiss');
    expect([refused.status, refused.json.code]).to.deep.equal([422, 'invalid']);
    expect(refused.json.summary).to.match(/goes by itself when its cause is fixed$/);
    expect(refused.json.remedy).to.match(/^These stay until they are dismissed: gap, /);
  });
});
