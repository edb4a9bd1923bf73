/** Extensions of the machine's Postgres 15, for tests that need one. */
import { existsSync } from 'node:fs';
import { hasPostgres15 } from './postgres.ts';

export function hasExtension15(name: 'pg_cron' | 'pg_partman'): boolean {
  return hasPostgres15() && existsSync(`/usr/share/postgresql/15/extension/${name}.control`);
}
