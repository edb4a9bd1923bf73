/** A generated column that is replaced by one of the same name and type while it is captured: no value is that of the other expression. */
import { expect } from 'chai';
import { captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { byWay } from '../support/postgres/capture-way.ts';
import { startCluster } from '../support/postgres/postgres.ts';

describe('a generated column that gets another expression under capture', () => {
  for (const major of [15, 18] as const)
    it(`is what the table has, on Postgres ${major}`, async () => {
      const cluster = await startCluster({ major });
      const on = await captured(
        'create table t (id int primary key, a int, g int generated always as (a * 2) stored)',
        { cluster },
      );
      try {
        const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
        on.start();
        await on.streaming();
        await on.source.query('insert into t values (1, 10)');
        await on.received(sink, 1);
        await on.source.query('alter table t drop column g, add column g int generated always as (a * 3) stored');
        await on.source.query('insert into t values (2, 10)');
        await on.source.query('update t set a = 11 where id = 1');
        const rows = (await on.received(sink, 3)).map(({ record, changes }) => [record, changes]);
        expect(rows).to.deep.equal([
          ['{"id":1,"a":10,"g":20}', null],
          ['{"id":2,"a":10,"g":30}', null],
          ['{"id":1,"a":11,"g":33}', byWay({ replication: '{}', triggers: '{"a":10,"g":30}' })],
        ]);
      } finally {
        await on.close();
        await cluster.stop();
      }
    });
});
