/** A table that a sink names and a publication of the user's lists only later, as the notice asks for. */
import { expect } from 'chai';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { until } from '../support/until.ts';

const TIMING = { checkMs: 150, recheckMs: 100 };

describe('a table that the publication lists late', () => {
  let on: Captured;
  afterEach(async () => await on.close());

  it('is said to have held rows, and one that was empty is not', async () => {
    on = await captured(
      `create table t (id int primary key); create table held (id int primary key); create table empty (id int primary key);
         create publication own for table t`,
      { settings: { publication: { name: 'own', create_if_not_exists: false, init_sql: null } }, timing: TIMING },
    );
    const include_tables = ['public.t', 'public.held', 'public.empty'];
    const source = { include_schemas: null, exclude_schemas: null, include_tables, exclude_tables: null };
    const sink = await on.addSink(sinkSettings({ name: 'named', destination: PULL, source }));
    on.start();
    await on.streaming();
    const missing = await until('both are missed', async () => {
      const found = (await on.notices(sink)).filter(({ code }) => code === 'not_published');
      return found.length === 2 && found;
    });
    await on.source.query('insert into held values (1)');
    for (const { remedy } of missing) await on.source.query(remedy!);
    // It is known by a change before anybody looks, or not.
    await on.source.query('insert into held values (2)');
    const told = await until('it is told', async () => {
      const all = await on.notices(sink);
      return all.every(({ code }) => code !== 'not_published') && all.filter(({ code }) => code === 'added_late');
    });
    expect(told.map(({ table }) => table)).to.deep.equal(['public.held']);
    expect(told[0]!.remedy).to.contain('bin/millrace backfill');
  });
});
