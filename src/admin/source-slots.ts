/** What keeps WAL in a source now: its replication slots, ours and others', and the transaction that is open for longest. */
import { statement } from '../db/statement.ts';
import { askSource, findDatabase, type OutsideDeps } from './outside.ts';

const SLOTS = statement('source/list-slots');
const WRITER = statement('source/oldest-writer');
const LIMIT = `select setting::float8 * 1048576 as bytes from pg_catalog.pg_settings where name = 'max_slot_wal_keep_size'`;

export interface ListedSlot {
  name: string;
  kind: 'logical' | 'physical';
  /** Null: of the whole server. */
  database: string | null;
  active_pid: number | null;
  application: string | null;
  wal_status: string | null;
  kept_bytes: number | null;
  /** So much WAL may still be written; null: without a limit, or it is lost. */
  safe_bytes: number | null;
}

export interface OldestWriter {
  /** Null: it is prepared. */
  pid: number | null;
  /** The id of one that is prepared. */
  prepared: string | null;
  username: string | null;
  application: string | null;
  since: Date | null;
}

export interface SourceSlots {
  /** As it is declared. */
  slotName: string;
  slots: ListedSlot[];
  /** max_slot_wal_keep_size; null: there is no limit. */
  limitBytes: number | null;
  oldestWriter: OldestWriter | null;
}

/** By name or id. @throws MillraceError not_found, source_unavailable */
export async function listSlots(on: OutsideDeps, ref: string): Promise<SourceSlots> {
  const { database } = await findDatabase(on, ref);
  return await askSource(database, async (source) => {
    const { rows: slots } = await source.query<ListedSlot>(SLOTS);
    const limit = (await source.query<{ bytes: number }>(LIMIT)).rows[0]?.bytes ?? -1;
    const writers = await source.query<OldestWriter>(WRITER);
    return {
      slotName: database.settings.slot.name,
      slots,
      limitBytes: limit < 0 ? null : limit,
      oldestWriter: writers.rows[0] ?? null,
    };
  });
}
