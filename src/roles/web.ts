/** The role `web`: the HTTP API. Three connections to the message database, and one that listens and answers for health. */
import { openTokens } from '../catalog/tokens.ts';
import { openListener } from '../db/listen.ts';
import { openPool } from '../db/pool.ts';
import { openWeb } from '../http/web.ts';
import type { Log } from '../runtime/log.ts';
import { createMetrics } from '../runtime/metrics.ts';
import type { Settings } from '../runtime/settings.ts';
import { lostConnection, messageDatabase, type Parts } from './connect.ts';

const CONNECTIONS = 3;

export async function webParts(settings: Settings, log: Log): Promise<Parts> {
  const options = { ...(await messageDatabase(settings, 'web')), queue: true, onError: lostConnection(log) };
  const db = openPool({ ...options, max: CONNECTIONS });
  // It answers for health too: who asks for that waits no longer than this, and notifications should not either.
  const listener = openListener({ ...options, max: 1, statementTimeoutMs: 5_000 }, { log });
  const tokens = openTokens({ db, listener });
  const metrics = createMetrics();
  const web = await openWeb(
    { db, connections: CONNECTIONS, health: listener, listener, log, metrics, findToken: tokens.find },
    { host: settings.host, port: settings.port },
  );
  return { services: [listener, web], close: () => db.close() };
}
