/** The server of a source as it is now, and the replication slots of a database. Reads catalogs and the control file only. */
import type { CapacityFacts } from '../checks/capacity.ts';
import type { PreparedTransaction } from '../checks/prepared.ts';
import type { SourceFacts } from '../checks/server.ts';
import type { SlotFacts } from '../checks/slot.ts';
import type { UnseenCommit } from '../checks/unseen.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { QuotedTable } from '../model/quote.ts';
import { isNotPermitted } from '../model/sqlstate.ts';
import type { SystemIdentity } from './identify.ts';

const SOURCE = statement('source/source-facts');
const IDENTITY = statement('source/system-identity');
const SLOT = statement('source/slot-facts');
const LEFT = statement('source/left-slots');
const CAPACITY = statement('source/capacity');
const UNREADABLE = statement('source/unreadable');
const WRITERS = statement('source/open-writers');
const UNSEEN = statement('source/unseen-commits');
const PREPARED = statement('source/prepared');

/** `identify`: asked where our role may not read the control file. */
export async function readSource(source: Database, identify: () => Promise<SystemIdentity>): Promise<SourceFacts> {
  const identity = await source.query<SystemIdentity>(IDENTITY).then(
    ({ rows }) => rows[0]!,
    (error: unknown) => {
      if (isNotPermitted(error)) return identify();
      throw error;
    },
  );
  const { rows } = await source.query<{
    timeline: number | null;
    database_oid: number;
    version: number;
    encoding: string;
    wal_level: string;
    role_name: string;
    in_recovery: boolean;
    may_replicate: boolean;
    wal_lsn: string | null;
    wal_sender_timeout_ms: number;
    keep_bytes: number | null;
    output_plugin_libraries: string | null;
  }>(SOURCE);
  const facts = rows[0]!;
  return {
    systemIdentifier: identity.systemIdentifier,
    timeline: facts.timeline ?? identity.timeline,
    databaseOid: facts.database_oid,
    version: facts.version,
    encoding: facts.encoding,
    walLevel: facts.wal_level,
    roleName: facts.role_name,
    mayReplicate: facts.may_replicate,
    inRecovery: facts.in_recovery,
    walLsn: facts.wal_lsn,
    walSenderTimeoutMs: facts.wal_sender_timeout_ms,
    keepBytes: facts.keep_bytes,
    outputPluginLibraries: facts.output_plugin_libraries,
  };
}

/** Of these slots those that are still there, and keep WAL for nobody; not the one that is read now. */
export async function readLeftSlots(source: Database, former: readonly string[], now: string): Promise<string[]> {
  if (former.length === 0) return [];
  return (await source.query<{ name: string }>(LEFT, [former, now])).rows.map(({ name }) => name);
}

export async function readSlot(source: Database, name: string): Promise<SlotFacts | undefined> {
  return (await source.query<SlotFacts>(SLOT, [name])).rows[0];
}

/** Of the whole server, the oldest first. */
export async function readPrepared(source: Database): Promise<PreparedTransaction[]> {
  return (await source.query<PreparedTransaction>(PREPARED)).rows;
}

/** Whom the creation of a slot waits for: backends and prepared transactions that are writing, separated by commas. */
export async function readWriters(source: Database): Promise<{ pids: string; prepared: string }> {
  const { rows } = await source.query<{ pids: string; prepared: string }>(WRITERS);
  return rows[0] ?? { pids: '', prepared: '' };
}

/** Whose commits wait for a synchronous standby at this moment, and who holds the transaction that capture waits for. */
export async function readUnseen(source: Database, awaited: number | null): Promise<UnseenCommit[]> {
  return (await source.query<UnseenCommit>(UNSEEN, [awaited])).rows;
}

/** `slot`: the one that is read now. */
export async function readCapacity(source: Database, slot: string): Promise<CapacityFacts> {
  return (await source.query<CapacityFacts>(CAPACITY, [slot])).rows[0]!;
}

/** Of these tables, by oid, those whose rows our role may not read. */
export async function readUnreadable(source: Database, tables: readonly number[]): Promise<QuotedTable[]> {
  return (await source.query<QuotedTable>(UNREADABLE, [tables])).rows;
}
