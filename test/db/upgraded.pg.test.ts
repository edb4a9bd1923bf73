/** A message database that an older release made, brought to this one: its schema is the one that is made from nothing. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { migrateSchema } from '../../src/db/migrate.ts';
import { openPool, type PoolOptions } from '../../src/db/pool.ts';
import { readSchemaVersion, SCHEMA } from '../../src/db/schema-version.ts';
import { dumpSchema } from '../support/postgres/dump-schema.ts';
import { sharedCluster } from '../support/postgres/postgres.ts';
import { unpackReleased } from '../support/processes/released.ts';

const FRESH = new URL('../schema.sql', import.meta.url);
const LEFT = 'what has lost its file is dropped in sql/schema/dropped.sql';
const DEPS = { log: { info: () => undefined, warn: () => undefined } };

describe('a database that an older release made', () => {
  for (let version = 1; version < SCHEMA.version; version += 1) {
    it(`has the schema of a new one once it is migrated from version ${version}`, async () => {
      const former = await unpackReleased(version);
      const database = await (await sharedCluster()).createDatabase();
      const options: PoolOptions = { address: database.url, max: 1, applicationName: 'millrace test' };
      const db = openPool({ ...options, path: 'role' });
      try {
        const older: { migrateSchema: typeof migrateSchema } = await import(
          new URL('db/migrate.ts', pathToFileURL(former.main)).href
        );
        await older.migrateSchema(DEPS, options);
        expect(await readSchemaVersion(db)).to.have.property('version', version);
        await migrateSchema(DEPS, options);
        expect(await readSchemaVersion(db)).to.deep.equal(SCHEMA);
        expect(await dumpSchema(db), LEFT).to.equal(readFileSync(FRESH, 'utf8'));
      } finally {
        await db.close();
        await database.drop();
        await former.remove();
      }
    });
  }
});
