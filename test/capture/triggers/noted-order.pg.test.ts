import { expect } from 'chai';
import type { Captured, CapturedMessage } from '../../support/fixtures/captured.ts';
import { type NotedSource, startNotedSource } from '../../support/fixtures/noted-source.ts';
import { until } from '../../support/until.ts';

/** What the messages say that the table holds. */
function folded(messages: readonly CapturedMessage[]): Map<string, string> {
  const rows = new Map<string, string>();
  for (const { action, record_pks: key, record } of messages)
    if (action === 'delete') rows.delete(key);
    else rows.set(key, record);
  return rows;
}

describe('the order of changes that triggers note', () => {
  let noted: NotedSource;
  let on: Captured;
  let sink: number;

  beforeEach(async () => {
    noted = await startNotedSource();
    ({ on, sink } = noted);
  });
  afterEach(async () => await noted?.close());

  it('tells changes of a row in their order, though a trigger of the user makes further ones in between', async () => {
    await on.source.query(`insert into rows select n, 'a' from generate_series(1, 3) n`);
    await on.source.query(`
      create function next() returns trigger language plpgsql as $$
      begin
        if pg_trigger_depth() = 1 then
          update rows set value = value || '+' where id = new.id % 3 + 1;
        end if;
        return null;
      end $$;
      create trigger aaa after update on rows for each row execute function next();
      update rows set value = 'b'`);
    const { rows: now } = await on.source.query<{ record: string }>(
      `select jsonb_build_object('id', id, 'value', value)::text as record from rows order by id`,
    );
    const rows = await on.received(sink, 9);
    const texts = [...folded(rows).values()].map((record) => JSON.parse(record));
    expect(texts.toSorted((a, b) => a.id - b.id)).to.deep.equal(now.map(({ record }) => JSON.parse(record)));
    for (const [n, row] of rows.entries()) {
      if (row.action !== 'update') continue;
      const before = rows.slice(0, n).findLast((one) => one.record_pks === row.record_pks);
      expect(JSON.parse(row.changes!).value, `change ${n}`).to.equal(JSON.parse(before!.record).value);
    }
  });

  it('does so in a transaction that is read in several chunks', async function () {
    this.timeout(120_000);
    await on.source.query(`
      insert into rows select n, 'a' from generate_series(1, 11000) n;
      create function far() returns trigger language plpgsql as $$
      begin
        if pg_trigger_depth() = 1 and new.id = 1 then
          update rows set value = value || '+' where id in (2, 10999);
          update rows set value = value || '+' where id in (2, 10999);
        end if;
        return null;
      end $$;
      create trigger aaa after update on rows for each row execute function far();
      update rows set value = 'b'`);
    const rows = await on.received(sink, 22_004);
    const of = (id: number) =>
      rows.filter((row) => row.record_pks === `["${id}"]`).map((row) => JSON.parse(row.record).value);
    expect(of(2)).to.deep.equal(['a', 'b', 'b+', 'b++']);
    expect(of(10_999)).to.deep.equal(['a', 'b', 'b+', 'b++']);
    expect(of(10_998)).to.deep.equal(['a', 'b']);
  });

  it('does so where more waits than is kept in memory', async () => {
    await on.source.query(`
      insert into rows select n, n || repeat('a', 6000) from generate_series(1, 2500) n;
      create function all_again() returns trigger language plpgsql as $$
      begin
        if pg_trigger_depth() = 1 and new.id = 1 then update rows set value = value || '+'; end if;
        return null;
      end $$;
      create trigger aaa after update on rows for each row execute function all_again();
      update rows set value = id || repeat('b', 6000)`);
    const count = 'select count(*)::int4 as n from millrace_private.messages where sink_no = $1';
    await until('all are there', async () => (await on.messages.db.query(count, [sink])).rows[0]!.n === 7_500);
    const rows = await on.received(sink, 7_500);
    const of = (id: number) =>
      rows.filter((row) => row.record_pks === `["${id}"]`).map((row) => JSON.parse(row.record).value);
    for (const id of [1, 2, 1_250, 2_499, 2_500])
      expect(of(id)).to.deep.equal([
        `${id}${'a'.repeat(6_000)}`,
        `${id}${'b'.repeat(6_000)}`,
        `${id}${'b'.repeat(6_000)}+`,
      ]);
  });

  it('keeps a large transaction together', async function () {
    this.timeout(120_000);
    await on.source.query("insert into rows select n, 'x' from generate_series(1, 12001) n");
    const rows = await on.received(sink, 12_001);
    expect(new Set(rows.map((row) => row.commit_lsn)).size).to.equal(1);
    expect(rows.map((row) => row.commit_idx)).to.deep.equal(Array.from({ length: 12_001 }, (_, n) => n));
  });

  it('tells a row in order where its table was emptied or written anew in between', async () => {
    await on.source.query(`
      insert into rows select n, 'a' from generate_series(1, 10) n;
      update rows set value = 'b';
      begin;
      update rows set value = 'c';
      alter table rows alter column value type varchar using value || '!';
      update rows set value = 'd';
      alter table rows alter column value type varchar using value || '!';
      update rows set value = 'e';
      commit;
      begin;
      delete from rows where id = 1;
      truncate rows;
      insert into rows select n, 'f' from generate_series(1, 10) n;
      commit`);
    const rows = await on.received(sink, 61);
    const of = (id: number) => rows.filter((row) => row.record_pks === `["${id}"]`);
    for (let id = 1; id <= 10; id++) {
      const values = of(id).filter(({ action }) => action !== 'delete');
      expect(values.map(({ record }) => JSON.parse(record).value)).to.deep.equal(['a', 'b', 'c', 'd', 'e', 'f']);
    }
    expect(
      of(1)
        .map(({ action }) => action)
        .slice(-2),
    ).to.deep.equal(['delete', 'insert']);
  });
});
