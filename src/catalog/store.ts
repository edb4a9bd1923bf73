/**
 * The catalog as the service runs by it, read in one statement and so of one moment: whoever holds it compares its
 * generation with the current one to know whether it is still true. Secrets come opened.
 */
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { DatabaseAddress, DatabaseSettings, FunctionSettings, SinkSettings } from '../model/declared.ts';
import { unseal } from './secrets.ts';

const load = statement('catalog/load');
const readGeneration = statement('catalog/generation');

export type SinkKind = 'pull' | 'search_index' | 'change_table';

export interface CatalogDatabase {
  id: string;
  no: number;
  settings: DatabaseSettings;
  address: DatabaseAddress;
}

export interface CatalogSink {
  id: string;
  no: number;
  name: string;
  kind: SinkKind;
  status: SinkSettings['status'];
  databaseNo: number;
  settings: SinkSettings;
  /** The destination's credential. */
  secret: string | null;
  /** Delivery lanes; of a pull consumer 1 when its messages are shaped, else 0. */
  lanes: number;
}

/** Each list in the order of creation. */
export interface Catalog {
  generation: number;
  databases: CatalogDatabase[];
  functions: FunctionSettings[];
  sinks: CatalogSink[];
}

interface Row {
  generation: number;
  databases: (Omit<CatalogDatabase, 'address'> & { address: string })[];
  functions: FunctionSettings[];
  sinks: CatalogSink[];
}

/** @throws MillraceError bad_setting when SECRET_KEY is not the one that sealed the secrets. */
export async function loadCatalog(db: Database, secretKey: string): Promise<Catalog> {
  const { rows } = await db.query<Row>(load);
  const row = rows[0]!;
  return {
    generation: row.generation,
    databases: row.databases.map(({ id, no, settings, address }) => ({
      id,
      no,
      settings,
      address: openAddress(secretKey, address),
    })),
    functions: row.functions,
    sinks: row.sinks.map((sink) => ({ ...sink, secret: sink.secret === null ? null : unseal(secretKey, sink.secret) })),
  };
}

/** Rises with every change of the catalog. */
export async function catalogGeneration(db: Database): Promise<number> {
  const { rows } = await db.query<{ generation: number }>(readGeneration);
  return rows[0]!.generation;
}

/** The address as `applyConfig` sealed it. */
export function openAddress(secretKey: string, sealed: string): DatabaseAddress {
  const address: DatabaseAddress = JSON.parse(unseal(secretKey, sealed));
  return address;
}
