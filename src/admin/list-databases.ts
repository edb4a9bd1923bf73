/** Every database as it is declared, with how its capture is: what `millrace.database_status` says, and the settings. */
import { addressOf } from '../catalog/apply/databases.ts';
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { DatabaseSettings } from '../model/declared.ts';
import type { KeyRing } from '../runtime/secret-key.ts';
import { noSuch } from './no-such.ts';

const LIST = statement('admin/list-databases');

export interface ListedDatabase {
  id: string;
  name: string;
  hostname: string;
  /** Sealed. */
  address: string;
  /** As its server calls it. */
  database_name: string;
  settings: DatabaseSettings;
  managed_by: 'file' | 'api';
  /** Where the file that named it last was applied from. */
  declared_from: string | null;
  /** The name of its entry there, where it was released and renamed since. */
  entry_name: string | null;
  /** Rises with every change. */
  version: number;
  /** Who made the last one: `token ci`. */
  updated_by: string | null;
  inserted_at: Date;
  updated_at: Date;
  level: 'failing' | 'unknown' | 'warning' | 'ok';
  /** Codes of all that is known to be wrong, the worst first. */
  reasons: string[];
  /** Null: no sink reads from it. */
  state: string | null;
  reason: string | null;
  remedy: string | null;
  state_since: Date | null;
  epoch: number | null;
  commit_lsn: string | null;
  confirmed_lsn: string | null;
  /** How far capture is behind the source in time; null: no capture says so. */
  lag_seconds: number | null;
}

/** By name. */
export async function listDatabases(db: Queryable): Promise<ListedDatabase[]> {
  return (await db.query<ListedDatabase>(LIST, [null])).rows;
}

/** What is no secret of an address; null: it was sealed with another key, or for another host. */
export function plainAddress(keys: KeyRing, database: ListedDatabase): { port: number; username: string } | null {
  try {
    const address = addressOf(keys, database);
    return address === undefined ? null : { port: address.port, username: address.user };
  } catch {
    return null;
  }
}

/** By its name or id. @throws MillraceError not_found, with the names that there are. */
export async function showDatabase(db: Queryable, ref: string): Promise<ListedDatabase> {
  const { rows } = await db.query<ListedDatabase>(LIST, [ref]);
  if (rows[0]) return rows[0];
  const names = (await listDatabases(db)).map(({ name }) => name);
  throw noSuch('database', ref, names);
}
