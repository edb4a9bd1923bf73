/**
 * The web role as one service: the server with its routes, the waiting lines and what they remember. It listens from the
 * moment it is opened. On stop whoever waits for messages gets an empty answer, requests under way are finished.
 */
import type { Database } from '../db/pool.ts';
import { type Notifications, openConsumers } from '../receive/consumer.ts';
import { openLines } from '../receive/lines.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { FindToken } from './auth.ts';
import type { Mount } from './route.ts';
import { healthRoutes } from './routes/health.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { type PullOptions, pullRoutes } from './routes/pull.ts';
import { createServer, type ServerLog } from './server.ts';

export interface WebDependencies {
  db: Database;
  listener: Notifications;
  log: ServerLog;
  findToken: FindToken;
  metrics?: Metrics;
  /** Other parts of the API, and the console. */
  routes?: readonly Mount[];
}

export interface WebOptions {
  /** Null: all addresses. */
  host: string | null;
  /** 0: any free one. */
  port: number;
  pull?: PullOptions;
  /** How long requests under way may take on stop; 5,000. */
  graceMs?: number;
}

/** A Service (runtime/service.ts) that knows its port. */
export interface Web {
  readonly name: string;
  readonly port: number;
  run(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Listens. Throws EADDRINUSE and the like. */
export async function openWeb(deps: WebDependencies, options: WebOptions): Promise<Web> {
  const { db, listener, log, findToken, metrics } = deps;
  const lines = openLines({ db, listener, log });
  const consumers = openConsumers({ db, listener });
  const routes: Mount[] = [
    healthRoutes({ db }),
    ...(metrics === undefined ? [] : [metricsRoutes({ db, metrics, waiting: lines.waiting })]),
    pullRoutes({ db, lines, consumers, findToken, log, metrics }, options.pull),
    ...(deps.routes ?? []),
  ];
  const server = createServer({ log, routes, metrics });
  const port = await server.listen(options);
  log.info({ host: options.host ?? '*', port }, 'listening');

  const close = async (): Promise<void> => {
    lines.close();
    consumers.close();
    await server.close(options.graceMs);
  };
  return {
    name: 'web',
    port,
    async run(signal) {
      if (!signal.aborted) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      }
      await close();
    },
    close,
  };
}
