/** Backfills with the words of Sequin, and all jobs as operations: asked for, seen, paused, resumed, cancelled. */
import { expect } from 'chai';
import type { Reply } from '../support/processes/web.ts';
import { type Managed, managed } from './support.ts';

describe('api: backfills and operations', () => {
  let all: Managed;
  beforeEach(async () => {
    all = await managed();
  });
  afterEach(async () => await all?.close());

  const call = async (method: string, path: string, body?: unknown): Promise<Reply> =>
    await all.web.call(method, `/api/${path}`, { token: 'operate-token', body });
  const start = async (sink: string, body?: unknown): Promise<string> => {
    const reply = await call('POST', `sinks/${sink}/backfills`, body);
    expect(reply.status, reply.text).to.equal(200);
    return reply.json.id;
  };
  /** What capture would have done. */
  const now = async (id: string, set: string): Promise<void> => {
    await all.m.db.query(`update millrace_private.backfills set ${set} where id = $1`, [id]);
  };

  it('are started, and told as clients of Sequin read them until they are completed', async () => {
    const reply = await call('POST', 'sinks/products/backfills', { table: 'orders' });
    expect(reply.status, reply.text).to.equal(200);
    expect(reply.json).to.deep.include({
      ...{ sink_consumer: 'products', table: 'public.orders', state: 'active', sort_column: null },
      ...{ rows_initial_count: null, rows_processed_count: 0, rows_ingested_count: 0 },
      ...{ completed_at: null, canceled_at: null },
    });
    const { id } = reply.json;
    await now(id, "state = 'running', rows_total = 10, rows_done = 4, rows_sent = 3, started_at = now()");
    const running = await call('GET', `sinks/products/backfills/${id}`);
    expect(running.json).to.deep.include({
      ...{ state: 'active', rows_initial_count: 10, rows_processed_count: 4, rows_ingested_count: 3 },
    });
    await now(id, "state = 'done', rows_done = 10, ended_at = now()");
    const done = await call('GET', `sinks/products/backfills/${id}`);
    expect(done.json.state).to.equal('completed');
    expect(done.json.completed_at).to.equal(done.json.updated_at);
  });

  it('take no second one of the same rows, and name the one that is there', async () => {
    const id = await start('orders', { table: 'public.orders' });
    const { status, json } = await call('POST', 'sinks/orders/backfills', { table: 'orders' });
    expect([status, json.code, json.id]).to.deep.equal([409, 'operation_running', id]);
    const sink = await call('GET', 'sinks/orders');
    expect(sink.json.active_backfills[0]).to.include({ id, table: 'public.orders', state: 'active' });
  });

  it('are refused with the field that is wrong', async () => {
    const cases: [unknown, string[]][] = [
      [{ tabel: 'orders' }, ['tabel']],
      [{ table: 1 }, ['table']],
      [{ sort_column: 'at' }, ['start_position', 'table']],
      [{ table: 'orders', start_position: '1' }, ['sort_column']],
      [{ table: 'orders', sort_column: 'id', start_position: {} }, ['start_position']],
      [{ table: 'o\u0000' }, ['table']],
    ];
    for (const [body, fields] of cases) {
      const { status, json } = await call('POST', 'sinks/orders/backfills', body);
      expect([status, json.code], JSON.stringify(body)).to.deep.equal([422, 'invalid']);
      expect(Object.keys(json.validation_errors), JSON.stringify(body)).to.deep.equal(fields);
    }
    const named = await call('POST', 'sinks/orders/backfills', { table: 'a.b.c' });
    expect([named.status, named.json.summary]).to.deep.equal([422, "'a.b.c' names no table"]);
    await call('POST', 'sinks/orders/disable');
    const disabled = await call('POST', 'sinks/orders/backfills', { table: 'orders' });
    expect([disabled.status, disabled.json.code]).to.deep.equal([422, 'invalid']);
    expect((await call('POST', 'sinks/history/backfills')).status).to.equal(404);
  });

  it('are paused, resumed and cancelled, once and again', async () => {
    const id = await start('orders', { table: 'orders', sort_column: 'id', start_position: 7 });
    for (const method of ['PATCH', 'PUT']) {
      for (const state of ['paused', 'paused', 'active', 'active'] as const) {
        const { status, json } = await call(method, `sinks/orders/backfills/${id}`, { state });
        expect([status, json.state, json.sort_column]).to.deep.equal([200, state, 'id']);
      }
    }
    expect((await call('POST', `operations/${id}/pause`)).json.state).to.equal('paused');
    expect((await call('POST', `operations/${id}/resume`)).json.state).to.equal('waiting');
    for (const _ of [1, 2]) {
      const { status, json } = await call('PATCH', `sinks/orders/backfills/${id}`, { state: 'cancelled' });
      expect([status, json.state]).to.deep.equal([200, 'cancelled']);
      expect(json.canceled_at).to.be.a('string');
    }
    const late = await call('POST', `operations/${id}/resume`);
    expect([late.status, late.json.code, late.json.state]).to.deep.equal([409, 'wrong_state', 'cancelled']);
    const wrong = await call('PATCH', `sinks/orders/backfills/${id}`, { state: 'done' });
    expect(wrong.json.validation_errors.state).to.deep.equal(['must be active, paused or cancelled']);
  });

  it('of all tables are over when each table is, and are paused and cancelled with them', async () => {
    const id = await start('orders');
    const { rows } = await all.m.db.query<{ sink_no: number }>(
      `update millrace_private.backfills set state = 'done', ended_at = clock_timestamp() where id = $1 returning sink_no`,
      [id],
    );
    await all.m.db.query(
      `insert into millrace_private.backfills (sink_no, kind, table_schema, table_name, state, rows_total, rows_done)
       values ($1, 'table', 'public', 'a', 'running', 10, 5), ($1, 'table', 'public', 'b', 'waiting', 30, 0)`,
      [rows[0]!.sink_no],
    );
    const show = async () => (await call('GET', `operations/${id}`)).json;
    expect(await show()).to.deep.include({ state: 'running', ended_at: null });
    expect((await show()).progress).to.include({ table: null, done: 5, total: 40, percent: 12 });
    expect((await call('GET', `sinks/orders/backfills/${id}`)).json.state).to.equal('active');
    expect((await call('POST', `operations/${id}/pause`)).json.state).to.equal('paused');
    expect((await call('POST', `operations/${id}/resume`)).json.state).to.equal('running');
    await all.m.db.query(
      `update millrace_private.backfills set state = 'failed', reason = 'no such table', ended_at = clock_timestamp()
        where table_name = 'a'`,
    );
    expect((await show()).state).to.equal('running');
    await all.m.db.query(
      `update millrace_private.backfills set state = 'done', ended_at = clock_timestamp() where table_name = 'b'`,
    );
    expect(await show()).to.include({ state: 'failed', reason: 'no such table' });
    expect((await call('POST', `operations/${id}/cancel`)).json.state).to.equal('cancelled');
  });

  it('are listed newest first, by filter and in pages', async () => {
    const ids = [
      await start('orders', { table: 'a' }),
      await start('orders', { table: 'b' }),
      await start('products', { table: 'a' }),
    ].reverse();
    const listed = async (query: string) => (await call('GET', `operations${query}`)).json;
    const idsOf = (json: { data: { id: string }[] }): string[] => json.data.map(({ id }) => id);
    expect(idsOf(await listed(''))).to.deep.equal(ids);
    expect(idsOf(await listed('?sink=orders&state=waiting&kind=backfill&database=shop'))).to.deep.equal(ids.slice(1));
    expect(idsOf(await listed('?kind=replay'))).to.deep.equal([]);
    const first = await listed('?limit=2');
    const second = await listed(`?limit=2&cursor=${first.next_cursor}`);
    expect([...idsOf(first), ...idsOf(second), second.next_cursor]).to.deep.equal([...ids, null]);
    const own = (await call('GET', 'sinks/orders/backfills?limit=1')).json;
    expect(idsOf(own)).to.deep.equal(ids.slice(1, 2));
    const more = await call('GET', `sinks/orders/backfills?cursor=${own.next_cursor}`);
    expect(idsOf(more.json)).to.deep.equal(ids.slice(2));
    const forged = Buffer.from('{"after":{"at":"now","id":"x"},"filter":{}}').toString('base64url');
    for (const query of [`?cursor=${own.next_cursor}`, `?cursor=${forged}`, '?state=on', '?limit=501']) {
      expect((await call('GET', `operations${query}`)).status, query).to.equal(400);
    }
  });

  it('say what is not there, also a backfill of another sink', async () => {
    const id = await start('orders', { table: 'orders' });
    const gone = '00000000-0000-4000-8000-000000000000';
    for (const path of [`operations/${gone}`, `sinks/orders/backfills/${gone}`, `sinks/products/backfills/${id}`]) {
      expect((await call('GET', path)).status, path).to.equal(404);
    }
    expect((await call('POST', `operations/${gone}/pause`)).status).to.equal(404);
    expect((await call('GET', 'operations/1')).json.validation_errors.id).to.have.length(1);
  });
});
