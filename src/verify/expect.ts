/**
 * What an index should hold for rows as they were read: the sink's column filters, filter function, transform and routing
 * on the same JSON text that capture makes of a row, as if a backfill sent it.
 */

import type { RowMessage } from '../codec/row-message.ts';
import type { Tuple } from '../codec/tuple.ts';
import type { Action, FunctionInput } from '../model/message.ts';
import { passes } from '../routing/filter.ts';
import type { Sandbox } from '../transform/sandbox.ts';
import type { FunctionSet, Shaped } from '../transform/shape.ts';
import type { Expected } from './look.ts';
import type { VerifiedTable } from './tables.ts';

export interface ExpectDeps {
  sandbox: Pick<Sandbox, 'shape'>;
  functions: FunctionSet;
  /** Index of the documents that no routing function places. */
  indexName: string;
  /** JSON members that are the same in every message of the sink. */
  metadata: string;
}

/** A row as it was read: its published columns. */
export interface ReadRow {
  tuple: Tuple;
  /** Only its key was read: it has about so many bytes. Null: all of it was. */
  tooLarge: number | null;
}

/** As a parked message has it, whose size a reader of pages estimates too. */
const tooLarge = (bytes: number): string => `the row of about ${bytes} bytes is larger than max_row_bytes`;

/** One for each row, in order. `again`: with another action and other metadata, to see what hangs on them. */
export async function expectRows(
  deps: ExpectDeps,
  { table, rows }: { table: VerifiedTable; rows: readonly ReadRow[] },
  again = false,
): Promise<Expected[]> {
  const results: Expected[] = [];
  const inputs: FunctionInput[] = [];
  const places: number[] = [];
  for (const [place, row] of rows.entries()) {
    const known = expectedAtOnce(table, row);
    if (known !== undefined) {
      results[place] = known;
      continue;
    }
    inputs.push(inputOf(deps, { table, row }, again ? 'update' : 'read'));
    places.push(place);
  }
  const { filter, transform, routing } = deps.functions;
  const shaped: Shaped[] = filter || transform || routing ? [] : inputs.map(() => ({ kept: true }));
  // What found no room comes with the next call.
  while (shaped.length < inputs.length)
    shaped.push(...(await deps.sandbox.shape(deps.functions, inputs.slice(shaped.length), { replaces: true })));
  for (const [n, place] of places.entries()) results[place] = expectedOf(deps, shaped[n]!, inputs[n]!);
  return results;
}

function expectedAtOnce({ route, codec, source }: VerifiedTable, row: ReadRow): Expected | undefined {
  if (route.parkReason !== undefined) return { kind: 'fault', reason: route.parkReason };
  if (row.tooLarge !== null) return { kind: 'fault', reason: tooLarge(row.tooLarge) };
  const message = readMessage(source.oid, row);
  const isIn = route.filters.every((filter) => passes(filter, codec.text(message, filter.columnIndex) ?? null));
  return isIn ? undefined : { kind: 'none' };
}

/** The row as if it were inserted. */
export const readMessage = (oid: number, { tuple }: ReadRow): RowMessage => ({ tag: 'insert', oid, new: tuple });

function expectedOf(deps: ExpectDeps, shaped: Shaped, input: FunctionInput): Expected {
  const { error } = shaped;
  if (error) return { kind: 'fault', reason: `${error.function}: ${error.message}` };
  if (!shaped.kept) return { kind: 'none' };
  return { kind: 'document', index: shaped.indexName ?? deps.indexName, body: shaped.body ?? input.record };
}

function inputOf(
  deps: ExpectDeps,
  { table, row }: { table: VerifiedTable; row: ReadRow },
  action: Action,
): FunctionInput {
  const message = readMessage(table.source.oid, row);
  // As it is persisted: U+FFFD for what is no UTF-8.
  const record = table.codec.record(message);
  const key = JSON.stringify(table.codec.key(message) ?? []);
  const [at, n] = action === 'read' ? ['2000-01-01T00:00:00.000000Z', 1] : ['2001-02-03T04:05:06.789012Z', 2];
  const changing = `"commit_timestamp":"${at}","commit_lsn":${n},"commit_idx":${n},"idempotency_key":"${n}"`;
  const names = `"table_schema":${JSON.stringify(table.source.schema)},"table_name":${JSON.stringify(table.source.name)}`;
  const metadata = `{${names},${changing},"record_pks":${key},"transaction_annotations":null,${deps.metadata}}`;
  return { action, record, changes: action === 'update' ? '{}' : null, metadata };
}
