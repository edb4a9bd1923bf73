/** Entries of a change table, sent to a sink again: as they were, in their order, with real capture and a real change table. */
import { expect } from 'chai';
import { type ChangeRow, changeRows } from '../../support/fixtures/change-rows.ts';
import type { ReplayWorld } from '../../support/fixtures/replayed.ts';
import { plain, replayedShop } from '../../support/fixtures/replayed-shop.ts';
import { EMIT } from '../../support/postgres/capture-way.ts';
import { until } from '../../support/until.ts';

describe('a replay', function () {
  this.timeout(120_000);
  let world: ReplayWorld;
  let entries: ChangeRow[];

  before(async () => {
    ({ world, entries } = await replayedShop());
  });
  after(() => world?.close());

  it('sends every entry as the message that it was, in order', async () => {
    const before = await world.drained('pull');
    expect(before.length).to.equal(entries.length);
    const done = await world.ended(await world.replay(`'history', 'pull'`));
    expect(done).to.deep.include({
      kind: 'replay',
      table_schema: 'public',
      table_name: 'orders',
      state: 'done',
      reason: null,
      rows_done: entries.length,
      rows_sent: entries.length,
      rows_total: entries.length,
    });
    const again = await world.drained('pull');
    expect(again.map(plain)).to.deep.equal(before.map(plain));
    expect(again.map(plain)).to.deep.equal(entries.map(plain));
    for (const what of ['commit_timestamp', 'record_pks', 'table_name'] as const) {
      expect(again.map(({ metadata }) => metadata[what])).to.deep.equal(before.map(({ metadata }) => metadata[what]));
    }
    const places = again.map(({ metadata }) => [metadata.commit_lsn, metadata.commit_idx]);
    const sorted = places.toSorted((a, b) => a[0]! - b[0]! || a[1]! - b[1]!);
    expect(places).to.deep.equal(sorted);
    expect(new Set(places.map(String)).size).to.equal(places.length);
  });

  it('brings back who made a change, from a column that was added meanwhile; without it, nobody', async () => {
    const insert = async (id: number): Promise<void> =>
      void (await world.shop.query(`
        begin; select ${EMIT}'millrace:annotations', '{"user":"ann","n":1.50}');
        insert into orders values (${id}, '2026-04-01 10:00', 'open', 1, null); commit;
        insert into orders values (${id + 1}, '2026-04-01 10:00', 'open', 1, null)`));
    const since = async (): Promise<string> =>
      (await world.archive.query<{ seq: string }>('select (max(seq) + 1)::text as seq from orders_events')).rows[0]!
        .seq;
    const tables = [world.archive, world.messages];
    const alter = async (what: string): Promise<void> => {
      for (const db of tables)
        await db.query(
          `alter table public.orders_events ${what} column transaction_annotations jsonb`.replace(
            /(drop.*) jsonb/,
            '$1',
          ),
        );
    };
    const kept = async (db: (typeof tables)[number]): Promise<(string | null)[]> =>
      (
        await db.query<{ text: string | null }>(
          `select transaction_annotations::text as text from public.orders_events
            where (record ->> 'id')::bigint between 401 and 402 order by id`,
        )
      ).rows.map(({ text }) => text);
    const again = async (from: string): Promise<unknown[]> => {
      await world.drained('pull');
      await world.ended(await world.replay(`'history', 'pull', from_seq => ${from}`));
      return (await world.drained('pull')).map(({ metadata }) => metadata.transaction_annotations);
    };
    await alter('add');
    const from = await since();
    await insert(401);
    await world.settled(['history', 'history-home']);
    for (const db of tables) expect(await kept(db)).to.deep.equal(['{"n": 1.50, "user": "ann"}', null]);
    expect(await again(from)).to.deep.equal([{ user: 'ann', n: 1.5 }, null]);
    await alter('drop');
    expect(await again(from)).to.deep.equal([null, null]);
    await insert(411);
    await world.settled(['history', 'history-home']);
    await world.shop.query('delete from orders where id between 401 and 412');
    await world.settled(['history', 'history-home']);
    await world.drained('pull');
    entries = await changeRows(world.archive, 'orders_events');
  });

  it('keeps the groups of then, so that a row, under whatever key, keeps its order', async () => {
    const groups = async (): Promise<unknown[]> =>
      (
        await world.messages.query(
          `select m.group_key, m.group_key2, m.record_pks from millrace_private.messages m
             join millrace_private.sinks s on s.no = m.sink_no where s.name = 'pull' order by m.id`,
        )
      ).rows;
    await world.shop.query(`insert into orders values (501, '2026-05-01 10:00', 'open', 1, null)`);
    await world.shop.query(`update orders set id = 502, at = '2026-05-02 10:00:00.25' where id = 501`);
    await world.shop.query(`delete from orders where id = 502`);
    await world.settled(['history']);
    const live = await groups();
    expect(live.length).to.equal(3);
    const first = (await changeRows(world.archive, 'orders_events')).at(-3)!.seq;
    await world.drained('pull');
    await world.ended(await world.replay(`'history', 'pull', from_seq => ${first}`));
    expect(await groups()).to.deep.equal(live);
    await world.drained('pull');
  });

  it('makes keys of every type anew from what is kept as JSON', async () => {
    await world.shop.query(`
      insert into odd values
        (true, 1e21, '\\x00ff', '{1,NULL}', '2026-01-01 00:00:00.123+02', 1.50, 'so', 'ab', 9007199254740993, '1 day 02:00',
         hstore(array['a"\\', 'b', ''], array['1', null, E'\\t"=>, \\\\']), '', '1 2 3', '16384'),
        (false, 'NaN', '', '{}', 'infinity', 'NaN', 'la la', 'x-y', -9223372036854775808, '-1 mon', '', 'x=>NULL, y=>"NULL"', '', '');
      `);
    await world.shop.query(`update odd set b = -0.1, d = '{{1,2},{3,4}}', e = '1999-12-31 23:59:59Z', h = 'c' where a`);
    await world.shop.query('delete from odd');
    await world.settled(['odd-history']);
    const rows = async (): Promise<unknown[]> =>
      (
        await world.messages.query(
          `select m.action, m.record_pks, m.group_key, m.group_key2, m.record::jsonb as record, m.changes::jsonb as changes
             from millrace_private.messages m join millrace_private.sinks s on s.no = m.sink_no
            where s.name = 'odd' order by m.id`,
        )
      ).rows;
    const live = await rows();
    expect(live.length).to.equal(5);
    await world.messages.query(`delete from millrace_private.messages m using millrace_private.sinks s
                                 where s.no = m.sink_no and s.name = 'odd'`);
    await world.ended(await world.replay(`'odd-history', 'odd'`));
    expect(await rows()).to.deep.equal(live);
  });

  it('no digit is lost, nor any text changed', async () => {
    const { rows } = await world.archive.query<{ record: string; seq: number }>(
      `select record::text as record, seq from orders_events where record_pk = '2-2026-01-01 02:00:00.5' order by seq`,
    );
    await world.ended(await world.replay(`'history', 'pull', record_pks => array['2-2026-01-01 02:00:00.5']`));
    const sent = await world.messages.query<{ record: string }>(
      `select m.record from millrace_private.messages m join millrace_private.sinks s on s.no = m.sink_no
        where s.name = 'pull' order by m.id`,
    );
    expect(sent.rows.map(({ record }) => record)).to.deep.equal(rows.map(({ record }) => record));
    expect(rows.map(({ record }) => record).join()).to.include('9007199254740993.15');
    await world.drained('pull');
  });

  it('takes in what the sink takes in: its actions and its column filters', async () => {
    const first = await world.drained('paid');
    await world.ended(await world.replay(`'history', 'paid', to_seq => ${entries.at(-1)!.seq}`));
    const again = await world.drained('paid');
    expect(again.map(plain)).to.deep.equal(first.map(plain));
    expect(again.length).to.equal(6 + 1 + 1);
  });

  it('by seq: both ends are included', async () => {
    const [from, to] = [entries[4]!.seq, entries[9]!.seq];
    const done = await world.ended(await world.replay(`'history', 'pull', from_seq => ${from}, to_seq => ${to}`));
    expect(done).to.include({ rows_total: 6, rows_done: 6 });
    expect((await world.drained('pull')).map(plain)).to.deep.equal(entries.slice(4, 10).map(plain));
  });

  it('by time: the beginning is included, the end is not', async () => {
    const { rows } = await world.archive.query<{ at: string; count: number }>(
      'select committed_at::text as at, count(*) as count from orders_events group by 1 order by 1',
    );
    const done = await world.ended(await world.replay(`'history', 'pull', '${rows[1]!.at}', '${rows[3]!.at}'`));
    expect(done.rows_done).to.equal(rows[1]!.count + rows[2]!.count);
    const sent = await world.drained('pull');
    expect(sent.map(plain)).to.deep.equal(entries.slice(12, 20).map(plain));
  });

  it('of an empty range is done at once, and says 0', async () => {
    const done = await world.ended(await world.replay(`'history', 'pull', from_time => '2100-01-01'`));
    expect(done).to.include({ state: 'done', rows_total: 0, rows_done: 0, rows_sent: 0 });
  });

  it('from a change table in the message database', async () => {
    await world.ended(await world.replay(`'history-home', 'pull', to_seq => ${entries.at(-1)!.seq}`));
    expect((await world.drained('pull')).map(plain)).to.deep.equal(entries.map(plain));
  });

  it('ends where the change table ended when it began, whatever is written meanwhile', async () => {
    const total = (await changeRows(world.archive, 'orders_events')).length;
    const id = await world.replay(`'history', 'pull'`);
    await world.shop.query(`insert into others values (1)`);
    for (let n = 0; n < 20; n++) {
      await world.shop.query(`insert into orders values (${1000 + n}, now()::timestamp, 'late', 1, null)`);
    }
    const done = await world.ended(id);
    expect(done.rows_done).to.equal(done.rows_total);
    expect(done.rows_done).to.be.within(total, total + 20);
    await world.settled(['history', 'history-home']);
    await world.drained('pull');
  });

  it('passes over what a policy deletes meanwhile, and takes large entries a few at a time', async () => {
    await world.shop.query(`insert into orders
      select 2000 + n, '2026-02-01', 'large', n, (select string_agg(md5((n * 40000 + m)::text), '') from generate_series(1, 20000) m)
        from generate_series(1, 5) n`);
    await world.settled(['history']);
    await world.drained('pull');
    const id = await world.replay(
      `'history', 'pull', record_pks => array(select (2000 + n) || '-2026-02-01 00:00:00' from generate_series(1, 5) n)`,
    );
    await until('it has begun', async () => (await world.status(id)).rows_done > 0);
    await world.archive.query(`delete from orders_events where record ->> 'id' = '2005'`);
    const done = await world.ended(id);
    expect(done).to.include({ state: 'done', rows_total: 5, rows_done: 5 });
    const sent = await world.drained('pull');
    expect(sent.map(({ record }) => record.id)).to.deep.equal([2001, 2002, 2003, 2004, 2005].slice(0, sent.length));
    expect(sent.length).to.be.within(4, 5);
    expect(sent.every(({ record }) => String(record.note).length === 640_000)).to.equal(true);
  });

  it('of a table that is called otherwise now', async () => {
    await world.shop.query('alter table orders rename to purchases');
    await world.drained('pull');
    const done = await world.ended(await world.replay(`'history', 'pull', to_seq => ${entries[7]!.seq}`));
    expect(done).to.include({ state: 'done', rows_sent: 8, reason: null });
    const sent = await world.drained('pull');
    expect(sent.map(plain)).to.deep.equal(entries.slice(0, 8).map(plain));
    expect(new Set(sent.map(({ metadata }) => metadata.table_name))).to.deep.equal(new Set(['purchases']));
    await world.shop.query('alter table purchases rename to orders');
  });

  it('of a table that was made anew, with other keys: what the entries do not tell comes from record_pk', async () => {
    await world.shop.query(`drop table orders; create table orders (ident int primary key, kind text)`);
    await world.shop.query('alter publication of_the_test add table orders');
    await world.ended(await world.replay(`'history', 'pull', to_seq => ${entries[7]!.seq}`));
    const sent = await world.drained('pull');
    expect(sent.map(plain)).to.deep.equal(entries.slice(0, 8).map(plain));
    expect(sent.map(({ metadata }) => metadata.record_pks)).to.deep.equal(
      entries.slice(0, 8).map(({ record_pk: key }) => [key]),
    );
  });
});
