/** Which backfills may begin, where very many wait: after a resync there is one for each table of each sink. */
import { expect } from 'chai';
import { dueBackfills } from '../../src/backfill/store.ts';
import { addPullSink, addShop } from '../support/fixtures/fixtures.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';

describe('backfills that may begin', () => {
  let m: MessageDatabase;
  let databaseNo: number;
  let sinks: number[];
  before(async () => {
    m = await messageDatabase();
    ({ databaseNo } = await addShop(m.db));
    sinks = [];
    for (const name of ['one', 'other']) sinks.push((await addPullSink(m.db, { name })).no);
    await m.db.query(
      `insert into millrace_private.backfills (sink_no, kind, table_schema, table_name)
       select s.no, 'table', 'public', 't' || i from unnest($1::integer[]) with ordinality s (no, place), generate_series(1, 5000) i
        order by s.place, i`,
      [sinks],
    );
  });
  after(async () => await m.drop());

  const due = async (options: { running: readonly number[]; full: readonly number[] }) => {
    const found = await dueBackfills(m.db, databaseNo, options);
    return { count: found.length, sinks: [...new Set(found.map((one) => one.sink_no))], first: found[0]!, found };
  };

  it('are the first ones alone, each time that is looked for them', async () => {
    const { count, sinks: of, first } = await due({ running: [], full: [] });
    expect(count).to.equal(100);
    expect(of).to.deep.equal([sinks[0]]);
    expect(first).to.include({ table_schema: 'public', table_name: 't1' });
  });

  it('are those behind the ones that are under way, and of other sinks than those that have enough to do', async () => {
    const { found } = await due({ running: [], full: [] });
    const behind = await due({ running: found.map(({ no }) => no), full: [] });
    expect(behind.first).to.include({ sink_no: sinks[0], table_name: 't101' });
    const ofOther = await due({ running: [], full: [sinks[0]!] });
    expect(ofOther.sinks).to.deep.equal([sinks[1]]);
    expect(ofOther.first).to.include({ table_name: 't1' });
    expect(await dueBackfills(m.db, databaseNo, { running: [], full: sinks })).to.deep.equal([]);
  });
});
