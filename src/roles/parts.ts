/** What every role has in common. */
import type { Waiting } from '../db/message-database.ts';
import type { Queryable } from '../db/pool.ts';
import { readSchemaVersion, SCHEMA, schemaFault } from '../db/schema-version.ts';
import { MillraceError } from '../model/errors.ts';
import type { Service } from '../runtime/service.ts';
import type { Settings } from '../runtime/settings.ts';
import type { OpenReporting } from './reporting.ts';

/** What a role is made of; `close` frees what is no service, after all services have ended. */
export interface Parts {
  services: Service[];
  close(): Promise<void>;
}

/** Builds a role, once the message database can be reached. */
export type OpenParts = (settings: Settings, waiting: Waiting, report?: OpenReporting) => Promise<Parts>;

/**
 * A role that the schema of a later release no longer serves ends at once, before it stands in the way of those that it serves.
 * Where there is no schema yet, or the database is away, it waits like others.
 * @throws MillraceError unavailable
 */
export async function refuseLaterSchema(db: Queryable): Promise<void> {
  const stored = await readSchemaVersion(db).catch(() => undefined);
  const fault = stored && stored.version > SCHEMA.version ? schemaFault(stored) : undefined;
  if (fault) throw fault;
}

/**
 * A role with another SECRET_KEY than the others could open nothing, and would stand in their way: it ends at once. What
 * else goes wrong here is tried again by whoever needs the catalog.
 * @throws MillraceError bad_setting
 */
export async function refuseWrongKey(load: () => Promise<unknown>): Promise<void> {
  await load().catch((error: unknown) => {
    if (error instanceof MillraceError && error.code === 'bad_setting') throw error;
  });
}
