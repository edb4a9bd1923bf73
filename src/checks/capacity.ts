/** Has the source room for what capture needs of it, and is the slot read and safe? */
import { quoteIdentifier } from '../model/quote.ts';
import { byCommand, byHand, byStarting, type Finding, fault, inSource, notice, warning } from './finding.ts';
import type { SlotFacts } from './slot.ts';

/** As the statement gives it. */
export interface CapacityFacts {
  max_slots: number;
  slots: number;
  /** Slots that nobody reads, other than ours. */
  idle_slots: string[];
  max_senders: number;
  senders: number;
  max_connections: number;
  /** The slot comes along when a standby takes over; null: the server does not know that (before 17). */
  failover: boolean | null;
}

export interface CapacityInput {
  /** As millrace.yaml names it. */
  database: string;
  slotName: string;
  slot: SlotFacts | undefined;
  facts: CapacityFacts;
  /** Connections that could still be opened there. */
  room: number;
  /** 0: the server never times us out. */
  walSenderTimeoutMs: number;
  /** Some sink reads from it. */
  isRead: boolean;
  /** Who writes now, so that a slot cannot be created: backends and prepared transactions, separated by commas. */
  writers: { pids: string; prepared: string };
}

/** What a backfill and a verification want beside the stream. */
const ROOM = 2;
/** Capture answers the server at half of it. */
const SENDER_TIMEOUT_MS = 10_000;

export function checkCapacity(input: CapacityInput): Finding[] {
  return [...checkRoom(input), ...checkUse(input), ...checkCreation(input)];
}

function checkRoom({ facts, slot, walSenderTimeoutMs, isRead, room }: CapacityInput): Finding[] {
  const found: Finding[] = [];
  const isIdle = slot?.active_pid == null;
  if (isRead && slot === undefined && facts.slots >= facts.max_slots)
    found.push(
      fault(
        'slots_full',
        `all ${facts.max_slots} replication slots of the source are taken${facts.idle_slots.length > 0 ? `; nobody reads ${facts.idle_slots.join(', ')}` : ''}`,
        inSource(
          `alter system set max_replication_slots = ${facts.max_slots + 5}`,
          'then restart the server; or drop one that nobody needs: select pg_drop_replication_slot(...)',
        ),
      ),
    );
  if (isRead && isIdle && facts.senders >= facts.max_senders)
    found.push(
      fault(
        'walsenders_full',
        `all ${facts.max_senders} WAL senders of the source are taken`,
        inSource(`alter system set max_wal_senders = ${facts.max_senders + 5}`, 'then restart the server'),
      ),
    );
  found.push(...checkConnections({ facts, isRead, room }));
  if (walSenderTimeoutMs > 0 && walSenderTimeoutMs < SENDER_TIMEOUT_MS)
    found.push(
      warning(
        'wal_sender_timeout',
        `wal_sender_timeout is ${walSenderTimeoutMs} ms: a short stall of capture or the network ends the stream`,
        inSource("alter system set wal_sender_timeout = '60s'; select pg_reload_conf()"),
      ),
    );
  return found;
}

/** All that capture by triggers asks of it. */
export function checkConnections({ facts, isRead, room }: Pick<CapacityInput, 'facts' | 'isRead' | 'room'>): Finding[] {
  if (!isRead || room >= ROOM) return [];
  return [
    warning(
      'connections_short',
      `the source has room for ${Math.max(0, room)} more connections, of ${facts.max_connections}: backfills may find none`,
      inSource(
        `alter system set max_connections = ${facts.max_connections + 20}`,
        'then restart the server; or end other sessions, or raise the connection limit of the role',
      ),
    ),
  ];
}

function checkUse({ database, slotName, slot, facts, isRead }: CapacityInput): Finding[] {
  if (slot === undefined) return [];
  if (!isRead)
    return [
      warning(
        'unread',
        `no sink reads from this database, and replication slot ${slotName} keeps WAL for nobody`,
        byCommand(['database', 'remove', database], (command) => `Add a sink, or: ${command}`),
      ),
    ];
  const found: Finding[] = [];
  if (slot.active_pid === null)
    found.push(
      warning(
        'slot_inactive',
        `nobody reads replication slot ${slotName}: the source keeps WAL until capture runs`,
        byStarting('capture'),
      ),
    );
  else if (!slot.active_application?.startsWith('millrace capture'))
    found.push(
      fault(
        'slot_inactive',
        `replication slot ${slotName} is read by backend ${slot.active_pid} (${slot.active_application ?? 'unknown'}), which is not a capture of Millrace`,
        inSource(`select pg_terminate_backend(${slot.active_pid})`, 'or give this database another slot.name'),
      ),
    );
  if (facts.failover === false)
    found.push(
      notice(
        'no_failover',
        `replication slot ${slotName} does not come along when a standby takes over`,
        byHand(
          'Where standbys matter, while nobody reads the slot, over a replication connection (psql "... replication=database"): ' +
            `ALTER_REPLICATION_SLOT ${quoteIdentifier(slotName)} (FAILOVER)`,
        ),
      ),
    );
  return found;
}

/** A slot can be created only when every transaction is over that writes now. */
function checkCreation({ slotName, slot, isRead, writers: { pids, prepared } }: CapacityInput): Finding[] {
  const who = [pids && `backends ${pids}`, prepared && `prepared transactions ${prepared}`].filter(Boolean);
  if (!isRead || slot !== undefined || who.length === 0) return [];
  const summary = `creating replication slot ${slotName} waits for transactions that are writing: ${who.join('; ')}`;
  if (!pids) return [notice('creation_waits', summary, byHand('Commit or roll back the prepared transactions.'))];
  const ends = pids.split(', ').map((pid) => `select pg_terminate_backend(${pid})`);
  return [notice('creation_waits', summary, inSource(ends.join('; '), 'or let them end'))];
}
