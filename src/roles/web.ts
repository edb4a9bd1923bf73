/** The role `web`: the HTTP API. Three connections to the message database, and one that listens and answers for health. */

import { fileURLToPath } from 'node:url';
import { openTokens, refuseWeakTokens } from '../catalog/tokens.ts';
import { openListener } from '../db/listen.ts';
import { fullServer, lostConnection, messageDatabase, type Waiting } from '../db/message-database.ts';
import { openPool } from '../db/pool.ts';
import { type ConsoleFiles, readConsole } from '../http/console-files.ts';
import type { Examine } from '../http/examinations.ts';
import type { Mount } from '../http/route.ts';
import { consoleBuild, consoleRoutes } from '../http/routes/console.ts';
import { healthRoutes } from '../http/routes/health.ts';
import { createServer, type HttpServer } from '../http/server.ts';
import { openWeb, type Web } from '../http/web.ts';
import { MillraceError } from '../model/errors.ts';
import { isLoopback } from '../model/loopback.ts';
import { createMetrics } from '../runtime/metrics.ts';
import { keyRing } from '../runtime/secret-key.ts';
import type { Settings } from '../runtime/settings.ts';
import { shownSettings } from '../runtime/shown-settings.ts';
import type { Parts } from './parts.ts';
import { openReporting } from './reporting.ts';

const CONNECTIONS = 3;
const CONSOLE = fileURLToPath(new URL('../../dist/console/', import.meta.url));

/** Before there is a connection: nothing is known to be missing. */
const notYet = (): never => {
  throw new MillraceError('unavailable', 'The message database gives no connection yet');
};
const waitingRoutes = (files: ConsoleFiles | undefined): Mount[] => [
  ...(files === undefined ? [] : [consoleBuild(files)]),
  healthRoutes({ db: { query: async () => notYet() } }),
  consoleRoutes(files),
  (app) => void app.use(notYet),
];

export async function webParts(settings: Settings, waiting: Waiting, report = openReporting): Promise<Parts> {
  const { log } = waiting;
  const { host, port, allowedHosts } = settings;
  const console = await readConsole(CONSOLE);
  let server: HttpServer | undefined;
  // A platform that finds nobody at the port would end us.
  const onWait = async (): Promise<void> => {
    server = createServer({ log, routes: waitingRoutes(console), allowedHosts });
    await server.listen({ host, port });
  };
  const options = {
    ...(await messageDatabase(settings, 'web', { ...waiting, onWait })),
    queue: true,
    onError: lostConnection(log),
  };
  const db = openPool({ ...options, max: CONNECTIONS, least: 1, onFull: fullServer(log) });
  // It answers for health too: who asks for that waits no longer than this, and notifications should not either.
  const listener = openListener({ ...options, max: 1, statementTimeoutMs: 5_000, queryTimeoutMs: 10_000 }, { log });
  const loopbackOnly = isLoopback(host);
  if (!loopbackOnly) await refuseWeakTokens(db);
  const tokens = openTokens({ db, listener, loopbackOnly });
  const keys = keyRing(settings);
  const metrics = createMetrics();
  let web: Web | undefined;
  const { counters, services } = report({ db, log }, { role: 'web', keys, waiting: () => web?.waiting() ?? {} });
  // Loaded when somebody asks: nothing else here connects to sources and destinations.
  const examine: Examine = async (request) =>
    await (await import('../admin/doctor/examine.ts')).examine(
      { settings, log, now: Date.now },
      request,
      waiting.signal,
    );
  web = await openWeb(
    {
      db,
      connections: CONNECTIONS,
      health: listener,
      listener,
      log,
      metrics,
      counters,
      findToken: tokens.find,
      keys,
      examine,
      privateAllowed: settings.privateAllowed,
      settings: shownSettings(settings),
      server,
      console,
    },
    { host, port, allowedHosts, proxies: settings.trustProxy, baseUrl: settings.baseUrl },
  );
  return { services: [...services, listener, web], close: () => db.close() };
}
