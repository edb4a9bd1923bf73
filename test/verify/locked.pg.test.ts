/** A table that somebody has locked, as `vacuum full` does for minutes, is waited for. */
import { expect } from 'chai';
import { type Database, openPool } from '../../src/db/pool.ts';
import { describeTable, type TableDescription } from '../../src/source/describe-table.ts';
import { readRowsAfter } from '../../src/verify/source-rows.ts';
import { refusal } from '../support/fixtures/verification.ts';
import { createWorld, type World } from '../support/processes/world.ts';
import { until } from '../support/until.ts';

describe('verify: a table that is locked', () => {
  let world: World;
  let source: Database;
  let table: TableDescription;
  before(async () => {
    world = await createWorld('create table items (id int primary key); insert into items values (1), (2)', {
      as: 'superuser',
    });
    await world.shop.query('create publication listed for table items');
    source = openPool({ address: world.shopUrl, max: 1, applicationName: 'millrace verify' });
    table = await describeTable(source, { schema: 'public', name: 'items', publication: 'listed' });
  });
  after(async () => {
    await source?.close();
    await world?.drop();
  });

  const read = (tries: number) =>
    readRowsAfter(source, { table, after: undefined, patience: { statementMs: 100, tries } }, 1_000);

  it('is read when it is free', async () => {
    const { page } = await world.shop.session(async (client) => {
      await client.query('begin; lock table items in access exclusive mode');
      const page = read(Number.POSITIVE_INFINITY);
      const sql = `select query_start::text as at from pg_stat_activity where application_name = 'millrace verify' and wait_event_type = 'Lock'`;
      const waiting = () => until('it waits', async () => (await world.shop.query<{ at: string }>(sql)).rows[0]?.at);
      const first = await waiting();
      await until('it waits once more', async () => (await waiting()) !== first);
      await client.query('commit');
      return { page };
    });
    expect((await page).rows).to.have.length(2);
    expect((await page).narrow, 'what may have been a row filter is not waited for at each page').to.equal(true);
    expect(await readRowsAfter(source, { table, after: ['1'], narrow: true }, 1_000)).to.include({ narrow: true });
    expect(await read(1)).to.include({ narrow: false });
  });

  it('is told when it stays so for too long', async () => {
    await world.shop.session(async (client) => {
      await client.query('begin; lock table items in access exclusive mode');
      const { code, message, remedy } = await refusal(read(10));
      expect([code, message]).to.deep.equal(['unavailable', 'public.items could not be read for 1 s']);
      expect(remedy).to.contain('holds a lock on it');
      await client.query('rollback');
    });
  });
});
