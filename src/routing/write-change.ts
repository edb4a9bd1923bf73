/**
 * A decoded change -> rows of the message table, one per sink that wants it. Runs while the wire's bytes are valid, and
 * keeps finished rows only; the one exception is an update with unchanged TOASTed values that nobody sent, whose bytes are copied
 * until those values were read again (toast.ts).
 *
 * Ids are given out here, in commit order: capture is the only writer of its database, fenced by its generation.
 */

import type { JsonBytes } from '../codec/json-bytes.ts';
import type { Reread, RowCodec } from '../codec/row.ts';
import type { RowMessage } from '../codec/row-message.ts';
import type { Tuple } from '../codec/tuple.ts';
import { type ChangeText, putAddress, putAgain, putChange } from '../messages/copy-rows.ts';
import { type FannedRow, fanOut } from './fan-out.ts';
import type { Change, Pending } from './pending.ts';

/** Adds a change for every sink that wants it. */
export function addChange(pending: Pending, change: Change): void {
  const { relation, message } = change;
  if (relation.routes.length === 0) return;
  const ids = { old: pending.nextId, new: pending.nextId + 1 };
  pending.nextId += 2;
  const missing = relation.codec.missing(message);
  const key = missing.length > 0 ? relation.codec.key(message) : null;
  if (missing.length === 0 || key === null || key.length === 0) {
    render(pending, change, { ids, missing, reread: undefined });
    return;
  }
  const kept = { ...change, message: copyOf(message) };
  const bytes = bytesOf(message).length;
  pending.deferredBytes += bytes;
  pending.deferred.push({
    relation,
    key,
    missing,
    xid: change.transaction.xid,
    bytes,
    maxRowBytes: change.maxRowBytes,
    render: (target, reread, current) => render(target, { ...kept, relation: current }, { ids, missing, reread }),
  });
}

interface Known {
  /** Of a key change's delete, and of everything else. Both are above every id given out before. */
  ids: { old: number; new: number };
  missing: readonly number[];
  /** Null: with its values the row is too large. */
  reread: Reread | null | undefined;
}

function render(pending: Pending, change: Change, given: Known): void {
  const tooLarge = given.reread === null || bytesOf(change.message).length > change.maxRowBytes;
  const known = { ...given, reread: given.reread ?? undefined };
  const asIs = writtenOnce(pending.out, () => textOf(change, known, tooLarge));
  const asDelete = writtenOnce(pending.out, () => deleteText(change, known));
  const { codec } = change.relation;
  const before = codec.damagedKeys;
  const key = codec.key(change.message, known.reread);
  const between = codec.damagedKeys;
  const oldKey = codec.oldKey(change.message);
  const damaged = { key: between > before, oldKey: codec.damagedKeys > between };
  const row = fannedRow(change, { key, oldKey, reread: known.reread });
  for (const route of change.relation.routes) {
    for (const part of fanOut(route, row)) {
      const { sinkNo } = route;
      const { lane, groupKey, groupKey2 } = part;
      const id = part.of === 'before' ? known.ids.old : known.ids.new;
      const isDamaged = part.of === 'before' ? damaged.oldKey : damaged.key;
      const reason =
        route.parkReason ?? (tooLarge ? TOO_LARGE : isDamaged ? DAMAGED_KEY : part.key === null ? NO_KEY : undefined);
      if (reason) pending.parked.push({ sinkNo, lane, id, groupKey, error: reason });
      pending.sinks.add(sinkNo);
      putAddress(pending.out, { sinkNo, lane, id, groupKey, groupKey2 });
      if (part.form === 'delete') asDelete();
      else asIs();
      pending.rows += 1;
    }
  }
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

type Read = Known & { reread: Reread | undefined };

const TOO_LARGE = 'the row is larger than max_row_bytes: only its key was kept';
const DAMAGED_KEY =
  'the primary key holds bytes that are no UTF-8 (written \\xNN here): correct it in the table, which sends the row again, then discard this message';
const NO_KEY = 'the change does not carry the whole primary key: the replica identity must cover it';

function textOf(change: Change, known: Read, keyOnly: boolean): ChangeText<JsonBytes> {
  const { codec } = change.relation;
  const { message } = change;
  const left = known.missing.filter((index) => !known.reread?.has(index)).map((index) => codec.columns[index]!.name);
  return {
    ...shared(change),
    action: change.as && message.tag === 'insert' ? 'read' : message.tag,
    recordPks: JSON.stringify(codec.key(message, known.reread) ?? []),
    record: keyOnly
      ? codec.pick(message, codec.keyIndexes)
      : (out: JsonBytes) => codec.writeRecord(out, message, known.reread),
    changes: changesOf(codec, message, keyOnly),
    unchangedToast: left.length > 0 && !keyOnly ? JSON.stringify(left) : null,
  };
}

function changesOf(codec: RowCodec, message: RowMessage, keyOnly: boolean): ChangeText<JsonBytes>['changes'] {
  if (message.tag !== 'update') return null;
  return keyOnly || message.old === null ? '{}' : (out) => codec.writeChanges(out, message);
}

/** The old row of an update as a delete: of a key change, or of a row that left the filters. */
function deleteText(change: Change, known: Read): ChangeText<JsonBytes> {
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
      gone.tag === 'delete' ? (out: JsonBytes) => codec.writeRecord(out, gone) : codec.pick(message, codec.keyIndexes),
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

const bytesOf = (message: RowMessage): Buffer => (message.tag === 'delete' ? message.old.bytes : message.new.bytes);

/** The same message on bytes of its own. */
export function copyOf(message: RowMessage): RowMessage {
  const bytes = Buffer.from(bytesOf(message));
  const moved = (tuple: Tuple): Tuple => ({ ...tuple, bytes });
  if (message.tag === 'insert') return { ...message, new: moved(message.new) };
  if (message.tag === 'delete') return { ...message, old: moved(message.old) };
  return { ...message, new: moved(message.new), old: message.old && moved(message.old) };
}
