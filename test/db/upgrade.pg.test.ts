import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { runner } from 'node-pg-migrate';
import pg from 'pg';
import { migrateSchema } from '../../src/db/migrate.ts';
import { openPool } from '../../src/db/pool.ts';
import { addPullSink, appendMessages } from '../support/fixtures/fixtures.ts';
import { sharedCluster } from '../support/postgres/postgres.ts';

const MIGRATIONS = path.resolve(import.meta.dirname, '../../migrations');
/** The first release's: what a database in the field has at least. */
const FIRST_RELEASE = 6;

describe('an upgrade of a filled message database', () => {
  it('keeps every message, and hands them out afterwards', async () => {
    const database = await (await sharedCluster()).createDatabase();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await runner({
      dbClient: client,
      dir: MIGRATIONS,
      direction: 'up',
      count: FIRST_RELEASE,
      migrationsTable: 'schema_migrations',
      migrationsSchema: 'millrace_private',
      createMigrationsSchema: true,
      singleTransaction: false,
      log: () => undefined,
    });
    await client.end();
    const options = { address: database.url, max: 2, applicationName: 'millrace test' };
    const db = openPool(options);
    try {
      const { no } = await addPullSink(db, { name: 'worker' });
      const ids = await appendMessages(db, no, [{ group: 1 }, { group: 2 }, { group: 1 }]);
      const leased = await db.query<{ ack_id: string }>("select ack_id from millrace.receive('worker', 1)");

      const done = await migrateSchema({ log: { info: () => undefined } }, options);
      const all = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql'));
      expect(done).to.have.length(all.length - FIRST_RELEASE);
      expect(await migrateSchema({ log: { info: () => undefined } }, options), 'a second time').to.deep.equal([]);

      const acked = await db.query<{ ack: number }>("select millrace.ack('worker', $1::text[])", [
        leased.rows.map((row) => row.ack_id),
      ]);
      expect(acked.rows[0]!.ack).to.equal(1);
      const rest = await db.query<{ ack_id: string }>("select ack_id from millrace.receive('worker', 10)");
      expect(rest.rows.map((row) => Number(row.ack_id.slice(33))).toSorted()).to.deep.equal(ids.slice(1));
    } finally {
      await db.close();
      await database.drop();
    }
  });
});
