/** A server with room for few locks, as one of a small plan has: what does not fit at once is said, with what to do. */
import { expect } from 'chai';
import { changeCatalog } from '../../../src/catalog/apply/transaction.ts';
import { migrateSchema } from '../../../src/db/migrate.ts';
import { openPool } from '../../../src/db/pool.ts';
import { MillraceError } from '../../../src/model/errors.ts';
import { startCluster } from '../../support/postgres/postgres.ts';

describe('a change of the catalog that needs more locks than the server has', () => {
  it('is refused as a whole, and says which setting is too small', async () => {
    const limits = { max_locks_per_transaction: '10', max_connections: '20', max_wal_senders: '2' };
    const cluster = await startCluster({ settings: limits });
    const database = await cluster.createDatabase();
    const options = { address: database.url, max: 1, applicationName: 'millrace test' };
    const db = openPool(options);
    try {
      await migrateSchema({ log: { info: () => undefined, warn: () => undefined } }, options);
      const refused: unknown = await changeCatalog(db, (tx) =>
        tx.query('select pg_advisory_xact_lock(n) from generate_series(1, 1000000) n'),
      ).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(MillraceError).and.to.have.property('code', 'unavailable');
      expect(refused).to.have.property('remedy').that.contains('max_locks_per_transaction');
      expect(await changeCatalog(db, async () => 'as before')).to.equal('as before');
    } finally {
      await db.close();
      await cluster.stop();
    }
  });
});
