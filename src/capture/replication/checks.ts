/**
 * What is wrong with a source, decided from facts alone: before the stream starts, and every 30 s while it runs. Each
 * finding has the statement that fixes it. A `gap` means that changes may have been missed: capture stops until a person
 * accepts it (`needs_resync`), it is never repaired silently. A `fault` keeps capture from running; a `warning` is shown.
 */
import type { SourceIdentity, StoredPosition } from '../../messages/position.ts';
import { messageOf } from '../../model/errors.ts';
import { parseLsn } from '../../model/lsn.ts';
import { millrace, quoteIdentifier, quoteLiteral, remarked } from '../../model/quote.ts';
import type { PublicationFacts } from '../../source/publication-facts.ts';
import type { SlotFacts, SourceFacts } from './slot.ts';

export interface Finding {
  severity: 'gap' | 'fault' | 'warning';
  code: string;
  message: string;
  remedy: string;
}

export interface Expected {
  /** As millrace.yaml names it. */
  database: string;
  slot: string;
  publication: string;
}

/** WAL kept for the slot: more than this share of max_slot_wal_keep_size, or so much when that has no limit. */
const KEPT_SHARE = 0.5;
const KEPT_BYTES = 10 * 1024 ** 3;

/** Can this server be captured from at all? */
export function checkServer(facts: SourceFacts): Finding[] {
  const found: Finding[] = [];
  const fault = (code: string, message: string, remedy: string) =>
    found.push({ severity: 'fault', code, message, remedy });
  if (facts.version < 140000) fault('too_old', 'the source is older than Postgres 14', 'Upgrade the source.');
  if (facts.inRecovery)
    fault('standby', 'the source is a standby: it can be read only', 'Set hostname to the address of its primary.');
  if (facts.walLevel !== 'logical')
    fault(
      'wal_level',
      `wal_level is ${facts.walLevel}, it must be logical`,
      "alter system set wal_level = 'logical'; -- then restart the server",
    );
  if (!facts.mayReplicate)
    fault(
      'may_not_replicate',
      `role ${facts.roleName} may not replicate`,
      remarked(
        `alter role ${quoteIdentifier(facts.roleName)} replication`,
        `on Amazon RDS: grant rds_replication to ${quoteIdentifier(facts.roleName)}`,
      ),
    );
  const plugins = facts.outputPluginLibraries?.split(',').map((name) => name.trim().replaceAll('"', ''));
  if (plugins && !plugins.includes('pgoutput'))
    fault(
      'output_plugin',
      'output_plugin_libraries does not list pgoutput: the server will not decode for us',
      `alter system set output_plugin_libraries = ${quoteLiteral([...plugins.filter(Boolean), 'pgoutput'].join(', '))}; select pg_reload_conf()`,
    );
  return found;
}

/**
 * Is the source the one whose position was stored, and is the slot where it was left? `branch`: where its history left the
 * timeline that was captured. A promoted standby goes on without a gap when that lies behind all that was captured, and
 * the slot came along.
 */
export function checkContinuity(
  stored: StoredPosition & { identity: SourceIdentity },
  now: { source: SourceFacts; slot: SlotFacts | undefined; publication: PublicationFacts | undefined; branch?: bigint },
  expected: Expected,
): Finding[] {
  const { identity } = stored;
  const found: Finding[] = [];
  const gap = (code: string, message: string) =>
    found.push({ severity: 'gap', code, message, remedy: resyncSql(expected.database) });
  const { source, slot, publication } = now;
  if (source.systemIdentifier !== identity.systemIdentifier || source.databaseOid !== identity.databaseOid)
    gap('another_source', 'the source is another database than before: what happened in between is not known');
  else if (source.timeline !== identity.timeline && (now.branch === undefined || !isBefore(stored, now.branch)))
    found.push(anotherTimeline(expected));
  else if (source.timeline !== identity.timeline && slot === undefined)
    gap('slot_left', `the source was promoted or restored, and replication slot ${expected.slot} did not come along`);
  else if (source.walLsn !== null && parseLsn(source.walLsn) < stored.confirmedLsn)
    gap('restored', 'the source was restored from an older copy: its history is not the one that was captured');
  else if (identity.slotName !== expected.slot)
    gap('another_slot', `the slot was ${identity.slotName} and is now ${expected.slot}, which begins somewhere else`);
  else found.push(...checkSlot(slot, stored.confirmedLsn, expected));
  if (publication === undefined)
    gap('publication_gone', `publication ${expected.publication} was dropped: changes since then were not published`);
  else if (publication.oid !== identity.publicationOid)
    gap(
      'publication_renewed',
      `publication ${expected.publication} was dropped and created again: changes in between were not published`,
    );
  return found;
}

/** Is everything persisted and confirmed part of the history that ends at `end`? */
export const isBefore = (stored: StoredPosition, end: bigint): boolean =>
  stored.commitLsn < end && stored.confirmedLsn <= end;

export const anotherTimeline = ({ database }: Expected): Finding => ({
  severity: 'gap',
  code: 'another_timeline',
  message: 'the source was promoted or restored: its history is not the one that was captured',
  remedy: resyncSql(database),
});

function checkSlot(slot: SlotFacts | undefined, confirmedLsn: bigint, expected: Expected): Finding[] {
  const gap = (code: string, message: string): Finding[] => [
    {
      severity: 'gap',
      code,
      message: `replication slot ${expected.slot} ${message}`,
      remedy: resyncSql(expected.database),
    },
  ];
  if (!slot) return gap('slot_gone', 'is gone');
  if (slot.plugin !== 'pgoutput' || !slot.here)
    return gap('slot_foreign', 'belongs to another database or output plugin');
  if (slot.wal_status === 'lost') return gap('slot_lost', 'is lost: the server removed WAL that it needed');
  if (parseLsn(slot.confirmed_flush_lsn ?? '0/0') > confirmedLsn)
    return gap('slot_moved', 'was created again or advanced by somebody else');
  return [];
}

/** What does not stop capture, but will if nobody acts; and a publication that leaves changes out. */
export function checkHealth(
  now: {
    source: SourceFacts;
    slot: SlotFacts | undefined;
    publication: PublicationFacts | undefined;
    /** Names of slots that it was captured by before, and that nobody reads. */
    leftSlots: readonly string[];
  },
  expected: Expected,
): Finding[] {
  const found: Finding[] = [];
  const { source, slot, publication } = now;
  for (const name of now.leftSlots)
    found.push({
      severity: 'warning',
      code: 'slot_former',
      message: `replication slot ${name}, by which this database was captured before, keeps WAL for nobody`,
      remedy: `select pg_drop_replication_slot(${quoteLiteral(name)})`,
    });
  const publicationSql = `alter publication ${quoteIdentifier(expected.publication)}`;
  if (publication && !publication.complete)
    found.push({
      severity: 'fault',
      code: 'publication_incomplete',
      message: `publication ${expected.publication} leaves out inserts, updates or deletes`,
      remedy: `${publicationSql} set (publish = 'insert, update, delete, truncate')`,
    });
  if (publication?.publishesOurs)
    found.push({
      severity: 'fault',
      code: 'publishes_messages',
      message: `publication ${expected.publication} lists our own tables: messages would be published too, and could not be deleted any more`,
      remedy: publication.allTables
        ? remarked(
            `drop publication ${quoteIdentifier(expected.publication)}`,
            `it is made again, of the tables that are wanted; then, in the message database: ${resyncSql(expected.database)}`,
          )
        : remarked(
            `${publicationSql} drop tables in schema millrace, millrace_private, millrace_jobs`,
            'or drop table, for those that it lists by name',
          ),
    });
  if (slot && source.keepBytes !== null) found.push(...checkKept(slot.kept_bytes, source.keepBytes, expected));
  if (slot?.wal_status === 'unreserved')
    found.push({
      severity: 'warning',
      code: 'slot_unreserved',
      message: `the next checkpoint removes WAL that replication slot ${expected.slot} needs`,
      remedy: 'alter system set max_slot_wal_keep_size = -1; select pg_reload_conf()',
    });
  return found;
}

function checkKept(keptBytes: number | null, limit: number, expected: Expected): Finding[] {
  if (keptBytes === null) return [];
  const unlimited = limit < 0;
  if (unlimited ? keptBytes < KEPT_BYTES : keptBytes < limit * KEPT_SHARE) return [];
  const kept = `the source keeps ${mebibytes(keptBytes)} of WAL for replication slot ${expected.slot}`;
  return [
    {
      severity: 'warning',
      code: 'slot_lag',
      message: unlimited
        ? `${kept}, without a limit`
        : `${kept}; at ${mebibytes(limit)} (max_slot_wal_keep_size) the slot is lost`,
      remedy:
        'Look for a transaction that is open for long: select pid, xact_start, query from pg_stat_activity ' +
        'where xact_start is not null order by xact_start. If there is none, capture is slower than the source writes.',
    },
  ];
}

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;

/** What a person runs to go on after a gap, as it stands. */
export const resyncSql = (database: string): string =>
  remarked(
    `select millrace.resync(${quoteLiteral(database)})`,
    `or, to be shown how far it is: ${millrace('resync', database)}`,
  );

/** That a check could not be made for now, which is no reason to end a stream: its own watchdog knows of a dead connection. */
export const unanswered = (error: unknown): Finding => ({
  severity: 'warning',
  code: 'unchecked',
  message: `capture continues, but the source could not be checked: ${messageOf(error)}`,
  remedy:
    "It is tried again each 30 s. Who keeps what locked: select pid, wait_event, query from pg_stat_activity where state <> 'idle'",
});
