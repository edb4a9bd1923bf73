/** Tables of which the publication lists some columns or rows, where triggers note changes: they are captured whole or not at all. */
import { expect } from 'chai';
import { backfilled } from '../support/fixtures/backfilled.ts';
import { captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';

describe('a backfill by triggers of a table with a list of columns or a row filter', () => {
  it('fails, because its changes would not follow, and one of all tables leaves it out and says so', async () => {
    const on = await captured(
      `create table some_rows (id int primary key); create table some_columns (id int primary key, v text);
       create table items (id int primary key);
       insert into some_rows values (1); insert into some_columns values (1, 'a'); insert into items values (1);
       create publication mine for table items, some_rows where (id > 0), some_columns (id)`,
      {
        as: 'superuser',
        settings: { capture: 'triggers', publication: { name: 'mine', create_if_not_exists: false, init_sql: null } },
      },
    );
    try {
      const sink = await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
      on.start();
      await on.streaming();
      for (const name of ['some_rows', 'some_columns'])
        expect(await backfilled(on.messages.db, `'worker', '${name}'`)).to.include({
          state: 'failed',
          reason: `public.${name}: the publication lists some of its columns or rows, and triggers note whole rows: its changes are not captured`,
          remedy: `alter publication "mine" drop table only "public"."${name}"; alter publication "mine" add table only "public"."${name}"; -- then leave columns out in a transform`,
        });
      expect(await backfilled(on.messages.db, `'worker'`)).to.include({
        state: 'done',
        reason:
          'one backfill per table, 1 in all; not captured by triggers because of a list of columns or a row filter, and left out: public.some_columns, public.some_rows',
      });
      expect((await on.received(sink, 1)).map(({ record }) => record)).to.deep.equal(['{"id":1}']);
    } finally {
      await on.close();
    }
  });
});
