/**
 * A message database for tests: cloned from a template that was migrated once in this process.
 */

import { migrateSchema } from '../../../src/db/migrate.ts';
import { type Database, openPool } from '../../../src/db/pool.ts';
import { AS_PLAIN, asPlainOwner } from './plain-role.ts';
import { sharedCluster, type TestDatabase } from './postgres.ts';

export interface MessageDatabase {
  db: Database;
  url: string;
  drop(): Promise<void>;
}

let template: Promise<TestDatabase> | undefined;

async function migratedTemplate(): Promise<TestDatabase> {
  const database = await (await sharedCluster()).createDatabase();
  await migrateSchema(
    { log: { info: () => undefined, warn: () => undefined } },
    { address: AS_PLAIN ? await asPlainOwner(database) : database.url, max: 1, applicationName: 'millrace test' },
  );
  return database;
}

/** A fresh, migrated database with a pool on it; `drop` closes both. */
export async function messageDatabase(max = 8): Promise<MessageDatabase> {
  template ??= migratedTemplate();
  const database = await (await sharedCluster()).createDatabase({ template: (await template).name });
  const url = AS_PLAIN ? await asPlainOwner(database) : database.url;
  const db = openPool({ address: url, max, applicationName: 'millrace test', path: 'role' });
  return {
    db,
    url,
    async drop() {
      await db.close();
      await database.drop();
    },
  };
}
