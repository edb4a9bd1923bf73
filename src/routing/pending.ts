/**
 * What was assembled and waits to be persisted: rows of one COPY, what is parked on arrival, updates whose values are to be
 * read again, pages of rows. What was added last can be taken back.
 */

import type { JsonBytes } from '../codec/json-bytes.ts';
import type { Reread } from '../codec/row.ts';
import type { RowMessage } from '../codec/row-message.ts';
import { beginRows, endRows, type ParkedOnArrival } from '../messages/copy-rows.ts';
import { rowsOf } from '../messages/repair.ts';
import type { PassedKeys } from './passed-keys.ts';
import type { LoadedRelation } from './relation.ts';
import type { Wanted } from './widen.ts';

/** The transaction that the source sends right now. */
export interface OpenTransaction {
  commitLsn: bigint;
  /** Microseconds since 1970. */
  committedAt: number;
  annotations: string | null;
  xid: number;
  /** Absent until a table with a deferrable key changes. */
  passed?: PassedKeys;
}

export const openTransaction = (begin: { commitLsn: bigint; commitMicros: number; xid: number }): OpenTransaction => ({
  commitLsn: begin.commitLsn,
  committedAt: begin.commitMicros,
  annotations: null,
  xid: begin.xid,
});

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
  /** Tables of which old values were too large for their messages. */
  withoutOld: Set<LoadedRelation>;
  sinks: Map<number, Gathered>;
  nextId: number;
}

/** Rows of one sink. */
export interface Gathered {
  messages: number;
  bytes: number;
  /** Of them: parked on arrival. */
  parked: number;
}

const NONE: Gathered = { messages: 0, bytes: 0, parked: 0 };

/** A change that waits for values that it does not carry. */
export interface Deferred {
  relation: LoadedRelation;
  message: RowMessage;
  key: readonly string[];
  /** Columns that are read again by the key, by their index. */
  missing: readonly number[];
  /** Columns that are computed. */
  wanted: readonly Wanted[];
  /** Its transaction. */
  xid: number;
  /** What was sent of the row, without old values. */
  bytes: number;
  maxRowBytes: number;
  /** Adds its rows, with the types of the relation given. */
  render(pending: Pending, found: Completed, relation: LoadedRelation): void;
}

/** What was found of a deferred change. */
export interface Completed {
  /** With what was computed. */
  message: RowMessage;
  /** What was read again; undefined: the row is gone. */
  reread: Reread | undefined;
  /** With all that it is, and has about so many bytes; null: it is not. */
  tooLarge: number | null;
}

export interface Change {
  message: RowMessage;
  relation: LoadedRelation;
  transaction: OpenTransaction;
  commitIdx: number;
  /** Longer rows keep their key only, and are parked. */
  maxRowBytes: number;
  /** Of a row that was read, and whose key alone is here: about how many bytes it has. */
  largeBytes?: number | null;
  /**
   * Not a change but a row as it was read, or the key of one that is not there any more: `read` is sent if it passes the
   * filters; `repair` also takes out of an index what does not.
   */
  as?: 'read' | 'repair';
}

/** A page among what is persisted next. */
export interface Placed {
  count: number;
  sql: string;
  persisted(): void;
  /** It was taken back, and must be read again. */
  again(): void;
}

/** `out` is used again: whoever hands it over must be done with it. */
export function emptyPending(nextId: number, out: JsonBytes): Pending {
  out.clear();
  beginRows(out);
  return {
    ...{ out, rows: 0, deferredBytes: 0, parked: [], deferred: [], pages: [], nextId },
    ...{ withoutOld: new Set<LoadedRelation>(), sinks: new Map<number, Gathered>() },
  };
}

/** `out` has a row more for this sink, so many bytes long. */
export function countRow(pending: Pending, sinkNo: number, bytes: number): void {
  pending.rows += 1;
  addRow(pending.sinks, sinkNo, bytes);
}

function addRow(sinks: Map<number, Gathered>, sinkNo: number, bytes: number): void {
  const known = sinks.get(sinkNo);
  if (known) {
    known.messages += 1;
    known.bytes += bytes;
  } else sinks.set(sinkNo, { messages: 1, bytes, parked: 0 });
}

/** Adds what some rows come to, with those of them that arrive parked. */
export function gather(
  sinks: Map<number, Gathered>,
  rows: { sinks: ReadonlyMap<number, Gathered>; parked: readonly ParkedOnArrival[] },
): void {
  const add = (sinkNo: number, more: Partial<Gathered>): void => {
    const { messages, bytes, parked } = { ...NONE, ...more };
    const known = sinks.get(sinkNo) ?? NONE;
    sinks.set(sinkNo, {
      messages: known.messages + messages,
      bytes: known.bytes + bytes,
      parked: known.parked + parked,
    });
  };
  for (const [sinkNo, gathered] of rows.sinks) add(sinkNo, gathered);
  for (const { sinkNo } of rows.parked) add(sinkNo, { parked: 1 });
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
  pending.sinks.clear();
  for (const { sinkNo, start, end } of rowsOf(pending.out.bytes.subarray(0, mark.bytes)))
    addRow(pending.sinks, sinkNo, end - start);
}
