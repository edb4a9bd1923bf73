/** The replication slot: what it keeps for us, and for how much longer. Whether it is where we left it: continuity.ts. */
import { quoteLiteral } from '../model/quote.ts';
import { byHand, type Finding, fault, inSource, warning } from './finding.ts';
import { endingIt, type PreparedTransaction } from './prepared.ts';
import type { SourceFacts } from './server.ts';

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
  /** Why it is lost, as the server calls it; null: it is not, or a release that does not say. */
  invalidation_reason: string | null;
  kept_bytes: number | null;
  /** On the server, in any of its databases. */
  oldest_prepared: Pick<PreparedTransaction, 'gid' | 'database'> | null;
  /** Physical slots, as synchronized_standby_slots names them, that must have all that is sent; none of a slot without failover. */
  standbys: readonly { slot: string; isRead: boolean }[];
}

export interface SlotInput {
  /** As it is declared. */
  name: string;
  slot: SlotFacts | undefined;
  source: Pick<SourceFacts, 'keepBytes'>;
  /** Names of slots that the database was captured by before, and that nobody reads. */
  leftSlots: readonly string[];
}

/** WAL kept for the slot: more than this share of max_slot_wal_keep_size, or so much when that has no limit. */
const KEPT_SHARE = 0.5;
const KEPT_BYTES = 10 * 1024 ** 3;

export function checkSlot({ name, slot, source, leftSlots }: SlotInput): Finding[] {
  const found: Finding[] = checkLeftSlots(leftSlots);
  found.push(...checkStandbys(slot?.standbys ?? [], name));
  if (slot && source.keepBytes !== null) found.push(...checkKept(slot, source.keepBytes, name));
  if (slot?.wal_status === 'unreserved')
    found.push(
      warning(
        'slot_unreserved',
        `the next checkpoint removes WAL that replication slot ${name} needs`,
        inSource('alter system set max_slot_wal_keep_size = -1; select pg_reload_conf()'),
      ),
    );
  return found;
}

/** Of a database that is captured by triggers now, the one of before is among them. */
export const checkLeftSlots = (leftSlots: SlotInput['leftSlots']): Finding[] =>
  leftSlots.map((left) => ({
    ...warning(
      'slot_former',
      `replication slot ${left}, by which this database was captured before, keeps WAL for nobody`,
      inSource(`select pg_drop_replication_slot(${quoteLiteral(left)})`),
    ),
    item: left,
  }));

/** The stream stands still then, and is answered all the same. */
function checkStandbys(standbys: SlotFacts['standbys'], name: string): Finding[] {
  const away = standbys.filter(({ isRead }) => !isRead).map(({ slot }) => slot);
  if (away.length === 0) return [];
  const others = standbys.filter(({ isRead }) => isRead).map(({ slot }) => quoteLiteral(slot));
  return [
    warning(
      'slot_waits',
      `the server sends nothing to replication slot ${name} that its standbys do not have, and none reads ${away.join(', ')} of synchronized_standby_slots: changes wait for it`,
      inSource(
        `alter system set synchronized_standby_slots = ${others.join(', ') || "''"}; select pg_reload_conf()`,
        'if the standby is not to come back; otherwise start it',
      ),
    ),
  ];
}

function checkKept(
  { kept_bytes: keptBytes, oldest_prepared: prepared }: SlotFacts,
  limit: number,
  name: string,
): Finding[] {
  if (keptBytes === null) return [];
  const unlimited = limit < 0;
  if (unlimited ? keptBytes < KEPT_BYTES : keptBytes < limit * KEPT_SHARE) return [];
  const kept = `the source keeps ${mebibytes(keptBytes)} of WAL for replication slot ${name}`;
  return [
    warning(
      'slot_lag',
      unlimited
        ? `${kept}, without a limit`
        : `${kept}; at ${mebibytes(limit)} (max_slot_wal_keep_size) the slot is lost`,
      byHand(
        'Look for a transaction that is open for long: select pid, xact_start, query from pg_stat_activity ' +
          'where xact_start is not null order by xact_start. ' +
          (prepared ? `Or end the one that was prepared and is open: ${endingIt(prepared)}. ` : '') +
          'If there is none, capture is slower than the source writes.',
      ),
    ),
  ];
}

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1_048_576)} MB`;

/** By the server's word for it. `prevention`: what is to be done besides, so that the next slot is not lost in the same way. */
const LOST: Readonly<Record<string, { why: string; prevention: string | null }>> = {
  wal_removed: { why: 'the server removed WAL that it needed', prevention: null },
  idle_timeout: {
    why: 'nobody read it for as long as idle_replication_slot_timeout allows',
    prevention:
      'that it is not lost again while no capture runs, at the source: alter system set idle_replication_slot_timeout = 0; select pg_reload_conf()',
  },
  rows_removed: {
    why: 'the server was a standby, and rows of catalogs that it needed were removed there',
    prevention:
      'that it is not lost again on a standby, there: alter system set hot_standby_feedback = on; select pg_reload_conf()',
  },
  wal_level_insufficient: {
    why: 'wal_level was lowered below logical for a while',
    prevention: 'leave wal_level = logical from now on',
  },
  conflict: {
    why: 'the server was a standby, and its primary removed rows of catalogs that it needed, or lowered wal_level',
    prevention:
      'that it is not lost again on a standby: hot_standby_feedback = on there, and wal_level = logical on its primary',
  },
};

/** Of a slot whose wal_status is `lost`. */
export function whyLost({ invalidation_reason: reason }: Pick<SlotFacts, 'invalidation_reason'>): {
  why: string;
  prevention: string | null;
} {
  if (reason === null) return LOST.wal_removed!;
  return LOST[reason] ?? { why: `the server invalidated it (${reason})`, prevention: null };
}

/** What makes the slot by hand. */
export const slotCreation = (name: string, version: number): string =>
  `select from pg_create_logical_replication_slot(${quoteLiteral(name)}, 'pgoutput'${version >= 170000 ? ', failover => true' : ''})`;

/** The same in place of the one that is there. */
export const slotRenewal = (name: string, version: number): string =>
  `select pg_drop_replication_slot(${quoteLiteral(name)}); ${slotCreation(name, version)}`;

/** What is in the way of a slot that nothing was captured by yet, or again after a gap that a person accepted. */
export function checkBeginning(
  { name, create_if_not_exists: isMade }: { name: string; create_if_not_exists: boolean },
  slot: SlotFacts | undefined,
  { version, gapAccepted }: { version: number; gapAccepted: boolean },
): Finding | undefined {
  if (!slot) return isMade ? undefined : slotMissing(name, version);
  if (slot.plugin !== 'pgoutput' || !slot.here)
    return fault(
      'slot_foreign',
      `replication slot ${name} belongs to another database or output plugin`,
      byHand('Give slot.name a name of its own.'),
    );
  if (slot.wal_status !== 'lost' || (isMade && gapAccepted)) return undefined;
  return fault(
    'slot_lost',
    `replication slot ${name} is lost: ${whyLost(slot).why}`,
    inSource(slotRenewal(name, version), whyLost(slot).prevention),
  );
}

/** It is not to be made by us. */
const slotMissing = (name: string, version: number): Finding =>
  fault(
    'slot_missing',
    `replication slot ${name} does not exist`,
    inSource(slotCreation(name, version), 'or set slot.create_if_not_exists: true'),
  );
