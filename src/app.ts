/**
 * The composition root: builds the parts of each role from its settings, in order, and closes them last-in first-out.
 * A role loads only what it runs: memory is what a small machine has least of.
 */
import type { OpenParts } from './roles/parts.ts';
import type { OpenReporting } from './roles/reporting.ts';
import { backoffMs, RECONNECT } from './runtime/backoff.ts';
import { createLog } from './runtime/log.ts';
import { withoutRepeats } from './runtime/repeats.ts';
import { supervise } from './runtime/service.ts';
import type { Settings } from './runtime/settings.ts';

export type Role = 'web' | 'worker' | 'capture';

const ROLES: Record<Role, OpenParts> = {
  capture: async (...given) => await (await import('./roles/capture.ts')).captureParts(...given),
  worker: async (...given) => await (await import('./roles/worker.ts')).workerParts(...given),
  web: async (...given) => await (await import('./roles/web.ts')).webParts(...given),
};

/** Runs a role until the signal. `report`: not as roles report by themselves. */
export async function runRole(
  role: Role,
  settings: Settings,
  { signal, report }: { signal: AbortSignal; report?: OpenReporting },
): Promise<void> {
  const log = withoutRepeats(createLog({ level: settings.logLevel, role }));
  const parts = await ROLES[role](settings, { log, signal }, report).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    log.info({ err: error }, 'stopped before it could start');
  });
  if (!parts) return;
  log.info({ services: parts.services.map(({ name }) => name) }, 'started');
  const backoff = (attempt: number): number => backoffMs(attempt, RECONNECT, Math.random());
  await supervise(parts.services, { log, backoff }).run(signal);
  await parts.close();
  log.end();
  log.info('stopped');
}

/** Brings the message database to this release, and applies the configuration file if there is one. */
export async function migrate(settings: Settings): Promise<void> {
  await (await import('./roles/migrate.ts')).migrate(settings);
}
