/** What every role has in common: its parts, and how it reaches the message database. */
import type { PoolOptions } from '../db/pool.ts';
import { preferTls } from '../db/ssl.ts';
import type { Log } from '../runtime/log.ts';
import type { Service } from '../runtime/service.ts';
import type { Settings } from '../runtime/settings.ts';

/** What a role is made of; `close` frees what is no service, after all services have ended. */
export interface Parts {
  services: Service[];
  close(): Promise<void>;
}

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
