/**
 * The server and its replication slot as they are now, and the slot made when asked. After a gap that a person accepted,
 * a slot that cannot go on is made anew; never before.
 */
import type { Database } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import type { DatabaseSettings } from '../../model/declared.ts';
import { MillraceError } from '../../model/errors.ts';
import { quoteLiteral, remarked } from '../../model/quote.ts';
import { isCancelled, isNotPermitted } from '../../model/sqlstate.ts';
import type { SystemIdentity } from './identify.ts';

const SOURCE = statement('capture/source-facts');
const IDENTITY = statement('capture/system-identity');
const SLOT = statement('capture/slot-facts');
const LEFT = statement('capture/left-slots');
const WRITERS = statement('capture/open-writers');

export interface SourceFacts {
  systemIdentifier: string;
  timeline: number;
  databaseOid: number;
  version: number;
  /** Of the database, as Postgres names it. */
  encoding: string;
  walLevel: string;
  /** Our role; of two, the one that may not replicate. */
  roleName: string;
  mayReplicate: boolean;
  inRecovery: boolean;
  /** Where it writes; null on a standby. */
  walLsn: string | null;
  /** 0: the server never times us out. */
  walSenderTimeoutMs: number;
  /** max_slot_wal_keep_size in bytes; negative: no limit. */
  keepBytes: number | null;
  /** Which output plugins the server loads; null: it does not have the setting, or our role may not read it. */
  outputPluginLibraries: string | null;
}

/** As the statement gives it. */
export interface SlotFacts {
  plugin: string;
  /** It is of the database that we are connected to. */
  here: boolean;
  /** The backend that streams from it. */
  active_pid: number | null;
  active_application: string | null;
  confirmed_flush_lsn: string | null;
  wal_status: string | null;
  kept_bytes: number | null;
}

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

export interface SlotWanted {
  settings: DatabaseSettings['slot'];
  version: number;
  /** A person accepted that changes are missing. */
  gapAccepted: boolean;
  /** Nothing that was written before can be published: the publication is younger than it. */
  skipOlder: boolean;
}

/** Makes the slot when asked; one that can go on is taken as it is. Returns what it is confirmed up to. */
export async function ensureSlot(source: Database, wanted: SlotWanted): Promise<string> {
  const { name, create_if_not_exists: may } = wanted.settings;
  let slot = await readSlot(source, name);
  if (slot && (slot.plugin !== 'pgoutput' || !slot.here)) {
    throw new MillraceError('bad_source', `replication slot ${name} belongs to another database or output plugin`, {
      remedy: 'Give slot.name a name of its own.',
    });
  }
  if (slot?.wal_status === 'lost') {
    if (!may || !wanted.gapAccepted) {
      throw new MillraceError('bad_source', `replication slot ${name} is lost: the server removed WAL that it needed`, {
        remedy: `select pg_drop_replication_slot(${quoteLiteral(name)}); ${creation(name, wanted.version)}`,
      });
    }
    await source.query('select pg_drop_replication_slot($1::name)', [name]);
    slot = undefined;
  }
  if (!slot) {
    if (!may) {
      throw new MillraceError('bad_source', `replication slot ${name} does not exist`, {
        remedy: remarked(creation(name, wanted.version), 'or set slot.create_if_not_exists: true'),
      });
    }
    await create(source, name, wanted.version);
  } else if (wanted.skipOlder && wanted.version < 180000) {
    // Before 18 decoding of what was written before the publication was created fails for ever (42704).
    await source.query('select from pg_replication_slot_advance($1::name, pg_current_wal_lsn())', [name]);
  }
  return (await readSlot(source, name))?.confirmed_flush_lsn ?? '0/0';
}

const creation = (name: string, version: number): string =>
  `select from pg_create_logical_replication_slot(${quoteLiteral(name)}, 'pgoutput'${version >= 170000 ? ', failover => true' : ''})`;

/** Waits for every transaction that is writing now, as Postgres does, but not for ever: the pool's statement timeout. */
async function create(source: Database, name: string, version: number): Promise<void> {
  try {
    await source.query(creation(name, version));
  } catch (error) {
    if (!isCancelled(error)) throw error;
    const { rows } = await source.query<{ pids: string; prepared: string }>(WRITERS);
    const { pids = '', prepared = '' } = rows[0] ?? {};
    const who = [pids && `backends ${pids}`, prepared && `prepared transactions ${prepared}`].filter(Boolean);
    throw new MillraceError(
      'bad_source',
      `creating replication slot ${name} waits for transactions that are writing: ${who.join('; ') || 'they are over now'}`,
      {
        remedy: pids
          ? `Let them end, or: ${pids
              .split(', ')
              .map((pid) => `select pg_terminate_backend(${pid})`)
              .join('; ')}`
          : 'Commit or roll back the prepared transactions.',
      },
    );
  }
}
