/** The role `web`: the HTTP API. Three connections to the message database, and one that listens. */
import { findToken } from '../catalog/tokens.ts';
import { openListener } from '../db/listen.ts';
import { openPool } from '../db/pool.ts';
import { openWeb } from '../http/web.ts';
import type { Log } from '../runtime/log.ts';
import { createMetrics } from '../runtime/metrics.ts';
import type { Settings } from '../runtime/settings.ts';
import { lostConnection, messageDatabase, type Parts } from './connect.ts';

export async function webParts(settings: Settings, log: Log): Promise<Parts> {
  const options = { ...(await messageDatabase(settings, 'web')), queue: true, onError: lostConnection(log) };
  const db = openPool({ ...options, max: 3 });
  const listener = openListener({ ...options, max: 1 }, { log });
  const metrics = createMetrics();
  const web = await openWeb(
    { db, listener, log, metrics, findToken: (token) => findToken(db, token) },
    { host: settings.host, port: settings.port },
  );
  return { services: [listener, web], close: () => db.close() };
}
