/**
 * Is the source the one whose position was stored, and is everything where it was left? Every finding is a gap: changes may
 * have been missed. Capture stops then until a person accepts it (`needs_resync`); it is never repaired silently.
 */
import { parseLsn } from '../model/lsn.ts';
import { NO_PUBLICATION, type SourceIdentity } from '../model/source-identity.ts';
import { type Finding, fault } from './finding.ts';
import type { PublicationFacts } from './publication.ts';
import { resyncing } from './resyncing.ts';
import type { SourceFacts } from './server.ts';
import { type SlotFacts, whyLost } from './slot.ts';

export interface Expected {
  /** As millrace.yaml names it. */
  database: string;
  slot: string;
  publication: string;
  /** No capture has looked since it became so: its state is not `needs_resync` yet. */
  isUnnoticed?: boolean;
}

/** As far as it was captured. */
export interface Captured {
  commitLsn: bigint;
  confirmedLsn: bigint;
  identity: SourceIdentity;
}

export interface Now {
  source: SourceFacts;
  slot: SlotFacts | undefined;
  publication: PublicationFacts | undefined;
  /** Where its history left the timeline that was captured. */
  branch?: bigint | undefined;
}

/**
 * A promoted standby goes on without a gap when it left the captured timeline behind all that was captured, and the slot came
 * along.
 */
export function checkContinuity(stored: Captured, now: Now, expected: Expected): Finding[] {
  const { identity } = stored;
  const found: Finding[] = [];
  const gap = (id: string, summary: string) =>
    found.push(fault(id, summary, resyncing(expected.database, expected.isUnnoticed)));
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
  else found.push(...checkPlace(slot, stored.confirmedLsn, expected));
  if (publication === undefined)
    gap('publication_gone', `publication ${expected.publication} was dropped: changes since then were not published`);
  else if (publication.oid !== identity.publicationOid)
    gap(
      'publication_renewed',
      `publication ${expected.publication} was dropped ${identity.publicationOid === NO_PUBLICATION ? 'or renamed, and is there' : 'and created'} again: changes in between were not published`,
    );
  return found;
}

/** Is everything persisted and confirmed part of the history that ends at `end`? */
export const isBefore = (stored: Pick<Captured, 'commitLsn' | 'confirmedLsn'>, end: bigint): boolean =>
  stored.commitLsn < end && stored.confirmedLsn <= end;

export const anotherTimeline = ({ database, isUnnoticed }: Expected): Finding =>
  fault(
    'another_timeline',
    'the source was promoted or restored: its history is not the one that was captured',
    resyncing(database, isUnnoticed),
  );

function checkPlace(slot: SlotFacts | undefined, confirmedLsn: bigint, expected: Expected): Finding[] {
  const repair = resyncing(expected.database, expected.isUnnoticed);
  const gap = (id: string, what: string, also: string | null = null): Finding[] => [
    fault(id, `replication slot ${expected.slot} ${what}`, {
      ...repair,
      ...(also === null ? {} : { remedy: `${repair.remedy}; and ${also}` }),
    }),
  ];
  if (!slot) return gap('slot_gone', 'is gone');
  if (slot.plugin !== 'pgoutput' || !slot.here)
    return gap('slot_foreign', 'belongs to another database or output plugin');
  if (slot.wal_status === 'lost') {
    const { why, prevention } = whyLost(slot);
    return gap('slot_lost', `is lost: ${why}`, prevention);
  }
  if (parseLsn(slot.confirmed_flush_lsn ?? '0/0') > confirmedLsn)
    return gap('slot_moved', 'was created again or advanced by somebody else');
  return [];
}
