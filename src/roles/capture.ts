/** The role `capture`: one capture for each source database. Two connections to the message database. */
import { openBackfills } from '../backfill/backfills.ts';
import { openCaptures } from '../capture/captures.ts';
import { loadCatalog } from '../catalog/store.ts';
import { openPool } from '../db/pool.ts';
import { openNotifier } from '../messages/notify.ts';
import type { Log } from '../runtime/log.ts';
import { keyRing } from '../runtime/secret-key.ts';
import type { Settings } from '../runtime/settings.ts';
import { lostConnection, messageDatabase, type Parts, refuseWrongKey } from './connect.ts';

export async function captureParts(settings: Settings, log: Log): Promise<Parts> {
  const db = openPool({ ...(await messageDatabase(settings, 'capture')), max: 2, onError: lostConnection(log) });
  const notifier = openNotifier({ db, onError: (error) => log.warn({ err: error }, 'notification failed') });
  const keys = keyRing(settings);
  const load = () => loadCatalog(db, keys, settings.privateAllowed);
  await refuseWrongKey(load);
  const captures = openCaptures({
    messages: db,
    load,
    log,
    onPersisted: (sinks) => notifier.tell(sinks),
    beside: openBackfills({ messages: db, log, load }),
  });
  return { services: [captures], close: () => db.close() };
}
