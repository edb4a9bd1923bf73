/** Entries of the catalog that are the same database. */
import { capturesByTriggers } from '../model/declared.ts';
import type { CatalogDatabase } from './store.ts';

/** As far as their addresses tell. */
export function isSameDatabase(one: CatalogDatabase, other: CatalogDatabase): boolean {
  const [{ host, port, database }, address] = [one.address(), other.address()];
  return address.host === host && address.port === port && address.database === database;
}

/** Does another entry capture the same database by triggers? As far as its address tells. */
export function isNotedElsewhere(databases: readonly CatalogDatabase[], database: CatalogDatabase): boolean {
  return databases.some(
    (other) => other.no !== database.no && capturesByTriggers(other.settings) && isSameDatabase(other, database),
  );
}
