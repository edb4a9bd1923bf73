/** What is said of sinks and tables: found anew at each look, said for good, or over. */

import { expect } from 'chai';
import { addNotices, noteMissed } from '../../src/notices/add.ts';
import { forgetMissed, forgetNotices } from '../../src/notices/forget.ts';
import { notePublishedAgain, replaceNotices, replaceSinkNotices } from '../../src/notices/replace.ts';
import { addPullSink, addPushSink, addShop } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';

const ORDERS = 'public.orders';
const GONE = 9_999;

describe('notices', () => {
  let m: MessageDatabase;
  let databaseNo: number;
  let pull: number;
  let index: number;
  before(async () => {
    m = await messageDatabase();
    ({ databaseNo } = await addShop(m.db));
    ({ no: pull } = await addPullSink(m.db, { name: 'orders' }));
    ({ no: index } = await addPushSink(m.db, { name: 'products', kind: 'search_index' }));
  });
  after(async () => await m.drop());
  beforeEach(async () => {
    await m.db.query('delete from millrace_private.notices');
  });

  const said = async (): Promise<string[]> =>
    (
      await m.db.query<{ text: string }>(
        `select concat_ws(' ', sink_no, code, nullif(table_name, ''), message, remedy) as text
           from millrace_private.notices order by sink_no, code, table_name`,
      )
    ).rows.map(({ text }) => text);
  const times = async (): Promise<Date[]> =>
    (await m.db.query<{ created_at: Date }>('select created_at from millrace_private.notices')).rows.map(
      ({ created_at }) => created_at,
    );

  it('are what the last look found, by its own codes and of its own tables, and keep their time', async () => {
    const one = { code: 'no_old_values', table: ORDERS, message: 'a', remedy: 'b' };
    await replaceNotices(m.db, { by: 'publication', databaseNo }, [
      { sinkNo: index, code: 'not_published', table: ORDERS, message: 'm', remedy: null },
    ]);
    const look = { by: 'columns', databaseNo, table: ORDERS } as const;
    await replaceNotices(m.db, look, [
      { ...one, sinkNo: pull },
      { ...one, sinkNo: index },
      { ...one, sinkNo: GONE },
    ]);
    await replaceNotices(m.db, { ...look, table: 'public.items' }, []);
    const before = (await times()).map(Number).sort();
    await replaceNotices(m.db, look, [{ ...one, sinkNo: pull, message: 'c' }]);
    expect(await said()).to.deep.equal([`${pull} no_old_values ${ORDERS} c b`, `${index} not_published ${ORDERS} m`]);
    for (const time of await times()) expect(before).to.include(Number(time));
    await replaceNotices(m.db, { by: 'publication', databaseNo }, []);
    expect(await said()).to.deep.equal([`${pull} no_old_values ${ORDERS} c b`]);
  });

  it('of one table with one code are one, the last that was found', async () => {
    const one = { sinkNo: index, code: 'not_published', table: ORDERS, remedy: null };
    const both = ['a', 'b'].map((message) => ({ ...one, message }));
    await replaceNotices(m.db, { by: 'publication', databaseNo }, both);
    await addNotices(m.db, both.toReversed());
    expect(await said()).to.deep.equal([`${index} not_published ${ORDERS} a`]);
  });

  it('of one sink leave the others alone', async () => {
    const { rows } = await m.db.query<{ id: string }>('select id from millrace_private.sinks where no = $1', [index]);
    const look = { by: 'job', sinkId: rows[0]!.id } as const;
    await addNotices(m.db, [{ sinkNo: pull, code: 'job_fails', table: 't', message: 'other', remedy: null }]);
    await replaceSinkNotices(m.db, look, [{ code: 'job_fails', table: 't', message: 'm', remedy: 'r' }]);
    expect(await said()).to.deep.equal([`${pull} job_fails t other`, `${index} job_fails t m r`]);
    await replaceSinkNotices(m.db, look, []);
    expect(await said()).to.deep.equal([`${pull} job_fails t other`]);
  });

  it('of what was missed say how to catch up, to those that are there', async () => {
    await noteMissed(m.db, [pull, index, GONE], { code: 'added_late', table: ORDERS, message: 'm' });
    expect(await said()).to.deep.equal([
      `${pull} added_late ${ORDERS} m bin/millrace backfill orders ${ORDERS} # remove there what it has of rows that are gone`,
      `${index} added_late ${ORDERS} m bin/millrace backfill products ${ORDERS}`,
    ]);
  });

  it('of what happened once more have its time, unless they tell what is still so', async () => {
    const notice = { sinkNo: pull, code: 'invalid_utf8', table: ORDERS, message: 'm', remedy: null, catchUp: true };
    await addNotices(m.db, [notice]);
    const [first] = await times();
    await addNotices(m.db, [notice], { again: false });
    expect(await times()).to.deep.equal([first]);
    await addNotices(m.db, [notice]);
    expect(Number((await times())[0])).to.be.greaterThan(Number(first));
    expect((await said())[0]).to.match(/Then: select millrace\.dismiss\('orders', 'invalid_utf8'\)$/);
  });

  it('of a detached table say first how it is published, and then how to catch up', async () => {
    const detached = { code: 'table_detached', message: 'm', remedy: 'alter publication p add table t', catchUp: true };
    const found = [ORDERS, 'public.items'].map((table) => ({ ...detached, sinkNo: index, table }));
    await replaceNotices(m.db, { by: 'publication', databaseNo }, found);
    await notePublishedAgain(m.db, databaseNo, found.slice(1));
    const verify = 'bin/millrace verify products --repair';
    expect(await said()).to.deep.equal([
      `${index} table_detached public.items m alter publication p add table t; then: ${verify}`,
      `${index} table_detached ${ORDERS} m ${verify}`,
    ]);
  });

  it('are forgotten by code, or when an index has been seen to be right', async () => {
    for (const code of ['truncated', 'values_left_out'] as const)
      await noteMissed(m.db, [pull, index], { code, table: ORDERS, message: 'm' });
    await addNotices(m.db, [{ sinkNo: index, code: 'function_kills', table: '', message: 'm', remedy: null }]);
    await forgetNotices(m.db, index, ['function_kills']);
    await forgetMissed(m.db, index, { tables: ['public.items'], seconds: 0 });
    await forgetMissed(m.db, index, { tables: [ORDERS], seconds: 60 });
    expect(await said()).to.have.length(4);
    await forgetMissed(m.db, index, { tables: [ORDERS], seconds: 0 });
    expect((await said()).map((text) => text.split(' ')[0])).to.deep.equal([`${pull}`, `${pull}`]);
  });

  it('are found and replaced by the thousand, as after a restore of all tables', async () => {
    const remedy = 'alter publication p add table only t';
    const found = Array.from({ length: 10_000 }, (_, i) => `public.t${i}`).map((table) => ({
      ...{ sinkNo: index, code: 'table_detached', table, message: table, remedy, catchUp: true },
    }));
    const stored = found.map((one) => ({ ...one, catchUp: false }));
    const replaced = { by: 'publication', databaseNo } as const;
    await m.db.query(
      `insert into millrace_private.source_tables (database_no, oid, schema_name, table_name, metadata)
       select $1, i, 'public', 't' || i, '' from generate_series(1, 10000) i`,
      [databaseNo],
    );
    await m.db.transaction(async (tx) => {
      // Of each statement, on any machine; what compares each of them with each other takes a minute.
      await tx.query(`set local statement_timeout = '10s'`);
      // Where the statistics know none of their kind, the planner believes in one.
      await addNotices(
        tx,
        stored.map((one) => ({ ...one, code: 'no_old_values', remedy: null })),
      );
      await tx.query('analyze millrace_private.notices');
      await addNotices(tx, stored);
      await notePublishedAgain(tx, databaseNo, stored);
      const changed = `select from millrace_private.notices where code = 'table_detached' and remedy <> $1`;
      expect((await tx.query(changed, [remedy])).rowCount).to.equal(0);
      await addNotices(tx, found);
      const unpublished = stored.map((one) => ({ ...one, code: 'not_published' }));
      await replaceNotices(tx, replaced, unpublished);
      await replaceNotices(tx, replaced, unpublished);
      await replaceNotices(tx, replaced, found.slice(0, 1));
    });
    const catchUp = 'bin/millrace verify products --repair';
    const told = (await said()).filter((one) => one.includes('table_detached'));
    expect(told).to.have.lengthOf(10_000);
    expect(told[0]).to.equal(`${index} table_detached public.t0 public.t0 ${remedy}; then: ${catchUp}`);
  });
});
