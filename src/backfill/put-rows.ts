/**
 * Rows that were read become messages of one sink, at the place in the stream where their page's watermark is. A row that
 * the stream has changed since is left out: its change is, or will be, there.
 */

import type { PagePlace } from '../capture/windows.ts';
import type { RowMessage } from '../codec/row-message.ts';
import { tupleOf } from '../codec/tuple.ts';
import { putAddress, putChange } from '../messages/copy-rows.ts';
import { groupKey, laneOf } from '../routing/group.ts';
import { type Change, countRow, markOf, type Pending, rewind } from '../routing/pending.ts';
import type { LoadedRelation } from '../routing/relation.ts';
import { addChange } from '../routing/write-change.ts';
import type { PageRow } from '../source/page-rows.ts';

export interface RowsInput {
  /** With the one route of the sink. */
  relation: LoadedRelation;
  rows: Iterable<PageRow>;
  /** `repair`: what does not pass the filters is taken out of an index. */
  as: 'read' | 'repair';
  /** The relation was loaded for these rows: what does not fit its types never will, and goes out as text. */
  fresh: boolean;
}

/** Adds them; how many became messages. Undefined when a type has changed since the relation was loaded: nothing is added. */
export function putRows(pending: Pending, place: PagePlace, input: RowsInput): number | undefined {
  const { relation, rows, as, fresh } = input;
  const { codec } = relation;
  const mark = markOf(pending);
  const { misfits } = codec;
  let count = 0;
  for (const row of rows) {
    const message: RowMessage = { tag: 'insert', oid: relation.oid, new: row.tuple };
    if (place.hasChanged(() => codec.key(message) ?? [])) continue;
    const { transaction } = place;
    const { tooLarge: largeBytes } = row;
    const maxRowBytes = largeBytes === null ? place.maxRowBytes : -1;
    const commitIdx = place.commitIdx + count;
    if (add(pending, { message, relation, transaction, commitIdx, maxRowBytes, largeBytes, as })) count += 1;
  }
  if (fresh || relation.types.size === 0 || codec.misfits === misfits) return count;
  rewind(pending, mark);
  return undefined;
}

export interface GoneInput {
  relation: LoadedRelation;
  /** Of the same table, with a codec that knows the key alone. */
  keyRelation: LoadedRelation;
  /** Key values as text. `alien`: no row can have it, for its values do not fit the columns' types. */
  gone: readonly { key: readonly string[]; alien: boolean }[];
  /** Messages that the page has put before. */
  before: number;
}

/** Adds a delete for each row that is not there any more. How many. */
export function putGone(pending: Pending, place: PagePlace, input: GoneInput): number {
  const { relation, keyRelation, gone, before } = input;
  let count = 0;
  for (const { key, alien } of gone) {
    if (place.hasChanged(() => key)) continue;
    const commitIdx = place.commitIdx + before + count;
    const { transaction, maxRowBytes } = place;
    if (alien) putAlien(pending, { relation, key, transaction, commitIdx });
    else {
      const texts = keyRelation.codec.columns.map(() => null as string | null);
      for (const [n, index] of keyRelation.codec.keyIndexes.entries()) texts[index] = key[n] ?? null;
      const message: RowMessage = { tag: 'delete', oid: relation.oid, old: tupleOf(texts), oldKind: 'key' };
      if (!add(pending, { message, relation: keyRelation, transaction, commitIdx, maxRowBytes, as: 'repair' }))
        continue;
    }
    count += 1;
  }
  return count;
}

function add(pending: Pending, change: Change): boolean {
  const before = pending.rows;
  addChange(pending, change);
  return pending.rows > before;
}

/** A document whose _id is no key of the table. */
function putAlien(
  pending: Pending,
  given: Pick<Change, 'relation' | 'transaction' | 'commitIdx'> & { key: readonly string[] },
): void {
  const { relation, transaction, commitIdx, key } = given;
  const group = groupKey(relation.oid, key);
  for (const route of relation.routes) {
    const lane = route.fixedLane ?? laneOf(group, route.lanes);
    const id = pending.nextId;
    pending.nextId += 1;
    const start = pending.out.length;
    putAddress(pending.out, { sinkNo: route.sinkNo, lane, id, groupKey: group, groupKey2: null });
    putChange(pending.out, {
      sourceTable: relation.sourceTable,
      action: 'delete',
      recordPks: JSON.stringify(key),
      commitLsn: transaction.commitLsn,
      commitIdx,
      committedAt: transaction.committedAt,
      record: '{}',
      changes: null,
      annotations: null,
      unchangedToast: null,
    });
    countRow(pending, route.sinkNo, pending.out.length - start);
  }
}
