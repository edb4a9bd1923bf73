/**
 * Where documents of a row may be that a routing function has moved. A message that arrives replaces earlier ones of its row that
 * failed: what those should have deleted from another index is deleted with it, or it would stay there.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { noteMissed } from '../notices/add.ts';
import type { Sandbox } from '../transform/sandbox.ts';
import type { FunctionSet, Shaped } from '../transform/shape.ts';
import type { LaneRow } from './row.ts';
import type { LaneId } from './settle.ts';

const READ_EARLIER = statement('deliver/read-earlier');
const EARLIER_BYTES = 4 * 1024 * 1024;

/** Messages of a batch, and what the functions made of each. */
export interface PlacedBatch {
  rows: readonly LaneRow[];
  shaped: readonly Shaped[];
}

interface PlaceOptions {
  db: Queryable;
  id: LaneId;
  sandbox: Sandbox;
  functions: FunctionSet;
}

/** Where a row may be besides. */
export interface PlacesBefore {
  /** Indexes from which earlier messages of the row were to delete it, and it is not. */
  indexes: readonly string[];
  /** Of an earlier one, a delete, the routing function does not say from which: its document may stay. */
  isUnsure: boolean;
}

const NONE: PlacesBefore = { indexes: [], isUnsure: false };

/** Of each message, in order. */
export async function placesBefore(batch: PlacedBatch, options: PlaceOptions): Promise<readonly PlacesBefore[]> {
  const { rows, shaped } = batch;
  const earlier = await earlierOf(batch, options);
  const left = new Map<string, PlacesBefore>();
  let next = 0;
  return shaped.map((one, place) => {
    const row = rows[place]!;
    for (; next < earlier.length && earlier[next]!.row.id < row.id; next += 1) note(left, earlier[next]!);
    const { indexes, isUnsure } = left.get(keyOf(row)) ?? NONE;
    note(left, { row, shaped: one });
    return { indexes: indexes.filter((index) => index !== one.indexName && index !== one.oldIndexName), isUnsure };
  });
}

interface Placed {
  row: LaneRow;
  shaped: Shaped;
}

/** Messages that failed, in order: before this batch, or in another function than the one that routes. */
async function earlierOf(batch: PlacedBatch, { db, id, sandbox, functions }: PlaceOptions): Promise<Placed[]> {
  const { routing } = functions;
  const behind = batch.rows.filter((row) => row.behind);
  const unshaped = unshapedOf(batch);
  if (routing === undefined || behind.length + unshaped.length === 0) return [];
  const values = [id.sinkNo, id.lane, behind.map((row) => row.id), EARLIER_BYTES];
  const failed = behind.length > 0 ? (await db.query<LaneRow>(READ_EARLIER, values)).rows : [];
  const earlier = [...failed, ...unshaped].sort((a, b) => a.id - b.id);
  const shaped = await sandbox.shape({ routing }, earlier, { replaces: true, sinkNo: id.sinkNo });
  return shaped.map((one, place) => ({ row: earlier[place]!, shaped: one }));
}

/** Of rows that have several messages in the batch: those on which a function failed, but for what brings the sandbox down. */
function unshapedOf({ rows, shaped }: PlacedBatch): LaneRow[] {
  const failed = rows.filter((_, place) => isFailed(shaped[place]));
  if (failed.length === 0) return failed;
  const last = new Map(rows.map((row) => [keyOf(row), row.id]));
  return failed.filter((row) => last.get(keyOf(row))! > row.id);
}

const isFailed = (shaped: Shaped | undefined): boolean =>
  shaped?.error !== undefined && shaped.error.kind !== 'killed' && shaped.error.kind !== 'untried';

const keyOf = ({ oid, record_pks }: LaneRow): string => `${oid} ${record_pks}`;

/** Where the row is now is no such index, unless it is deleted: a function may put each of its states elsewhere on purpose. */
function note(left: Map<string, PlacesBefore>, { row, shaped }: Placed): void {
  const isDelete = row.action === 'delete';
  const places = [shaped.oldIndexName, isDelete ? shaped.indexName : undefined].filter((index) => index !== undefined);
  const isUnsure = isDelete && shaped.error !== undefined;
  if (places.length === 0 && !isUnsure) return;
  const key = keyOf(row);
  const before = left.get(key) ?? NONE;
  const indexes = [...new Set([...before.indexes, ...places])];
  left.set(key, { indexes, isUnsure: before.isUnsure || isUnsure });
}

/** These arrived, and replace deletes of which nobody knows where the document was: the sink is told. */
export async function noteLeftBehind(db: Queryable, sinkNo: number, rows: readonly LaneRow[]): Promise<void> {
  for (const table of new Set(rows.map((row) => `${row.schema_name}.${row.table_name}`))) {
    const message = `${table}: the routing function failed on the delete of a row that came back since: a document of it may be left in another index`;
    await noteMissed(db, [sinkNo], { code: 'changes_left_out', table, message });
  }
}
