/** Extensions for tests that need one: of the machine's Postgres 15, and pg_partman 5 for the embedded server. */
import { existsSync } from 'node:fs';
import { chmod, cp, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { hasPostgres15 } from './postgres.ts';

/** Laid there by .ci/fetch-pg_partman-5. */
const PARTMAN_5 = path.join(import.meta.dirname, '../../../node_modules/.cache/pg_partman-5');

export function hasExtension15(name: 'pg_cron' | 'pg_partman'): boolean {
  return hasPostgres15() && existsSync(`/usr/share/postgresql/15/extension/${name}.control`);
}

/** In one line, why pg_partman 5 cannot be run here; undefined when it can. */
export function partman5Obstacle(): string | undefined {
  if (existsSync(path.join(PARTMAN_5, 'extension/pg_partman.control'))) return undefined;
  return 'pg_partman 5 is not tested: its files are not here (.ci/fetch-pg_partman-5 fetches them on Debian)';
}

/** A server setting that lets Postgres 18 find pg_partman 5, in a folder that the server's account can read. */
export async function withPartman5(): Promise<{ settings: Record<string, string>; remove(): Promise<void> }> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'millrace-partman-5-'));
  await chmod(dir, 0o755);
  await cp(PARTMAN_5, dir, { recursive: true });
  return {
    settings: { extension_control_path: `$system:${dir}` },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
}
