/** A source that gives a backfill no connection, while its stream goes on. */
import { expect } from 'chai';
import { backfillsOf } from '../support/fixtures/backfilled.ts';
import { captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { until } from '../support/until.ts';

describe('a backfill that gets no connection', function () {
  this.timeout(120_000);

  it('says why it waits, goes on when there is one, and ends no stream', async () => {
    const on = await captured('create table items (id int primary key); insert into items values (1)', {
      as: 'plain',
      settings: { ssl: 'prefer' },
    });
    try {
      const sinkNo = await on.addSink(sinkSettings({ name: 'worker', destination: PULL }));
      on.start();
      await on.streaming();
      const streamed = async () =>
        (await on.messages.db.query('select generation, state from millrace_private.positions')).rows;
      const before = await streamed();
      const { user } = on.declared.address;
      // The stream has more already.
      await on.source.query(`alter role ${user} connection limit 1`);
      await on.messages.db.query(`select millrace.backfill('worker', 'items')`);
      const why = await until('it says why it waits', async () => {
        const [status] = await backfillsOf(on.messages.db);
        return status?.reason != null && `${status.state}: ${status.reason} | ${status.remedy}`;
      });
      expect(why).to.match(/^waiting: too many connections for role .* \| .*connection limit of the role/);
      await on.source.query('insert into items values (2)');
      await on.received(sinkNo, 1);
      expect(await streamed()).to.deep.equal(before);
      await on.source.query(`alter role ${user} connection limit -1`);
      await until('it is done', async () => (await backfillsOf(on.messages.db))[0]?.state === 'done');
      expect((await on.received(sinkNo, 3)).map(({ action }) => action)).to.deep.equal(['insert', 'read', 'read']);
    } finally {
      await on.close();
    }
  });
});
