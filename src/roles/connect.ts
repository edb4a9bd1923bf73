/** The message database, as every role reaches it. */
import type { PoolOptions } from '../db/pool.ts';
import { preferTls } from '../db/ssl.ts';
import type { Log } from '../runtime/log.ts';
import type { Settings } from '../runtime/settings.ts';

/** How the message database is reached; with TLS where it speaks it. */
export async function messageDatabase(settings: Settings, role: string): Promise<PoolOptions> {
  const options = { address: settings.databaseUrl, max: 1, applicationName: `millrace ${role}` };
  if (settings.databaseCaCert === null) return await preferTls(options);
  return { ...options, ssl: { ca: settings.databaseCaCert, rejectUnauthorized: true } };
}

export const lostConnection =
  (log: Log) =>
  (error: Error): void =>
    log.warn({ err: error }, 'a connection to the message database was lost');
