/**
 * The web role as one service: the server with its routes, who waits and what they remember. Consumers and tokens
 * share the connections: none gets all of them, so that there is always one for the others, and health has its own. It listens from the
 * moment it is opened. On stop whoever waits for messages gets an empty answer, requests under way are finished.
 */
import type { TryFunctions } from '../admin/try-functions.ts';
import type { Database, Queryable } from '../db/pool.ts';
import { type Counters, NO_COUNTERS } from '../messages/counters.ts';
import { isLoopback } from '../model/loopback.ts';
import { type Notifications, openConsumers } from '../receive/consumer.ts';
import { openDesks } from '../receive/desks.ts';
import { openReaders } from '../receive/readers.ts';
import { openWakeups } from '../receive/wakeups.ts';
import type { PrivateAllowed } from '../runtime/addresses.ts';
import type { Resolver } from '../runtime/checked-lookup.ts';
import { createPlaces, type Places } from '../runtime/concurrency/places.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { KeyRing } from '../runtime/secret-key.ts';
import type { ShownSetting } from '../runtime/shown-settings.ts';
import type { AdmissionOptions } from './admission.ts';
import type { FindToken } from './auth.ts';
import type { ConsoleFiles } from './console-files.ts';
import type { Examine } from './examinations.ts';
import { lazily } from './lazily.ts';
import { createRevoked } from './revoked.ts';
import type { Mount } from './route.ts';
import { consoleBuild, consoleRoutes } from './routes/console.ts';
import { healthRoutes } from './routes/health.ts';
import { metricsRoutes } from './routes/metrics.ts';
import { type PullOptions, pullRoutes } from './routes/pull.ts';
import { createServer, type HttpServer, type ServerLimits, type ServerLog } from './server.ts';

export interface WebDependencies {
  db: Database;
  /** Connections of `db`; 3. */
  connections?: number;
  /** A connection that no request can keep busy, for health; `db` if absent. */
  health?: Queryable;
  listener: Notifications;
  log: ServerLog;
  findToken: FindToken;
  /** What sealed the secrets. */
  keys: KeyRing;
  /** What is wrong, looked at now. */
  examine: Examine;
  privateAllowed: PrivateAllowed;
  /** Of the names of servers; by the system, if absent. */
  resolver?: Resolver | undefined;
  metrics?: Metrics;
  counters?: Counters;
  /** One that listens already; absent: a new one. */
  server?: HttpServer | undefined;
  /** For people to see; absent: none. */
  settings?: readonly ShownSetting[];
  /** The web console; absent: it is not built. */
  console?: ConsoleFiles | undefined;
}

export interface WebOptions {
  /** Null: all addresses. */
  host: string | null;
  /** 0: any free one. */
  port: number;
  pull?: PullOptions;
  /** Of requests to the management routes. */
  management?: AdmissionOptions;
  /** How long requests under way may take on stop; 5,000. */
  graceMs?: number;
  /** How long an answer of the database on health and sinks is given again; 1,000. */
  keepHealthMs?: number;
  limits?: ServerLimits;
  /** BASE_URL: by which address people come; null: unknown. */
  baseUrl?: string | null;
  /** TRUST_PROXY: how many proxies say where a request comes from; 0. */
  proxies?: number;
  /** ALLOWED_HOSTS; null: loopback names where we listen on a loopback address, else all. */
  allowedHosts?: readonly string[] | null;
}

const CONNECTIONS = 3;

/** Statements that take their turn with those of the consumers. */
function inPlaces(places: Places, db: Queryable, name: string): Queryable {
  return { query: (statement, values) => places.take([name], () => db.query(statement, values)) };
}

/** A Service (runtime/service.ts) that knows its port. */
export interface Web {
  readonly name: string;
  readonly port: number;
  /** Requests that wait for messages, by the number of the consumer. */
  waiting(): Record<number, number>;
  run(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** Listens. @throws as `tryPort`. */
export async function openWeb(deps: WebDependencies, options: WebOptions): Promise<Web> {
  const { db, listener, log, findToken, keys, examine, privateAllowed, metrics, counters = NO_COUNTERS } = deps;
  const loopbackOnly = isLoopback(options.host);
  const connections = deps.connections ?? CONNECTIONS;
  const places = createPlaces({ places: connections, each: Math.max(1, connections - 1) });
  const wakeups = openWakeups({ db: inPlaces(places, db, 'give back'), listener, log });
  const desks = openDesks({ db, take: places.take });
  const consumers = openConsumers({ db, listener });
  const revoked = createRevoked({ findToken, consumers });
  let functions: TryFunctions | undefined;
  const readers = openReaders({
    db: inPlaces(places, db, 'readers'),
    onError: (err) => log.warn({ err }, 'who receives could not be written'),
  });
  const routes: Mount[] = [
    ...(deps.console === undefined ? [] : [consoleBuild(deps.console)]),
    healthRoutes({ db: deps.health ?? db, keepMs: options.keepHealthMs, baseUrl: options.baseUrl ?? null }),
    ...(metrics === undefined
      ? []
      : [metricsRoutes({ db: inPlaces(places, db, 'metrics'), metrics, waiting: wakeups.waiting })]),
    pullRoutes(
      { db, desks, wakeups, consumers, findToken, log, places, revoked, metrics, counters, readers },
      { proxies: options.proxies, ...options.pull },
    ),
    lazily('/api/', async () => {
      const { managementRoutes } = await import('./management.ts');
      const { openTryFunctions } = await import('../admin/try-functions.ts');
      functions = openTryFunctions(log);
      return managementRoutes(
        {
          ...{ db, places, findToken, listener, keys, log, loopbackOnly, examine, privateAllowed, functions },
          resolver: deps.resolver,
          settings: deps.settings ?? [],
        },
        { proxies: options.proxies, keepMs: options.keepHealthMs, admission: options.management },
      );
    }),
    consoleRoutes(deps.console),
  ];
  const server = deps.server ?? createServer({ log, routes: [] }, options.limits);
  server.serve({ log, routes, metrics, allowedHosts: options.allowedHosts });
  const port = server.port ?? (await server.listen(options));
  log.info({ host: options.host ?? '*', port }, 'listening');

  const close = async (): Promise<void> => {
    wakeups.close();
    consumers.close();
    revoked.close();
    await server.close(options.graceMs);
    await functions?.close();
    await readers.close();
  };
  return {
    name: 'web',
    port,
    waiting: wakeups.waitingBy,
    async run(signal) {
      if (!signal.aborted) {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      }
      await close();
    },
    close,
  };
}
