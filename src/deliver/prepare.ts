/**
 * The user's functions on the way out: filter, route and transform of a batch, as deliveries. One message may need none
 * (refused by the filter), one, or more: an update whose old row was routed to another index is a delete there and an
 * index here. A function that fails, fails for the same input again: its message is parked.
 */
import type { Delivery } from '../model/sink.ts';
import type { Sandbox } from '../transform/sandbox.ts';
import type { FunctionSet, Shaped } from '../transform/shape.ts';
import type { Verdict } from './decide.ts';
import type { PlacedBatch, PlacesBefore } from './places.ts';
import { deliveryOf, groupsOf, type LaneRow } from './row.ts';

/** What is to be sent for one message; `verdict` is set when that is decided already. */
export interface Prepared {
  row: LaneRow;
  deliveries: Delivery[];
  verdict?: Verdict;
  /** If it arrives, a document of its row may stay where nobody knows. */
  isUnsure?: boolean;
  /** Its functions brought their process down, or were not run because messages before it did. */
  crash?: 'killed' | 'untried';
}

export interface ShapeOptions {
  sinkNo: number;
  functions: FunctionSet;
  /** Of the sink: it keeps a document for each row. */
  replaces: boolean;
  /** Messages leave here in the order of their groups: what follows one whose functions are tried again waits for it. */
  holdsBack: boolean;
  /** A row that an update takes out of the filter, or that was read and does not pass it, is deleted from the index. */
  deleteOnLeave: boolean;
  /** Characters that what functions make may take; undefined: as many as the sandbox gives. */
  room: number | undefined;
  now: () => number;
  /** Where documents of its row may be besides, for each message (places.ts); asked only of rows that are routed. */
  placesBefore(batch: PlacedBatch): Promise<readonly PlacesBefore[]>;
}

export interface Made {
  /** In the order of the rows, up to the first for which there was no room. */
  prepared: Prepared[];
  /** Characters that functions made. */
  length: number;
  /** Undefined: there are none. */
  tookMs?: number;
}

/** Rejects only when the sandbox itself cannot work. */
export async function prepare(sandbox: Sandbox, rows: readonly LaneRow[], options: ShapeOptions): Promise<Made> {
  const { functions, sinkNo, replaces, room, placesBefore } = options;
  if (!hasFunctions(functions)) {
    return { prepared: rows.map((row) => ({ row, deliveries: [deliveryOf(row)] })), length: 0 };
  }
  const begun = options.now();
  const shaped = await sandbox.shape(functions, rows, { replaces, sinkNo, ...(room === undefined ? {} : { room }) });
  const tookMs = options.now() - begun;
  const before = functions.routing && replaces ? await placesBefore({ rows, shaped }) : [];
  const prepared = shaped.map((one, place) => apply(rows[place]!, one, { ...options, tookMs, before: before[place] }));
  if (options.holdsBack) holdBehindRetried(prepared);
  return {
    prepared,
    length: shaped.reduce((length, { body }) => length + (body?.length ?? 0), 0),
    tookMs,
  };
}

export const hasFunctions = ({ filter, transform, routing }: FunctionSet): boolean =>
  (filter ?? transform ?? routing) !== undefined;

interface ApplyOptions extends ShapeOptions {
  tookMs: number;
  before: PlacesBefore | undefined;
}

function apply(row: LaneRow, shaped: Shaped, options: ApplyOptions): Prepared {
  if (shaped.error) {
    const { error } = shaped;
    const place = error.line === undefined ? '' : ` (line ${error.line}, column ${error.column ?? 1})`;
    const text = `${error.function}: ${error.message}${place}`;
    // What fails once, fails again for the same input. Time alone may have been short: one more try.
    const kind = error.kind === 'timeout' && row.error !== text ? 'retry' : 'park';
    const crash = error.kind === 'killed' || error.kind === 'untried' ? { crash: error.kind } : {};
    return { row, deliveries: [], verdict: { kind, error: text, stage: 'shape', tookMs: options.tookMs }, ...crash };
  }
  const delivery = deliveryOf(row);
  const gone = (indexName: string | undefined): Delivery => ({ ...delivery, action: 'delete', indexName });
  const { indexName, oldIndexName } = shaped;
  const elsewhere = (options.before?.indexes ?? []).map(gone);
  const unsure = options.before?.isUnsure ? { isUnsure: true } : {};
  if (oldIndexName !== undefined && oldIndexName !== indexName) elsewhere.push(gone(oldIndexName));
  if (!shaped.kept) {
    const mayBeThere = row.action === 'update' || row.action === 'read';
    const leaves = options.replaces && options.deleteOnLeave && mayBeThere;
    if (!leaves) return { row, deliveries: [], verdict: { kind: 'done', sent: false } };
    return { row, deliveries: [...elsewhere, gone(indexName)], ...unsure };
  }
  const whole = { ...delivery, indexName, body: shaped.body ?? delivery.body };
  return { row, deliveries: [...elsewhere, whole], ...unsure };
}

function holdBehindRetried(prepared: readonly Prepared[]): void {
  const waiting = new Set<number>();
  for (const message of prepared) {
    const { row, deliveries, verdict } = message;
    const isBehind = waiting.size > 0 && deliveries.length > 0 && groupsOf(row).some((group) => waiting.has(group));
    if (isBehind) {
      message.deliveries = [];
      message.verdict = { kind: 'held' };
    }
    if (isBehind || verdict?.kind === 'retry') for (const group of groupsOf(row)) waiting.add(group);
  }
}
