/**
 * A decoded change -> rows of the message table, one per sink that wants it. Runs while the wire's bytes are valid, and
 * keeps finished rows only; the one exception is an update with unchanged TOASTed values that nobody sent, whose bytes are copied
 * until those values were read again (toast.ts).
 *
 * Ids are given out here, in commit order: capture is the only writer of its database, fenced by its generation.
 */
import {
  beginRows,
  type ChangeText,
  endRows,
  type ParkedOnArrival,
  putAddress,
  putAgain,
  putChange,
} from '../messages/batch.ts';
import type { JsonBytes } from './codec-bytes.ts';
import type { Reread, RowCodec } from './codec-row.ts';
import type { RowMessage, Tuple } from './decode.ts';
import { laneOf } from './group.ts';
import type { Route } from './match.ts';
import type { LoadedRelation } from './relation.ts';
import { groupsOf, judge } from './route.ts';
import type { Placed } from './windows.ts';

/** The transaction that the source sends right now. */
export interface OpenTransaction {
  commitLsn: bigint;
  /** Microseconds since 1970. */
  committedAt: number;
  annotations: string | null;
  xid: number;
}

/** What was assembled and not persisted yet. */
export interface Pending {
  /** Rows of the COPY. Their order does not matter, their ids do. */
  out: JsonBytes;
  rows: number;
  /** Of deferred changes. */
  deferredBytes: number;
  parked: ParkedOnArrival[];
  deferred: Deferred[];
  /** Pages of rows that took their place among the changes. */
  pages: Placed[];
  sinks: Set<number>;
  nextId: number;
}

/** An update that waits for values to be read again; `render` adds its rows, with the types of the relation given. */
export interface Deferred {
  relation: LoadedRelation;
  key: readonly string[];
  missing: readonly number[];
  render(reread: Reread | undefined, relation: LoadedRelation): void;
}

export interface Change {
  message: RowMessage;
  relation: LoadedRelation;
  transaction: OpenTransaction;
  commitIdx: number;
  /** Longer rows keep their key only, and are parked. */
  maxRowBytes: number;
  /**
   * Not a change but a row as it was read, or the key of one that is not there any more: `read` is sent if it passes the
   * filters; `repair` also takes out of an index what does not.
   */
  as?: 'read' | 'repair';
}

/** `out` is used again: whoever hands it over must be done with it. */
export function emptyPending(nextId: number, out: JsonBytes): Pending {
  out.clear();
  beginRows(out);
  return { out, rows: 0, deferredBytes: 0, parked: [], deferred: [], pages: [], sinks: new Set(), nextId };
}

/** How much memory it holds, about. */
export const pendingBytes = (pending: Pending): number => pending.out.length + pending.deferredBytes;

/** Is there nothing to persist? */
export const isEmpty = (pending: Pending): boolean =>
  pending.rows === 0 && pending.deferred.length === 0 && pending.pages.length === 0;

/** The whole COPY; undefined without a row. Nothing may be added any more. */
export function finishRows(pending: Pending): Buffer | undefined {
  if (pending.rows === 0) return undefined;
  endRows(pending.out);
  return pending.out.bytes.subarray(0, pending.out.length);
}

/** Where it stands, so that what is added next can be taken back. */
export function markOf(pending: Pending) {
  const { rows, deferredBytes, nextId } = pending;
  return {
    rows,
    deferredBytes,
    nextId,
    bytes: pending.out.length,
    parked: pending.parked.length,
    deferred: pending.deferred.length,
  };
}

/** Takes back what was added since the mark. */
export function rewind(pending: Pending, mark: ReturnType<typeof markOf>): void {
  const { rows, deferredBytes, nextId } = mark;
  Object.assign(pending, { rows, deferredBytes, nextId });
  pending.out.length = mark.bytes;
  pending.parked.length = mark.parked;
  pending.deferred.length = mark.deferred;
}

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
  pending.deferredBytes += bytesOf(message).length;
  pending.deferred.push({
    relation,
    key,
    missing,
    render: (reread, current) => render(pending, { ...kept, relation: current }, { ids, missing, reread }),
  });
}

interface Known {
  /** Of a key change's delete, and of everything else. Both are above every id given out before. */
  ids: { old: number; new: number };
  missing: readonly number[];
  reread: Reread | undefined;
}

function render(pending: Pending, change: Change, known: Known): void {
  const tooLarge = bytesOf(change.message).length > change.maxRowBytes;
  const asIs = writtenOnce(pending.out, () => textOf(change, known, tooLarge));
  const asDelete = writtenOnce(pending.out, () => deleteText(change, known));
  const { codec } = change.relation;
  const key = codec.key(change.message, known.reread);
  const oldKey = codec.oldKey(change.message);
  const put = (
    route: Route,
    row: { id: number; key: readonly string[] | null; key2?: readonly string[]; write: () => void },
  ) => {
    const group = groupsOf(route, change, row);
    const lane = route.fixedLane ?? laneOf(group.key ?? 0, route.lanes);
    const reason = route.parkReason ?? (tooLarge ? TOO_LARGE : row.key === null ? NO_KEY : undefined);
    if (reason) pending.parked.push({ sinkNo: route.sinkNo, lane, id: row.id, groupKey: group.key, error: reason });
    pending.sinks.add(route.sinkNo);
    putAddress(pending.out, { sinkNo: route.sinkNo, lane, id: row.id, groupKey: group.key, groupKey2: group.key2 });
    row.write();
    pending.rows += 1;
  };
  const rekeyed = oldKey !== null && key !== null && oldKey.length > 0;
  for (const route of change.relation.routes) {
    const verdict = judge(route, change, known.reread);
    if (verdict === 'skip') continue;
    if (route.kind === 'search_index' && rekeyed) {
      put(route, { id: known.ids.old, key: oldKey, write: asDelete });
      if (verdict === 'deliver') put(route, { id: known.ids.new, key, write: asIs });
    } else if (verdict === 'leave') put(route, { id: known.ids.new, key, write: asDelete });
    else put(route, { id: known.ids.new, key, ...(rekeyed ? { key2: oldKey } : {}), write: asIs });
  }
}

const TOO_LARGE = 'the row is larger than max_row_bytes: only its key was kept';
const NO_KEY = 'the change does not carry the whole primary key: the replica identity must cover it';

function textOf(change: Change, known: Known, keyOnly: boolean): ChangeText<JsonBytes> {
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
    unchangedToast: left.length > 0 ? JSON.stringify(left) : null,
  };
}

function changesOf(codec: RowCodec, message: RowMessage, keyOnly: boolean): ChangeText<JsonBytes>['changes'] {
  if (message.tag !== 'update') return null;
  return keyOnly || message.old === null ? '{}' : (out) => codec.writeChanges(out, message);
}

/** The old row of an update as a delete: of a key change, or of a row that left the filters. */
function deleteText(change: Change, known: Known): ChangeText<JsonBytes> {
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
