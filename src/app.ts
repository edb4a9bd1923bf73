/**
 * The composition root: builds the parts of each role from its settings, in order, and closes them last-in first-out.
 */
import { migrateSchema } from './db/migrate.ts';
import type { PoolOptions } from './db/pool.ts';
import { backoffMs, RECONNECT } from './runtime/backoff.ts';
import { createLog } from './runtime/log.ts';
import { type Service, supervise } from './runtime/service.ts';
import type { Settings } from './runtime/settings.ts';

export type Role = 'web' | 'worker' | 'capture';

/** Runs a role until the signal. */
export async function runRole(role: Role, settings: Settings, signal: AbortSignal): Promise<void> {
  const log = createLog({ level: settings.logLevel, role });
  const services: Service[] = [];
  log.info({ services: services.map(({ name }) => name) }, 'started');
  const backoff = (attempt: number): number => backoffMs(attempt, RECONNECT, Math.random());
  await supervise(services, { log, backoff }).run(signal);
  log.info('stopped');
}

/** Brings the message database to this release. */
export async function migrate(settings: Settings): Promise<void> {
  const log = createLog({ level: settings.logLevel, role: 'migrate' });
  await migrateSchema({ log }, messageDatabase(settings, { max: 1, applicationName: 'millrace migrate' }));
}

/** How the message database is reached. */
export function messageDatabase(settings: Settings, options: { max: number; applicationName: string }): PoolOptions {
  const ssl =
    settings.databaseCaCert === null ? {} : { ssl: { ca: settings.databaseCaCert, rejectUnauthorized: true } };
  return { address: settings.databaseUrl, ...ssl, ...options };
}
