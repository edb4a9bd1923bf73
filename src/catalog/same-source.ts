/** Entries of the catalog that are the same database. */
import { capturesByTriggers } from '../model/declared.ts';
import type { CatalogDatabase } from './store.ts';

/** Does another entry capture the same database by triggers? As far as its address tells. */
export function isNotedElsewhere(databases: readonly CatalogDatabase[], database: CatalogDatabase): boolean {
  const { host, port, database: name } = database.address();
  return databases.some((other) => {
    if (other.no === database.no || !capturesByTriggers(other.settings)) return false;
    const address = other.address();
    return address.host === host && address.port === port && address.database === name;
  });
}
