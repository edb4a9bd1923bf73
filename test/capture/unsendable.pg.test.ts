/** A change that Postgres cannot send stops its source until somebody acts: what is said leads out of it. */
import { expect } from 'chai';
import { captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { AS_PLAIN } from '../support/postgres/plain-role.ts';
import { until } from '../support/until.ts';

describe('a change that Postgres cannot send', function () {
  this.timeout(120_000);

  ofReplication('triggers know no row filter').it('is said, and skipped by what the remedy says', async function () {
    // Publishing as the test's own role is what this needs.
    if (AS_PLAIN) return this.skip();
    const on = await captured(
      'create table items (id int primary key, n int); create publication own for table items where (100 / id > 1)',
      { settings: { publication: { name: 'own', create_if_not_exists: false, init_sql: null } } },
    );
    try {
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await on.source.query('insert into items values (1, 1)');
      await on.received(sink, 1);
      await on.source.query('insert into items values (0, 1)');
      const { reason, remedy } = await on.becomes('error');
      expect(reason).to.equal('Postgres cannot send the next change: division by zero');
      expect(remedy).to.match(/a row filter of the publication fails on it: correct that first/);
      await on.keepsState();
      await on.source.query('alter publication own set table items');
      const drop = /select pg_drop_replication_slot\('[^']+'\)/.exec(remedy)![0];
      const isDropped = async (): Promise<boolean> =>
        await on.source.query(drop).then(
          () => true,
          // In use by the try that is under way.
          ({ code }) => code !== '55006',
        );
      await until('the slot is dropped', isDropped);
      await on.becomes('needs_resync');
      await on.messages.db.query("select millrace.accept_gap('shop')");
      await on.streaming();
      await on.source.query('insert into items values (2, 2)');
      expect((await on.received(sink, 2)).map(({ record }) => record)).to.deep.equal([
        '{"id":1,"n":1}',
        '{"id":2,"n":2}',
      ]);
    } finally {
      await on.close();
    }
  });

  ofReplication('triggers know no row filter').it('is said without the values of its row', async function () {
    if (AS_PLAIN) return this.skip();
    const on = await captured(
      'create table items (id int primary key, n int); create publication own for table items where (make_date(2000, 1, n) is not null)',
      { settings: { publication: { name: 'own', create_if_not_exists: false, init_sql: null } } },
    );
    try {
      await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await on.source.query('insert into items values (1, 4711)');
      const { reason } = await on.becomes('error');
      expect(reason).to.equal('Postgres cannot send the next change: date field value out of range');
    } finally {
      await on.close();
    }
  });
});
