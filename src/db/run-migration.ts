/**
 * node-pg-migrate's door. It runs one migration and notes it in its list, `millrace_private.migrations`, within a transaction
 * of ours, which also applies the definitions: so it gets a connection that leaves out its own `begin`, `commit` and `rollback`,
 * and takes no lock of its own, which anybody could hold (docs/decisions/0013-locks-on-tables.md).
 */
import { fileURLToPath } from 'node:url';
import { runner } from 'node-pg-migrate';
import type { Connection } from './pool.ts';

const DIR = fileURLToPath(new URL('../../migrations', import.meta.url));
const OF_A_TRANSACTION = /^(begin|commit|rollback);?$/i;

/** `name`: without `.sql`. Throws what Postgres says, and when an earlier one is missing. */
export async function runMigration(client: Connection, name: string): Promise<void> {
  const within = new Proxy(client, {
    get: (target, property) => (property === 'query' ? query : Reflect.get(target, property, target)),
  });
  const query = async (sql: string, values?: unknown[]) =>
    OF_A_TRANSACTION.test(sql) ? { rows: [] } : await client.query(sql, values);
  await runner({
    dbClient: within,
    dir: DIR,
    file: name,
    direction: 'up',
    migrationsTable: 'migrations',
    migrationsSchema: 'millrace_private',
    noLock: true,
    singleTransaction: true,
    log: () => undefined,
  });
}
