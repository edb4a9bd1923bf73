/** Frees the storage of removed sinks, once at a time: who comes meanwhile does not wait, and is served by another round. */
import { freeStorage } from '../catalog/apply/remove-sink.ts';
import type { Database } from '../db/pool.ts';
import type { ServerLog } from './server.ts';

/** For transactions that are in the way. What stays is freed by the worker's trimming, or the next start. */
const FREE_MS = 1_000;

export function freeing(db: Database, log: ServerLog): () => Promise<void> {
  let isFreeing = false;
  let again = false;
  return async () => {
    again = true;
    if (isFreeing) return;
    isFreeing = true;
    try {
      while (again) {
        again = false;
        await freeStorage(db, FREE_MS);
      }
    } catch (err) {
      log.warn({ err }, 'storage of removed sinks stays');
    } finally {
      isFreeing = false;
    }
  };
}
