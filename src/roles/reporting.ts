/** What each role says of itself in the message database, that it is there and what it has done; and at a port of its own. */
import type { Queryable } from '../db/pool.ts';
import { type CountersService, openCounters } from '../messages/counters.ts';
import { openProcessSign } from '../messages/processes.ts';
import type { Log } from '../runtime/log.ts';
import { createMetrics, type Metrics } from '../runtime/metrics.ts';
import { openMetricsServer } from '../runtime/metrics-server.ts';
import type { KeyRing } from '../runtime/secret-key.ts';
import type { Service } from '../runtime/service.ts';
import type { Settings } from '../runtime/settings.ts';

export interface Reporting {
  counters: CountersService;
  /** Started first, so that they end last. */
  services: Service[];
}

export function openReporting(
  { db, log }: { db: Queryable; log: Pick<Log, 'warn'> },
  { role, keys }: { role: string; keys: KeyRing },
): Reporting {
  const onError = (error: unknown): void => log.warn({ err: error }, 'counters and signs of life could not be written');
  const counters = openCounters({ db, onError });
  return { counters, services: [counters, openProcessSign({ db, onError }, { role, keyId: keys.current.id })] };
}

/** Metrics of a role without an HTTP API; undefined without METRICS_PORT. */
export function openOwnMetrics(
  { metricsPort, host }: Pick<Settings, 'metricsPort' | 'host'>,
  log: Pick<Log, 'info'>,
): { metrics: Metrics; services: Service[] } | undefined {
  if (metricsPort === null) return undefined;
  const metrics = createMetrics();
  return { metrics, services: [openMetricsServer({ metrics, log }, { host, port: metricsPort })] };
}
