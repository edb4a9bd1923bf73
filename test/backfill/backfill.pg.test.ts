/** Rows of a table as messages: all of them once, as the stream would bring them, in their place among live changes. */
import { expect } from 'chai';
import { backfilled, backfillsOf } from '../support/fixtures/backfilled.ts';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { until } from '../support/until.ts';

describe('backfill', function () {
  this.timeout(120_000);
  let on: Captured;
  afterEach(() => on.close());

  it('sends every row once, as an insert would look, and live changes around them', async () => {
    on = await captured(
      `create table items (id bigint primary key, name text, price numeric, tags text[], made timestamptz)`,
    );
    const sinkNo = await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
    on.start();
    await on.streaming();
    await on.source.query(
      `insert into items values (1, 'live "one"', 1.50, '{a,NULL}', '2026-01-01 00:00:00.123456+01')`,
    );
    const [live] = await on.received(sinkNo, 1);
    const status = await backfilled(on.messages.db, `'worker', 'items'`);
    expect(status).to.include({ state: 'done', reason: null, rows_done: 1, rows_sent: 1 });
    const [, read] = await on.received(sinkNo, 2);
    expect(read).to.include({ action: 'read', record: live!.record, record_pks: '["1"]', changes: null });
    expect(read!.group_key).to.equal(live!.group_key);
  });

  it('goes through many pages', async () => {
    on = await captured(`create table items (id integer primary key, name text);
      insert into items select n, repeat('x', 500) from generate_series(-5000, 7000) n`);
    const sinkNo = await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
    on.start();
    await on.streaming();
    void backfilled(on.messages.db, `'worker', 'public.items'`);
    // The sink is not drained: it stops at the bound.
    await until('it waits for the sink', async () =>
      (await backfillsOf(on.messages.db))[0]?.reason?.includes('10000 messages or more wait for sink worker'),
    );
    await on.messages.db.query(`delete from millrace_private.messages where sink_no = $1::integer`, [sinkNo]);
    await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
    expect((await backfillsOf(on.messages.db))[0]).to.include({ rows_done: 12_001, rows_sent: 12_001 });
  });

  it('begins a third table while the last page of another one is on its way', async () => {
    on = await captured(`create table a_small (id integer primary key); insert into a_small values (1);
      create table b_large (id integer primary key); insert into b_large select n from generate_series(1, 6000) n;
      create table c_small (id integer primary key); insert into c_small values (1)`);
    await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
    on.start();
    await on.streaming();
    const states = async (): Promise<object> =>
      Object.fromEntries(
        (await backfillsOf(on.messages.db))
          .filter(({ kind }) => kind === 'table')
          .map(({ table_name, state }) => [table_name, state]),
      );
    await on.messages.db.transaction(async (holding) => {
      // Nothing is persisted meanwhile.
      await holding.query('lock table millrace_private.messages in share mode');
      await on.messages.db.query(`select millrace.backfill('worker')`);
      await until('all three are under way', async () => {
        const found = Object.values(await states());
        return found.length === 3 && found.every((state) => state === 'running');
      });
    });
    await until('all are done', async () => Object.values(await states()).every((state) => state === 'done'));
    expect(await states()).to.deep.equal({ a_small: 'done', b_large: 'done', c_small: 'done' });
  });
});
