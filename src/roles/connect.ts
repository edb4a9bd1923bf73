/** What every role has in common: its parts, and how it reaches the message database. */
import type { PoolOptions } from '../db/pool.ts';
import { refuseSharedSessions } from '../db/pooler.ts';
import { preferTls, reached } from '../db/ssl.ts';
import { MillraceError, messageOf } from '../model/errors.ts';
import type { Log } from '../runtime/log.ts';
import type { Service } from '../runtime/service.ts';
import type { Settings } from '../runtime/settings.ts';

/** What a role is made of; `close` frees what is no service, after all services have ended. */
export interface Parts {
  services: Service[];
  close(): Promise<void>;
}

/** A statement is cancelled by Postgres after 30 s: who has not answered by then is gone. */
const QUERY_TIMEOUT_MS = 40_000;

/**
 * How the message database is reached; with TLS where it speaks it. Connects once.
 * @throws MillraceError unavailable, naming DATABASE_URL, with what the server or the network said; bad_setting for a pooler
 * that shares sessions.
 */
export async function messageDatabase(
  settings: Pick<Settings, 'databaseUrl' | 'databaseCaCert'>,
  role: string,
): Promise<PoolOptions> {
  const options = {
    address: settings.databaseUrl,
    max: 1,
    applicationName: `millrace ${role}`,
    queryTimeoutMs: QUERY_TIMEOUT_MS,
  };
  try {
    const reachable =
      settings.databaseCaCert === null
        ? await preferTls(options)
        : await reached({ ...options, ssl: { ca: settings.databaseCaCert, rejectUnauthorized: true } });
    await refuseSharedSessions(reachable, 'DATABASE_URL');
    return reachable;
  } catch (cause) {
    if (cause instanceof MillraceError) throw cause;
    const message = `the database cannot be used: ${messageOf(cause)}`;
    const remedy = 'Check host, port, user, password and database name, and that the server runs and lets us in.';
    const field = 'DATABASE_URL';
    throw new MillraceError('unavailable', `${field}: ${message}`, { faults: [{ field, message, remedy }], cause });
  }
}

export const lostConnection =
  (log: Log) =>
  (error: Error): void =>
    log.warn({ err: error }, 'a connection to the message database was lost');

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
