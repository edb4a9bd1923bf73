/**
 * Entries of a change table become messages of one sink as capture once made them: action, record and changes as they are
 * kept, the commit time of then, group and lane by the key; a key change is two halves for a search index, and blocks both
 * keys for a consumer. Only their place is new: the watermark's, one commit_idx after the other, in the order of seq.
 */

import type { PagePlace } from '../../capture/windows.ts';
import { putAddress, putChange } from '../../messages/copy-rows.ts';
import type { DeclaredAction } from '../../model/declared.ts';
import { fanOut } from '../../routing/fan-out.ts';
import { countRow, type OpenTransaction, type Pending } from '../../routing/pending.ts';
import type { LoadedRelation } from '../../routing/relation.ts';

/** Values of some columns, as text or null, by the column's index; absent where the entry does not tell. */
export type Values = ReadonlyMap<number, string | null>;

export interface Entry {
  action: DeclaredAction;
  /** JSON text. */
  record: string;
  changes: string | null;
  /** JSON text. */
  annotations: string | null;
  /** Microseconds since 1970. */
  committedAt: number;
  key: readonly string[];
  /** Of an update that changed the key. */
  oldKey: readonly string[] | null;
  now: Values;
  /** Of an update that changed one of these columns. */
  before: Values | null;
  /** What a delete that an update leads to has for its record; JSON text. */
  was: string | null;
}

/** Adds them; how many the sink takes in. */
export function putEntries(
  pending: Pending,
  place: PagePlace,
  input: { relation: LoadedRelation; entries: readonly Entry[] },
): number {
  const { relation, entries } = input;
  let count = 0;
  for (const entry of entries) {
    const commitIdx = place.commitIdx + count;
    if (putEntry(pending, { entry, relation, transaction: place.transaction, commitIdx })) count += 1;
  }
  return count;
}

interface Placing {
  entry: Entry;
  relation: LoadedRelation;
  transaction: OpenTransaction;
  commitIdx: number;
}

function putEntry(pending: Pending, { entry, relation, transaction, commitIdx }: Placing): boolean {
  const ids = { before: pending.nextId, now: pending.nextId + 1 };
  const route = relation.routes[0]!;
  const parts = fanOut(route, {
    oid: relation.oid,
    action: entry.action,
    key: entry.key,
    oldKey: entry.oldKey,
    now: (index) => entry.now.get(index),
    before: (index) => entry.before?.get(index),
  });
  if (parts.length > 0) pending.nextId += 2;
  for (const { of, form, key, lane, groupKey, groupKey2 } of parts) {
    const { sinkNo, parkReason } = route;
    const id = ids[of];
    if (parkReason) pending.parked.push({ sinkNo, lane, id, groupKey, error: parkReason });
    const start = pending.out.length;
    putAddress(pending.out, { sinkNo, lane, id, groupKey, groupKey2 });
    const asIs = form === 'change';
    putChange(pending.out, {
      sourceTable: relation.sourceTable,
      action: asIs ? entry.action : 'delete',
      recordPks: JSON.stringify(key ?? []),
      commitLsn: transaction.commitLsn,
      commitIdx,
      committedAt: entry.committedAt,
      record: asIs ? entry.record : (entry.was ?? entry.record),
      changes: asIs ? entry.changes : null,
      annotations: entry.annotations,
      unchangedToast: null,
    });
    countRow(pending, sinkNo, pending.out.length - start);
  }
  return parts.length > 0;
}
