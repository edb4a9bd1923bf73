/** The role `capture`: one capture for each source database. Two connections to the message database. */
import { openBackfills } from '../backfill/service.ts';
import { openCaptures } from '../capture/service.ts';
import { loadCatalog } from '../catalog/store.ts';
import { fullServer, lostConnection, messageDatabase, type Waiting } from '../db/message-database.ts';
import { openPool } from '../db/pool.ts';
import { keyRing } from '../runtime/secret-key.ts';
import type { Settings } from '../runtime/settings.ts';
import { type Parts, refuseLaterSchema, refuseWrongKey } from './parts.ts';
import { openOwnMetrics, openReporting, stagesIn } from './reporting.ts';

const CONNECTIONS = { max: 2, least: 1 };

export async function captureParts(settings: Settings, waiting: Waiting, report = openReporting): Promise<Parts> {
  const { log } = waiting;
  const options = await messageDatabase(settings, 'capture', waiting);
  const db = openPool({ ...options, ...CONNECTIONS, onError: lostConnection(log), onFull: fullServer(log) });
  const keys = keyRing(settings);
  const { counters, services } = report({ db, log }, { role: 'capture', keys });
  const own = await openOwnMetrics(settings, log);
  const persistedHere = own?.metrics.counter({
    name: 'process_persisted_messages_total',
    help: 'Messages that this capture has persisted',
  });
  const load = () => loadCatalog(db, keys, settings.privateAllowed);
  await refuseLaterSchema(db);
  await refuseWrongKey(load);
  const captures = openCaptures({
    messages: db,
    load,
    log,
    onPersisted: (sinks) => {
      for (const [sinkNo, { messages: persisted, bytes, parked }] of sinks) {
        counters.add(sinkNo, { persisted, bytes, parked });
        persistedHere?.inc(persisted);
      }
    },
    beside: openBackfills({ messages: db, log, load }),
    ...(own && { stages: stagesIn(own.metrics) }),
  });
  return { services: [...services, ...(own?.services ?? []), captures], close: () => db.close() };
}
