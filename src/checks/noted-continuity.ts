/**
 * Is the source of a capture by triggers the one whose position was stored? Every finding is a gap: changes may have been
 * missed, or the ids of transactions by which they are told apart mean something else now.
 */
import type { SourceIdentity } from '../model/source-identity.ts';
import { type Finding, fault } from './finding.ts';
import { resyncing } from './resyncing.ts';

/** In place of a slot's name, which has no dot. */
export const NOTED = 'millrace_capture.changes';

export interface NotedNow extends Omit<SourceIdentity, 'slotName' | 'publicationOid'> {
  /** Of the table of changes; undefined: there is none. */
  changesOid: number | undefined;
  /** The next transaction gets this id. */
  nextXid: bigint;
  /** Of what these snapshots see nothing is left in a part of the table. */
  emptied: readonly string[];
}

export interface NotedBefore {
  identity: SourceIdentity;
  /** The snapshot that was read last; undefined: none was stored. */
  snapshot: string | undefined;
}

/** `database`: as millrace.yaml names it. `isUnnoticed`: no capture has looked since. */
export function checkNotedContinuity(
  before: NotedBefore,
  now: NotedNow,
  of: { database: string; isUnnoticed?: boolean },
): Finding[] {
  const { identity, snapshot } = before;
  const gap = (id: string, summary: string): Finding[] => [fault(id, summary, resyncing(of.database, of.isUnnoticed))];
  // Our role may not be allowed to know it.
  const isKnown = now.systemIdentifier !== '' && identity.systemIdentifier !== '';
  if ((isKnown && now.systemIdentifier !== identity.systemIdentifier) || now.databaseOid !== identity.databaseOid)
    return gap('another_source', 'the source is another database than before: what happened in between is not known');
  if (identity.slotName !== NOTED)
    return gap(
      'another_way',
      `the database was captured by replication slot ${identity.slotName} and is now captured by triggers, which begin somewhere else`,
    );
  if (now.timeline !== identity.timeline)
    return gap('another_timeline', 'the source was promoted or restored: its history is not the one that was captured');
  if (now.changesOid === undefined)
    return gap('changes_gone', 'schema millrace_capture was dropped: changes since then were not noted');
  if (now.changesOid !== identity.publicationOid)
    return gap(
      'changes_renewed',
      'schema millrace_capture was dropped and created again: changes in between were not noted',
    );
  if (snapshot === undefined || now.nextXid < partsOf(snapshot).next)
    return gap('restored', 'the source was restored from an older copy: its history is not the one that was captured');
  if (now.emptied.some((emptied) => !seesAll(snapshot, emptied)))
    return gap(
      'changes_emptied',
      'noted changes were read and removed that are not in the message database: it was restored from an older copy',
    );
  return [];
}

/** Does a snapshot see whatever the other one sees? */
function seesAll(snapshot: string, other: string): boolean {
  const [of, than] = [partsOf(snapshot), partsOf(other)];
  if (than.next > of.next) return false;
  const stillOpen = new Set(than.open);
  return of.open.every((xid) => BigInt(xid) >= than.next || stillOpen.has(xid));
}

/** The text is xmin:xmax:xip,xip,... */
function partsOf(snapshot: string): { next: bigint; open: string[] } {
  const [, next = '', open = ''] = snapshot.split(':');
  return { next: BigInt(next), open: open === '' ? [] : open.split(',') };
}
