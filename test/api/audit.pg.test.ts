/** Who changed what: recorded with the change, however it came, without secrets, and never changed afterwards. */
import { expect } from 'chai';
import { listAudit } from '../../src/admin/audit.ts';
import { release } from '../../src/admin/release.ts';
import { openPool } from '../../src/db/pool.ts';
import type { CallOptions, Reply } from '../support/processes/web.ts';
import { CANARIES, FILE, type Managed, managed } from './support.ts';

interface Entry {
  id: number;
  actor: string;
  action: string;
  subject: string;
  before: unknown;
  after: unknown;
  request_id: string | null;
}

describe('api: the audit log', () => {
  let all: Managed;
  before(async () => {
    all = await managed();
  });
  after(async () => await all?.close());

  const post = async (path: string, options: CallOptions = {}): Promise<Reply> =>
    await all.web.call('POST', `/api/${path}`, { token: 'operate-token', ...options });
  const entries = async (query = ''): Promise<Entry[]> =>
    (await all.web.call('GET', `/api/audit?${query}`)).json.data as Entry[];
  const newest = async (): Promise<(string | null)[]> => {
    const [{ actor, action, subject, request_id } = {} as Entry] = await entries('limit=1');
    return [actor, action, subject, request_id];
  };

  it('has each verb of an operator, by whom and in which request, and nothing when nothing changed', async () => {
    const headers = { 'x-request-id': 'the-request' };
    const no = await all.noOf('orders');
    await all.m.db.query(
      `insert into millrace_private.notices (sink_no, code, table_name, message) values ($1, 'gap', '', 'a gap')`,
      [no],
    );
    const verbs: [string, string, string, object?][] = [
      ['sinks/orders/pause', 'pause', 'sink orders'],
      ['sinks/orders/disable', 'disable', 'sink orders'],
      ['sinks/orders/resume', 'resume', 'sink orders'],
      ['change_retentions/history/pause', 'pause', 'change_retention history'],
      ['sinks/orders/notices/gap/dismiss', 'dismiss', 'sink orders'],
      ['sinks/products/backfills', 'backfill', 'sink products', { table: 'public.a' }],
      ['change_retentions/history/replays', 'replay', 'change_retention history', { sink: 'orders' }],
      ['postgres_databases/shop/accept_gap', 'accept_gap', 'database shop', { force: true }],
    ];
    for (const [path, action, subject, body] of verbs) {
      const reply = await post(path, { headers, ...(body ? { body } : {}) });
      expect(reply.status, reply.text).to.be.oneOf([200, 202]);
      expect(await newest(), path).to.deep.equal(['token operate', action, subject, 'the-request']);
    }
    const { json } = await all.web.call('GET', '/api/operations');
    for (const [verb, status] of [
      ['pause', 200],
      ['resume', 200],
      ['cancel', 200],
    ] as const) {
      expect((await post(`operations/${json.data[0].id}/${verb}`, { headers })).status).to.equal(status);
      expect(await newest()).to.deep.equal(['token operate', verb, `operation ${json.data[0].id}`, 'the-request']);
    }
    const count = (await entries()).length;
    await post('sinks/orders/resume');
    await post('sinks/orders/notices/gap/dismiss');
    await post('sinks/orders/messages/retry', { body: { ids: [1] } });
    await post('change_retentions/history/replays', { body: { sink: 'orders', since: 'nonsense' } });
    expect((await entries()).length).to.equal(count);
  });

  it('has what a file changed, before and after, with every secret masked', async () => {
    const yaml = FILE.replace('batch_size: 1', '').replace(CANARIES[0]!, 'another-credential-of-the-index');
    const reply = await all.web.call('POST', '/api/config/apply', { body: { yaml } });
    expect(reply.status, reply.text).to.equal(200);
    const products = (await entries('subject=sink%20products&action=update'))[0]!;
    expect(products.actor).to.equal('token admin');
    expect(JSON.stringify(products.after)).to.contain('(changed)');
    const texts = JSON.stringify(await entries('limit=500'));
    for (const secret of [...CANARIES, 'another-credential-of-the-index']) expect(texts).to.not.contain(secret);
    expect((await entries('actor=sql&action=create')).map(({ subject }) => subject)).to.include('sink products');
  });

  it('names whoever uses SQL or the command line, and who released what', async () => {
    await all.m.db.query(`select millrace.pause('products')`);
    expect((await newest()).slice(1, 3)).to.deep.equal(['pause', 'sink products']);
    expect((await newest())[0]).to.match(/^sql \w+/);
    const operator = openPool({ address: all.m.url, max: 1, applicationName: 'millrace test', actor: "cli o'neil" });
    try {
      await release(operator, { type: 'sink', name: 'products' });
    } finally {
      await operator.close();
    }
    expect(await newest()).to.deep.equal(["cli o'neil", 'release', 'sink products', null]);
  });

  it('is listed newest first, page by page, by actor, subject, action and time', async () => {
    const whole = await entries('limit=500');
    expect(whole.map(({ id }) => id)).to.deep.equal(whole.map(({ id }) => id).toSorted((a, b) => b - a));
    const pages: number[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const query: string = `limit=4${cursor === '' ? '' : `&cursor=${cursor}`}`;
      const { json } = await all.web.call('GET', `/api/audit?${query}`);
      pages.push(...json.data.map(({ id }: Entry) => id));
      cursor = json.next_cursor;
    }
    expect(pages).to.deep.equal(whole.map(({ id }) => id));
    const few = await listAudit(all.m.db, { actor: 'cli' }, { limit: 10, looked: 3, after: whole.at(3)!.id });
    expect(few, 'a filter that fits little goes on behind what was looked at').to.deep.equal({
      entries: [],
      next: whole.at(6)!.id,
    });
    for (const [query, fits] of [
      ['actor=token', (one: Entry) => one.actor.startsWith('token ')],
      ['actor=token%20operate', (one: Entry) => one.actor === 'token operate'],
      ['subject=sink', (one: Entry) => one.subject.startsWith('sink ')],
      ['action=pause', (one: Entry) => one.action === 'pause'],
      ['until=2020-01-01', () => false],
      ['since=2020-01-01', () => true],
    ] as const) {
      const found = await entries(`limit=500&${query}`);
      expect(
        found.map(({ id }) => id),
        query,
      ).to.deep.equal(whole.filter(fits).map(({ id }) => id));
    }
    expect((await all.web.call('GET', '/api/audit', { token: 'operate-token' })).status).to.equal(403);
    expect((await all.web.call('GET', '/api/audit?since=soon')).json.validation_errors).to.have.property('since');
  });

  it('is only added to: what is within its bounds is neither changed nor deleted', async () => {
    const { db } = all.m;
    for (const sql of [
      `update millrace_private.audit_log set actor = 'nobody'`,
      'delete from millrace_private.audit_log',
      'truncate millrace_private.audit_log',
    ]) {
      const error = await db.query(sql).catch((thrown: unknown) => thrown);
      expect(error, sql).to.have.property('message', 'the audit log is only added to');
    }
    await db.query(
      `insert into millrace_private.audit_log (at, actor, action, subject) values (now() - interval '401 days', 'a', 'b', 'c')`,
    );
    const { rowCount } = await db.query(
      `delete from millrace_private.audit_log where at < now() - interval '400 days'`,
    );
    expect(rowCount).to.equal(1);
    await db.query('select millrace_private.record_change($1, $2, null, to_jsonb(repeat($3, 70000)))', ['x', 'y', 'z']);
    expect((await entries('action=x'))[0]!.after).to.deep.equal({ left_out: 'larger than 64 KB' });
  });
});
