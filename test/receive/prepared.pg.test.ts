/** A consumer of whose transactions one was prepared for a two-phase commit: it holds its locks, though no session does. */
import { expect } from 'chai';
import { type ConsumerFacts, checkConsumer } from '../../src/checks/consumer.ts';
import { migrateSchema } from '../../src/db/migrate.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import { statement } from '../../src/db/statement.ts';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { type Cluster, startCluster } from '../support/postgres/postgres.ts';
import { pullFrom } from '../support/pull/pull.ts';
import { until } from '../support/until.ts';

describe('receive: a transaction that is prepared', () => {
  let cluster: Cluster;
  let db: Database;
  before(async () => {
    cluster = await startCluster({ settings: { max_prepared_transactions: '2' } });
    const { url: address } = await cluster.createDatabase();
    const options = { address, max: 2, applicationName: 'millrace test' };
    await migrateSchema({ log: { info: () => undefined, warn: () => undefined } }, options);
    db = openPool({ ...options, path: 'role' });
  });
  after(async () => {
    await db?.close();
    await cluster?.stop();
  });

  it('is named as long as it keeps others waiting', async () => {
    const { no, name } = await addPullSink(db, { name: 'prepared' });
    const [id] = await appendMessages(db, no, [{ group: 1 }]);
    await db.session(async (client) => {
      await client.query('begin');
      await client.query(`select from millrace.receive('${name}', 1)`);
      await client.query("prepare transaction 'forgotten'");
    });
    const named = async (): Promise<object | undefined> => {
      const sql = 'select blocked_by, blocked_by_prepared from millrace.consumer_status where sink_name = $1';
      return (await db.query(sql, [name])).rows[0];
    };
    const prepared = async () => {
      const found = await named();
      return found && 'blocked_by_prepared' in found && found.blocked_by_prepared !== null && found;
    };
    expect(await until('it is named', prepared)).to.deep.equal({
      blocked_by: null,
      blocked_by_prepared: ['forgotten'],
    });
    // The doctor names those that last for longer.
    const { rows } = await db.query<ConsumerFacts>(statement('admin/doctor/consumers').text.replace("'10 s'", "'0 s'"));
    const [{ sql } = { sql: null }] = checkConsumer(rows[0]!);
    expect(sql).to.equal("rollback prepared 'forgotten'");
    await db.query(sql!);
    expect(await named()).to.deep.equal({ blocked_by: null, blocked_by_prepared: null });
    expect((await pullFrom(db, no).receive(1)).ids).to.deep.equal([id]);
  });
});
