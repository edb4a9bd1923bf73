/** What each role says of itself in the message database, that it is there and what it has done; and at a port of its own. */
import type { Queryable } from '../db/pool.ts';
import { type Counters, openCounters } from '../messages/counters.ts';
import { openProcessSign, type ProcessSign } from '../messages/processes.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { KeyRing } from '../runtime/secret-key.ts';
import type { Service } from '../runtime/service.ts';
import type { Settings } from '../runtime/settings.ts';
import type { Stages } from '../runtime/stages.ts';

export interface Reporting {
  counters: Counters;
  /** Started first, so that they end last. */
  services: Service[];
}

/** How a role reports, unless it is told another way. */
export type OpenReporting = (
  deps: { db: Queryable; log: Pick<Log, 'warn'> },
  of: { role: string; keys: KeyRing; waiting?: ProcessSign['waiting'] },
) => Reporting;

export const openReporting: OpenReporting = ({ db, log }, { role, keys, waiting }) => {
  const onError = (error: unknown): void => log.warn({ err: error }, 'counters and signs of life could not be written');
  const counters = openCounters({ db, onError });
  return {
    counters,
    services: [counters, openProcessSign({ db, onError }, { role, keyId: keys.current.id, waiting })],
  };
};

/** Metrics of a role without an HTTP API; undefined without METRICS_PORT. */
export async function openOwnMetrics(
  { metricsPort, host }: Pick<Settings, 'metricsPort' | 'host'>,
  log: Pick<Log, 'info'>,
): Promise<{ metrics: Metrics; services: Service[] } | undefined> {
  if (metricsPort === null) return undefined;
  const [{ createMetrics }, { openMetricsServer }] = await Promise.all([
    import('../runtime/metrics.ts'),
    import('../runtime/metrics-server.ts'),
  ]);
  const metrics = createMetrics();
  return { metrics, services: [openMetricsServer({ metrics, log }, { host, port: metricsPort })] };
}

/** Seconds of each stage, as a histogram. */
export function stagesIn(metrics: Metrics): Stages<string> {
  const seconds = metrics.histogram({
    name: 'process_stage_seconds',
    help: 'How long the stages of a batch took in this process',
    labels: ['stage'],
  });
  return { took: (stage, ms) => seconds.observe({ stage }, ms / 1_000) };
}
