/**
 * Before a stream starts: is the source what it was, does it let us, and is the slot where we left it? A slot that is
 * missing though we had one, lost, or ahead of what we recorded as confirmed means a gap: that is a state with a reason
 * and a remedy (`needs_resync`), never mended silently.
 */
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { SourceIdentity, StoredPosition } from '../messages/position.ts';
import type { DatabaseSettings } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import { parseLsn } from '../model/lsn.ts';

const SOURCE = statement('capture/source-facts');
const SLOT = statement('capture/slot-facts');

export interface SourceFacts {
  systemIdentifier: string;
  timeline: number;
  databaseOid: number;
  version: number;
  /** 0: the server never times us out. */
  walSenderTimeoutMs: number;
}

export interface SlotFacts {
  plugin: string;
  here: boolean;
  active: boolean;
  confirmed_flush_lsn: string | null;
  wal_status: string | null;
}

/** Raised when changes may have been missed; the state shown is `needs_resync`. */
export class GapError extends Error {
  readonly remedy: string;
  constructor(message: string, remedy: string) {
    super(message);
    this.name = 'GapError';
    this.remedy = remedy;
  }
}

/** Throws `bad_source` with the statement that mends it when the server cannot be captured from. */
export async function readSource(source: Database): Promise<SourceFacts> {
  const { rows } = await source.query<{
    system_identifier: string;
    timeline: number;
    database_oid: number;
    version: number;
    wal_level: string;
    in_recovery: boolean;
    may_replicate: boolean;
    wal_sender_timeout_ms: number;
  }>(SOURCE);
  const facts = rows[0]!;
  if (facts.version < 140000) throw new MillraceError('bad_source', 'the source is older than Postgres 14');
  if (facts.wal_level !== 'logical') {
    throw new MillraceError('bad_source', `wal_level is ${facts.wal_level}, it must be logical`, {
      remedy: "alter system set wal_level = 'logical'; then restart the server",
    });
  }
  if (!facts.may_replicate) {
    throw new MillraceError('bad_source', 'our role may not replicate', {
      remedy: 'alter role ... replication (on a managed service: grant its replication role)',
    });
  }
  return {
    systemIdentifier: facts.system_identifier,
    timeline: facts.timeline,
    databaseOid: facts.database_oid,
    version: facts.version,
    walSenderTimeoutMs: facts.wal_sender_timeout_ms,
  };
}

export async function readSlot(source: Database, name: string): Promise<SlotFacts | undefined> {
  return (await source.query<SlotFacts>(SLOT, [name])).rows[0];
}

/** Makes the slot when asked; a slot that exists is taken as it is. Returns what it is confirmed up to. */
export async function ensureSlot(source: Database, settings: DatabaseSettings, version: number): Promise<string> {
  const { name, create_if_not_exists: create } = settings.slot;
  let slot = await readSlot(source, name);
  if (!slot) {
    const failover = version >= 170000 ? ', failover => true' : '';
    const sql = `select from pg_create_logical_replication_slot($1::name, 'pgoutput'${failover})`;
    if (!create) {
      throw new MillraceError('bad_source', `replication slot ${name} does not exist`, {
        remedy: `${sql.replace('$1::name', `'${name}'`)}; or set slot.create_if_not_exists`,
      });
    }
    try {
      await source.query(sql, [name]);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === '57014')) throw error;
      throw new MillraceError(
        'bad_source',
        `creating slot ${name} waits for write transactions that are open too long`,
        {
          remedy:
            'select pid, xact_start from pg_stat_activity where backend_xid is not null order by 2; end the oldest',
        },
      );
    }
    slot = await readSlot(source, name);
  }
  if (slot?.plugin !== 'pgoutput' || !slot.here) {
    throw new MillraceError('bad_source', `replication slot ${name} belongs to another database or output plugin`, {
      remedy: 'Give slot.name a name of its own.',
    });
  }
  return slot.confirmed_flush_lsn ?? '0/0';
}

/** Is the slot where we left it, on the server that it was on? Throws a GapError. */
export function checkContinuity(
  stored: StoredPosition & { identity: SourceIdentity },
  now: { identity: SourceIdentity; slot: SlotFacts | undefined },
): void {
  const { identity } = stored;
  const restart = 'select millrace.accept_gap(database_name), and bring the sinks up to date';
  if (now.identity.systemIdentifier !== identity.systemIdentifier || now.identity.databaseOid !== identity.databaseOid)
    throw new GapError('the source is another database than before: what happened in between is not known', restart);
  if (now.identity.timeline !== identity.timeline)
    throw new GapError('the source was promoted or restored: its history is not the one that was captured', restart);
  if (now.identity.publicationOid !== identity.publicationOid)
    throw new GapError('the publication was dropped and created again: changes in between were not published', restart);
  if (!now.slot) throw new GapError(`replication slot ${identity.slotName} is gone`, restart);
  if (now.slot.wal_status === 'lost')
    throw new GapError(`replication slot ${identity.slotName} is lost: the server removed WAL that it needed`, restart);
  const confirmed = parseLsn(now.slot.confirmed_flush_lsn ?? '0/0');
  if (confirmed > stored.confirmedLsn)
    throw new GapError(`replication slot ${identity.slotName} was re-created or advanced by somebody else`, restart);
}
