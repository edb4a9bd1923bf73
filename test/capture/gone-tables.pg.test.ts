/** What is said of a table that is dropped: nobody could fix it any more. */
import { expect } from 'chai';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { until } from '../support/until.ts';

describe('notices of tables that are dropped', () => {
  let on: Captured;
  afterEach(async () => await on.close());

  it('go with them, and those of renamed tables and of others stay', async () => {
    on = await captured(
      `create table staging (id int primary key, v text); create table kept (id int primary key, v text);
       create table renamed (id int primary key, v text)`,
      { timing: { checkMs: 150, recheckMs: 100 } },
    );
    const filters = [{ column_name: 'tenant', operator: '=', comparison_value: '1' }] as never;
    const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL, filters }));
    on.start();
    await on.streaming();
    await on.source.query(
      `insert into staging values (1, 'a'); insert into kept values (1, 'a'); insert into renamed values (1, 'a')`,
    );
    const said = async (): Promise<string[]> =>
      (await on.notices(sink))
        .filter(({ code }) => code === 'filter_fault')
        .map(({ table }) => table)
        .toSorted();
    await until('all are told', async () => (await said()).length === 3);
    await on.source.query('drop table staging; alter table renamed rename to otherwise');
    await until('the dropped one is told no more', async () => !(await said()).includes('public.staging'));
    expect(await said()).to.deep.equal(['public.kept', 'public.renamed']);
  });
});
