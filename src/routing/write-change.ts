/**
 * A decoded change -> rows of the message table, one per sink that wants it. Runs while the wire's bytes are valid, and
 * keeps finished rows only; the one exception is a change that does not carry all of its values, whose bytes are copied until
 * unchanged TOASTed values were read again, and generated columns computed (capture/replication/complete.ts).
 *
 * Ids are given out here, in commit order: capture is the only writer of its database, fenced by its generation.
 */

import type { JsonBytes } from '../codec/json-bytes.ts';
import type { Reread, RowCodec } from '../codec/row.ts';
import type { RowMessage } from '../codec/row-message.ts';
import { type Tuple, tupleOf } from '../codec/tuple.ts';
import { type ChangeText, putAddress, putAgain, putChange } from '../messages/copy-rows.ts';
import { type FannedRow, fanOut } from './fan-out.ts';
import { type Change, countRow, type Deferred, type Pending } from './pending.ts';
import type { LoadedRelation } from './relation.ts';
import { bytesOf, type RowSize, rowBytes, sizeOf } from './row-size.ts';
import { wantedOf } from './widen.ts';

/** Adds a change for every sink that wants it. */
export function addChange(pending: Pending, change: Change): void {
  const { relation, message } = change;
  if (relation.routes.length === 0) return;
  const ids = { old: pending.nextId, new: pending.nextId + 1 };
  pending.nextId += 2;
  const { codec, computed } = relation;
  const missing = codec.missing(message);
  const wanted = wantedOf(relation, message, change.transaction.xid);
  const isComputed = (index: number): boolean => computed.some((column) => column.index === index);
  const lost = computed.length === 0 ? missing : missing.filter((index) => !isComputed(index));
  const key = lost.length > 0 ? codec.key(message) : null;
  const isReadAgain = key !== null && key.length > 0;
  if (!isReadAgain && wanted.length === 0) {
    render(pending, change, { ids, missing, reread: undefined, tooLarge: null });
    return;
  }
  const again = isReadAgain ? { key, missing: lost } : { key: [], missing: [] };
  defer(pending, { ...change, message: copyOf(message) }, { ...again, wanted, ids });
}

/** The row with this key is read again, and given to indexes as it is; nothing, if there is none. */
export function addReadAgain(pending: Pending, change: Omit<Change, 'message'> & { key: readonly string[] }): void {
  const { relation, key } = change;
  if (ofIndexes(relation).routes.length === 0) return;
  const { codec, computed, oid } = relation;
  const texts = codec.columns.map((_, index) => key[codec.keyIndexes.indexOf(index)]);
  const message: RowMessage = { tag: 'insert', oid, new: tupleOf(texts) };
  const missing = codec.columns.flatMap(({ shown }, index) =>
    shown && !computed.some((column) => column.index === index) ? [index] : [],
  );
  const ids = { old: pending.nextId, new: pending.nextId + 1 };
  pending.nextId += 2;
  const wanted = wantedOf(relation, message, change.transaction.xid);
  defer(pending, { ...change, message, as: 'repair' }, { key, missing, wanted, ids, isRow: true });
}

const ofIndexes = (relation: LoadedRelation): LoadedRelation => ({
  ...relation,
  routes: relation.routes.filter(({ traits }) => traits.order === 'key'),
});

/** `isRow`: not a change, but the row as it is found. */
function defer(
  pending: Pending,
  change: Change,
  given: Pick<Deferred, 'key' | 'missing' | 'wanted'> & { ids: Known['ids']; isRow?: boolean },
): void {
  const { relation, message, maxRowBytes, transaction } = change;
  const { key, missing, wanted, ids, isRow } = given;
  const bytes = rowBytes(relation.codec, message);
  pending.deferredBytes += bytesOf(message).length;
  pending.deferred.push({
    ...{ relation, message, key, missing, wanted, bytes, maxRowBytes, xid: transaction.xid },
    render: (target, found, current) => {
      const { reread, tooLarge } = found;
      if (isRow && reread === undefined && tooLarge === null) return;
      const known = { ids, missing: current.codec.missing(found.message), reread, tooLarge };
      render(target, { ...change, message: found.message, relation: isRow ? ofIndexes(current) : current }, known);
    },
  });
}

interface Known {
  /** Of a key change's delete, and of everything else. Both are above every id given out before. */
  ids: { old: number; new: number };
  missing: readonly number[];
  reread: Reread | undefined;
  /** With values that it did not carry: about how many bytes the row has then. */
  tooLarge: number | null;
}

function render(pending: Pending, change: Change, known: Known): void {
  const { codec } = change.relation;
  const { maxRowBytes } = change;
  const size = sizeOf(codec, change.message, { maxRowBytes, isLargeRead: known.tooLarge !== null });
  const asIs = writtenOnce(pending.out, () => textOf(change, known, size));
  const asDelete = writtenOnce(pending.out, () => deleteText(change, known, size));
  const about = change.largeBytes ?? known.tooLarge;
  if (size.leavesOutOld) pending.withoutOld.add(change.relation);
  const before = codec.damagedKeys;
  const key = codec.key(change.message, known.reread);
  const between = codec.damagedKeys;
  const oldKey = codec.oldKey(change.message);
  const damaged = { key: between > before, oldKey: codec.damagedKeys > between };
  const isKeyLost = losesOldKey(change);
  const row = fannedRow(change, { key, oldKey, reread: known.reread });
  for (const route of change.relation.routes) {
    for (const part of fanOut(route, row)) {
      const { sinkNo } = route;
      const { lane, groupKey, groupKey2 } = part;
      const id = part.of === 'before' ? known.ids.old : known.ids.new;
      const isDamaged = part.of === 'before' ? damaged.oldKey : damaged.key;
      const reason =
        route.parkReason ??
        (size.isTooLarge && part.form === 'change'
          ? tooLargeText(about ?? size.bytes, about !== null)
          : isDamaged
            ? DAMAGED_KEY
            : part.key === null || isKeyLost
              ? NO_KEY
              : undefined);
      if (reason) pending.parked.push({ sinkNo, lane, id, groupKey, error: reason });
      const start = pending.out.length;
      putAddress(pending.out, { sinkNo, lane, id, groupKey, groupKey2 });
      if (part.form === 'delete') asDelete();
      else asIs();
      countRow(pending, sinkNo, pending.out.length - start);
    }
  }
}

/** Did the key change, and nobody knows from what? Postgres sends the old key only when it changed. */
function losesOldKey({ message, relation }: Change): boolean {
  if (message.tag !== 'update' || message.oldKind !== 'key' || relation.message.identity !== 'default') return false;
  const { codec } = relation;
  return codec.keyIndexes.some((index) => codec.carrierBefore(message, index) === undefined);
}

function fannedRow(
  { message, relation, as }: Change,
  known: Pick<FannedRow, 'key' | 'oldKey'> & { reread: Reread | undefined },
): FannedRow {
  const { codec, oid } = relation;
  const { key, oldKey, reread } = known;
  const asText = (read: string | Buffer | null | undefined): string | null | undefined =>
    typeof read === 'object' ? (read?.toString() ?? null) : read;
  return {
    oid,
    action: message.tag,
    as,
    key,
    oldKey,
    now: (index) => {
      const carried = codec.text(message, index);
      return carried === undefined ? asText(reread?.get(index)) : carried;
    },
    before: (index) => codec.textBefore(message, index),
  };
}

/** Of one that was not read to its end the size is an estimate. The doctor reads it (sql/admin/doctor/too-large.sql). */
const tooLargeText = (bytes: number, isEstimate: boolean): string =>
  `the row of ${isEstimate ? 'about ' : ''}${bytes} bytes is larger than max_row_bytes: only its key was kept`;
const DAMAGED_KEY =
  'the primary key holds bytes that are not valid UTF-8 (written \\xNN here): correct it in the table, which sends the row again, then discard this message';
const NO_KEY = 'the change does not carry the whole primary key: the replica identity must cover it';

function textOf(change: Change, known: Known, size: RowSize): ChangeText<JsonBytes> {
  const { codec } = change.relation;
  const { message } = change;
  const keyOnly = size.isTooLarge || (size.leavesOutOld && message.tag === 'delete');
  const left = known.missing.filter((index) => !known.reread?.has(index)).map((index) => codec.columns[index]!.name);
  return {
    ...shared(change),
    action: change.as && message.tag === 'insert' ? 'read' : message.tag,
    recordPks: JSON.stringify(codec.key(message, known.reread) ?? []),
    record: keyOnly
      ? codec.pick(message, codec.keyIndexes)
      : (out: JsonBytes) => codec.writeRecord(out, message, known.reread),
    changes: changesOf(codec, message, size),
    unchangedToast: left.length > 0 && !keyOnly ? JSON.stringify(left) : null,
  };
}

function changesOf(
  codec: RowCodec,
  message: RowMessage,
  { isTooLarge, leavesOutOld }: RowSize,
): ChangeText<JsonBytes>['changes'] {
  if (message.tag !== 'update') return null;
  if (isTooLarge || message.old === null) return '{}';
  // A key that changed is known by its old value alone.
  return (out) => codec.writeChanges(out, message, leavesOutOld ? codec.keyIndexes : undefined);
}

/** The old row of an update as a delete: of a key change, or of a row that left the filters. */
function deleteText(change: Change, known: Known, { fitsBefore }: RowSize): ChangeText<JsonBytes> {
  const { codec } = change.relation;
  const { message } = change;
  const old = message.tag === 'update' ? message.old : null;
  const gone: RowMessage =
    message.tag === 'update' && old !== null && message.oldKind !== null
      ? { tag: 'delete', oid: message.oid, old, oldKind: message.oldKind }
      : message;
  const key = codec.oldKey(message) ?? codec.key(message, known.reread) ?? [];
  return {
    ...shared(change),
    action: 'delete',
    recordPks: JSON.stringify(key),
    record:
      gone.tag === 'delete' && fitsBefore
        ? (out: JsonBytes) => codec.writeRecord(out, gone)
        : codec.pick(gone, codec.keyIndexes),
    changes: null,
    unchangedToast: null,
  };
}

function shared({ relation, transaction, commitIdx }: Change) {
  return {
    sourceTable: relation.sourceTable,
    commitLsn: transaction.commitLsn,
    commitIdx,
    committedAt: transaction.committedAt,
    annotations: transaction.annotations,
  };
}

/** Writes what follows an address: the first time from the change, then the same bytes again. */
function writtenOnce(out: JsonBytes, make: () => ChangeText<JsonBytes>): () => void {
  let start = -1;
  let end = -1;
  return () => {
    if (start >= 0) {
      putAgain(out, start, end);
      return;
    }
    start = out.length;
    putChange(out, make());
    end = out.length;
  };
}

/** The same message on bytes of its own. Its tuples share theirs, unless they came in another encoding. */
export function copyOf(message: RowMessage): RowMessage {
  const shared = bytesOf(message);
  const bytes = Buffer.from(shared);
  const moved = (tuple: Tuple): Tuple => ({
    ...tuple,
    bytes: tuple.bytes === shared ? bytes : Buffer.from(tuple.bytes),
  });
  if (message.tag === 'insert') return { ...message, new: moved(message.new) };
  if (message.tag === 'delete') return { ...message, old: moved(message.old) };
  return { ...message, new: moved(message.new), old: message.old && moved(message.old) };
}
