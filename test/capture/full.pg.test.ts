/** A source that has no further connection to spare, while its stream goes on. */
import { expect } from 'chai';
import { captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { BY_TRIGGERS } from '../support/postgres/capture-way.ts';
import { startSourceServer } from '../support/postgres/source-server.ts';
import { until } from '../support/until.ts';

describe('a source without a connection to spare', function () {
  this.timeout(120_000);

  it('is streamed on, and it is said that it cannot be checked', async function () {
    // A server that does not tell who it is over SQL is asked over a further connection; triggers do not need it.
    if (BY_TRIGGERS) this.skip();
    const server = await startSourceServer({ settings: { max_wal_senders: '1' } });
    const on = await captured(
      'create table items (id int primary key); revoke execute on function pg_control_system() from public',
      { database: server.database, as: 'plain', timing: { checkMs: 300 } },
    );
    try {
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      const { reason, remedy } = await until('it is said', async () => {
        const now = await on.state();
        return now.state === 'streaming' && now.reason?.includes('could not be checked') && now;
      });
      expect(reason).to.match(/max_wal_senders/);
      expect(remedy).to.match(/raise max_wal_senders/);
      const generation = async () =>
        (await on.messages.db.query('select generation from millrace_private.positions')).rows[0];
      const before = await generation();
      await on.source.query('insert into items values (1)');
      expect(await on.received(sink, 1)).to.have.length(1);
      await on.source.query('grant execute on function pg_control_system() to public');
      await until('all is well', async () => (await on.state()).reason === null);
      expect(await generation()).to.deep.equal(before);
    } finally {
      await on.close();
      await server.close();
    }
  });
});
