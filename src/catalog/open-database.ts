/** Connections to databases that are declared, for whoever writes into them, or looks. */
import { type Database, openPool } from '../db/pool.ts';
import { refuseSharedSessions } from '../db/pooler.ts';
import { optionsOf } from '../db/tls.ts';
import { MillraceError } from '../model/errors.ts';
import type { Log } from '../runtime/log.ts';
import type { OpenDatabase } from '../sinks/contract.ts';
import type { Catalog, CatalogDatabase } from './store.ts';

export function openDatabaseOf(deps: { messages: Database; log: Log }, catalog: Catalog): OpenDatabase {
  return async ({ name, use, database, pool = {} }) => {
    const declared = catalog.databases.find(({ settings }) => settings.name === name);
    if (!declared) throw new MillraceError('bad_destination', `database ${name} is not declared`);
    const address = { ...declared.address(), ...(database === undefined ? {} : { database }) };
    const options = await optionsOf({ ...declared, address }, { max: 1, applicationName: `millrace ${use}` });
    const onError = (err: Error): void =>
      deps.log.warn({ err, database: name }, 'a connection to a declared database was lost');
    // The role asked the message database when it started: the two connections that it takes would go beyond the role's own.
    const ours = deps.messages.pool.options;
    const isOurs = (['host', 'port', 'database', 'user'] as const).every((part) => address[part] === ours[part]);
    return {
      db: openPool({ ...options, ...pool, onError }),
      refuseSharedSessions: async () => {
        if (!isOurs) await refuseSharedSessions(options, `The address of database ${name}`);
      },
    };
  };
}

/** For somebody who waits: one connection, no statement beyond so many milliseconds. @throws what the server or the network says. */
export async function openCatalogDatabase(
  database: CatalogDatabase,
  { use, statementMs }: { use: string; statementMs: number },
): Promise<Database> {
  const address = database.address();
  const options = await optionsOf({ ...database, address }, { max: 1, applicationName: `millrace ${use}` });
  return openPool({
    ...options,
    statementTimeoutMs: statementMs,
    queryTimeoutMs: statementMs + 1_000,
    onError: () => undefined,
  });
}
