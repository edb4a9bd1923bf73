/** A pooler before a source: what is wrong and what to do is the state of the database, whatever the mode. */
import { expect } from 'chai';
import { captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { ofReplication } from '../support/postgres/capture-way.ts';
import { hasPgbouncer, startPgbouncer } from '../support/postgres/pgbouncer.ts';
import { sharedCluster } from '../support/postgres/postgres.ts';

const CASES = [
  [{ pool_mode: 'session' }, /^the address leads to a connection pooler that passes no replication on: /],
  [
    { pool_mode: 'session', ignore_startup_parameters: 'replication' },
    /^the address leads to a connection pooler that passes no replication on: /,
  ],
  [
    { pool_mode: 'transaction' },
    /^The address of database shop leads to a connection pooler in transaction or statement mode/,
  ],
  [
    { pool_mode: 'statement' },
    /^The address of database shop leads to a connection pooler in transaction or statement/,
  ],
] as const;

describe('capture through pgbouncer', () => {
  before(function () {
    if (!hasPgbouncer()) this.skip();
  });

  for (const [settings, reason] of CASES) {
    // What triggers note needs no replication.
    const place =
      settings.pool_mode === 'session' ? ofReplication('a session of its own is all that triggers need') : { it };
    place.it(`${JSON.stringify(settings)} is an error with a remedy, and nothing is made in the source`, async () => {
      const database = await (await sharedCluster()).createDatabase();
      const pooler = await startPgbouncer(database.url, settings);
      const on = await captured('create table t (id int primary key)', { database, through: () => pooler.url });
      try {
        await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
        on.start();
        const said = await on.becomes('error');
        expect(said.reason).to.match(reason);
        expect(said.remedy).to.contain('the address of Postgres itself');
        const { rowCount } = await on.source.query('select from pg_replication_slots where slot_name = $1', [on.slot]);
        expect(rowCount).to.equal(0);
        expect((await on.source.query('select from pg_publication')).rowCount).to.equal(0);
      } finally {
        await on.close();
        await pooler.stop();
        await database.drop();
      }
    });
  }

  it('of sessions serves capture by triggers, also after the sessions behind it were ended', async () => {
    const database = await (await sharedCluster()).createDatabase();
    const pooler = await startPgbouncer(database.url, { pool_mode: 'session' });
    const on = await captured('create table t (id int primary key)', {
      database,
      through: () => pooler.url,
      settings: { capture: 'triggers' },
    });
    try {
      const sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
      await on.source.query('insert into t values (1)');
      await on.received(sink, 1);
      await on.source.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await on.source.query('insert into t values (2)');
      expect((await on.received(sink, 2)).map(({ record_pks: key }) => key)).to.deep.equal(['["1"]', '["2"]']);
    } finally {
      await on.close();
      await pooler.stop();
      await database.drop();
    }
  });
});
