/**
 * The catalog as the service runs by it, read in one statement and so of one moment: whoever holds it compares its
 * generation with the current one to know whether it is still true. Secrets are opened when they are asked for: one that
 * does not open is the fault of its database or sink alone.
 */
import type { Database, Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { DatabaseAddress, DatabaseSettings, FunctionSettings, SinkSettings } from '../model/declared.ts';
import type { SinkTraits } from '../model/sink.ts';
import type { PrivateAllowed } from '../runtime/addresses.ts';
import type { Reach } from '../runtime/checked-lookup.ts';
import type { KeyRing } from '../runtime/secret-key.ts';
import type { DestinationTable, IndexPlace } from '../sinks/contract.ts';
import { kindOfType } from '../sinks/kinds.ts';
import { addressPlace, credentialPlace, keyOf, type SecretPlace, unseal } from './secrets.ts';

const load = statement('catalog/load');
const readGeneration = statement('catalog/generation');

export interface CatalogDatabase {
  id: string;
  no: number;
  settings: DatabaseSettings;
  /** @throws MillraceError bad_configuration when it was not sealed for this database. */
  address(): DatabaseAddress;
  reach: Reach;
}

export interface CatalogSink {
  id: string;
  no: number;
  name: string;
  /** Its kind's type. What it does is asked of its traits. */
  kind: string;
  traits: SinkTraits;
  status: SinkSettings['status'];
  databaseNo: number;
  settings: SinkSettings;
  /** The destination's credential. @throws MillraceError bad_configuration when it was not sealed for this sink. */
  secret(): string | null;
  /** Delivery lanes; of a receivable sink 1 when its messages are shaped, else 0. */
  lanes: number;
  reach: Reach;
  /** The table of a declared database that it writes. */
  into?: DestinationTable | undefined;
  /** The index that it fills where no routing function says another. */
  index?: IndexPlace | undefined;
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
  databases: (Omit<CatalogDatabase, 'address' | 'reach'> & { address: string; hostname: string; privateOk: boolean })[];
  functions: FunctionSettings[];
  sinks: (Omit<CatalogSink, 'secret' | 'reach' | 'into' | 'index'> & { secret: string | null; privateOk: boolean })[];
}

/**
 * `allowed`: which private networks the connections of what is declared may go to.
 * @throws MillraceError bad_setting when a secret is sealed with a key that we do not have.
 */
export async function loadCatalog(
  db: Queryable,
  keys: KeyRing,
  allowed: PrivateAllowed = 'declared',
): Promise<Catalog> {
  const reachOf = (privateOk: boolean): Reach => ({ allowed: allowed === 'declared' ? privateOk : allowed });
  const { rows } = await db.query<Row>(load);
  const row = rows[0]!;
  return {
    generation: row.generation,
    databases: row.databases.map(({ address, hostname, privateOk, ...database }) => {
      const place = addressPlace({ id: database.id, name: database.settings.name, hostname });
      const text = opening(keys, place, address);
      return { ...database, address: (): DatabaseAddress => JSON.parse(text()), reach: reachOf(privateOk) };
    }),
    functions: row.functions,
    sinks: row.sinks.map(({ secret, privateOk, ...sink }) => {
      const place = credentialPlace({ ...sink, destination: sink.settings.destination });
      const kind = kindOfType(sink.kind);
      const { destination } = sink.settings;
      return {
        ...sink,
        secret: secret === null ? () => null : opening(keys, place, secret),
        reach: reachOf(privateOk),
        into: kind?.writesInto?.(destination),
        index: kind?.index?.place(destination),
      };
    }),
  };
}

/** The tables of a database that sinks write: only sinks that name one of them get its changes. */
export function changeTablesIn({ sinks }: Pick<Catalog, 'sinks'>, database: string): Set<string> {
  const tables = sinks.flatMap(({ into }) => (into?.database === database ? [`${into.schema}.${into.name}`] : []));
  return new Set(tables);
}

/** Rises with every change of the catalog. */
export async function catalogGeneration(db: Database): Promise<number> {
  const { rows } = await db.query<{ generation: number }>(readGeneration);
  return rows[0]!.generation;
}

/** The key must be there at once: with another one nothing opens, and this process is of no use. */
function opening(keys: KeyRing, place: SecretPlace, sealed: string): () => string {
  keyOf(keys, place, sealed);
  return () => unseal(keys, place, sealed);
}
