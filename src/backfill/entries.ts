/**
 * Entries of a change table become messages of one sink as capture once made them: action, record and changes as they are
 * kept, the commit time of then, group and lane by the key; a key change is two halves for a search index, and blocks both
 * keys for a consumer. Only their place is new: the watermark's, one commit_idx after the other, in the order of seq.
 */

import { passes } from '../capture/filter.ts';
import { groupKey, laneOf } from '../capture/group.ts';
import type { Route } from '../capture/match.ts';
import { markOf, type OpenTransaction, type Pending, rewind } from '../capture/pending.ts';
import type { LoadedRelation } from '../capture/relation.ts';
import type { PagePlace } from '../capture/windows.ts';
import { putAddress, putChange } from '../messages/batch.ts';
import type { DeclaredAction } from '../model/declared.ts';

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
  const mark = markOf(pending);
  let count = 0;
  try {
    for (const entry of entries) {
      const commitIdx = place.commitIdx + count;
      if (putEntry(pending, { entry, relation, transaction: place.transaction, commitIdx })) count += 1;
    }
  } catch (error) {
    rewind(pending, mark);
    throw error;
  }
  return count;
}

interface Placing {
  entry: Entry;
  relation: LoadedRelation;
  transaction: OpenTransaction;
  commitIdx: number;
}

function putEntry(pending: Pending, placing: Placing): boolean {
  const { entry, relation } = placing;
  const ids = { old: pending.nextId, new: pending.nextId + 1 };
  const route = relation.routes[0]!;
  const verdict = judge(route, entry);
  if (verdict === 'skip') return false;
  pending.nextId += 2;
  if (route.kind === 'search_index' && entry.oldKey) {
    put(pending, placing, { id: ids.old, key: entry.oldKey, as: 'delete' });
    if (verdict === 'deliver') put(pending, placing, { id: ids.new, key: entry.key, as: 'entry' });
  } else {
    put(pending, placing, { id: ids.new, key: entry.key, as: verdict === 'leave' ? 'delete' : 'entry' });
  }
  return true;
}

/** As capture judges a change: what is not known of it does not hold it back. */
function judge(route: Route, entry: Entry): 'deliver' | 'leave' | 'skip' {
  if (!route.actions.has(entry.action)) return 'skip';
  if (entry.action === 'delete' && route.kind === 'search_index' && !route.deleteOnLeave) return 'deliver';
  for (const filter of route.filters) {
    const text = entry.now.get(filter.columnIndex);
    if (text === undefined || passes(filter, text)) continue;
    return entry.action === 'update' && route.deleteOnLeave ? 'leave' : 'skip';
  }
  return 'deliver';
}

function put(
  pending: Pending,
  { entry, relation, transaction, commitIdx }: Placing,
  half: { id: number; key: readonly string[]; as: 'entry' | 'delete' },
): void {
  const route = relation.routes[0]!;
  const { id, key } = half;
  const [groupKeyNow, groupKey2] = groupsOf(route, relation, { ...entry, key });
  const lane = route.fixedLane ?? laneOf(groupKeyNow ?? 0, route.lanes);
  const { parkReason } = route;
  if (parkReason) pending.parked.push({ sinkNo: route.sinkNo, lane, id, groupKey: groupKeyNow, error: parkReason });
  pending.sinks.add(route.sinkNo);
  putAddress(pending.out, { sinkNo: route.sinkNo, lane, id, groupKey: groupKeyNow, groupKey2 });
  const asIs = half.as === 'entry';
  putChange(pending.out, {
    sourceTable: relation.sourceTable,
    action: asIs ? entry.action : 'delete',
    recordPks: JSON.stringify(key),
    commitLsn: transaction.commitLsn,
    commitIdx,
    committedAt: entry.committedAt,
    record: asIs ? entry.record : (entry.was ?? entry.record),
    changes: asIs ? entry.changes : null,
    annotations: entry.annotations,
    unchangedToast: null,
  });
  pending.rows += 1;
}

/** The group now, and the one before when it is another; as capture forms them. */
function groupsOf(route: Route, { oid }: LoadedRelation, entry: Entry): [number | null, number | null] {
  if (route.groupColumns === undefined) return [null, null];
  const now = textsOf(entry.now, route.groupColumns);
  if (route.groupColumns.length > 0 && now) {
    const was = entry.before && textsOf(entry.before, route.groupColumns);
    const key = groupKey(oid, now);
    const key2 = was ? groupKey(oid, was) : key;
    return [key, key2 === key ? null : key2];
  }
  const { key, oldKey } = entry;
  return [groupKey(oid, key), oldKey && route.kind === 'pull' ? groupKey(oid, oldKey) : null];
}

function textsOf(values: Values, indexes: readonly number[]): string[] | undefined {
  const texts = indexes.map((index) => values.get(index));
  return texts.includes(undefined) ? undefined : texts.map((text) => text ?? '\u0000');
}
