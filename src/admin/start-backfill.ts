/**
 * Starts a backfill. What can be known to be wrong is said before anything is started; the rest (whether the source has the table, and the value fits its column) is the backfill's own to say.
 */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import { nearest } from '../model/finding.ts';
import { isConflict } from '../model/sqlstate.ts';
import { findSink, type NamedSink } from './find-sink.ts';

const START = statement('admin/start-backfill');
const RUNNING = statement('admin/running-backfill');
const TABLE_PARTS = statement('admin/table-parts');
const FORMER_NAMES = statement('admin/former-names');

export interface BackfillRequest {
  sink: string;
  /** As SQL writes it; absent: all tables of the sink. */
  table?: string | undefined;
  /** Only rows from this value of this column on; needs a table. */
  from?: { column: string; value: string } | undefined;
}

/** Starts it. The backfill's id. @throws MillraceError */
export async function startBackfill(db: Queryable, request: BackfillRequest): Promise<string> {
  const sink = await findSink(db, request.sink);
  const table = request.table === undefined ? undefined : await partsOf(db, request.table);
  if (table) await checkTaken(db, sink, table);
  try {
    const { rows } = await db.query<{ id: string }>(START, [
      ...[sink.name, request.table ?? null, request.from?.column ?? null, request.from?.value ?? null],
    ]);
    return rows[0]!.id;
  } catch (error) {
    if (!isConflict(error)) throw error;
    const { rows } = await db.query<{ id: string }>(RUNNING, [sink.no, table?.schema ?? null, table?.name ?? null]);
    const id = rows[0]?.id ?? 'ID';
    throw new MillraceError('operation_running', error.message, {
      facts: { id },
      remedy: `bin/millrace backfills show ${id} watches it; bin/millrace backfills cancel ${id} ends it.`,
    });
  }
}

interface TableParts {
  schema: string;
  name: string;
}

async function partsOf(db: Queryable, table: string): Promise<TableParts> {
  return (await db.query<TableParts>(TABLE_PARTS, [table])).rows[0]!;
}

async function checkTaken(db: Queryable, { no, name, settings }: NamedSink, table: TableParts): Promise<void> {
  const full = `${table.schema}.${table.name}`;
  const { include_tables, exclude_tables, include_schemas, exclude_schemas } = settings.source;
  const fault = (remedy: string): MillraceError =>
    new MillraceError('invalid', `sink ${name} does not take in ${full}`, { remedy });
  if (include_tables !== null && !include_tables.includes(full)) {
    // A sink stays bound to a table that it names; whether that is so still, capture finds out.
    const { rows } = await db.query<{ name: string }>(FORMER_NAMES, [no, table.schema, table.name]);
    if (rows.some((former) => include_tables.includes(former.name))) return;
    const close = nearest(full, include_tables);
    throw fault(`${close === undefined ? '' : `Did you mean ${close}? `}Its tables: ${include_tables.join(', ')}.`);
  }
  if (exclude_tables?.includes(full)) throw fault('It is in its source.exclude_tables.');
  if (include_schemas !== null && !include_schemas.includes(table.schema))
    throw fault(`Its schemas: ${include_schemas.join(', ')}.`);
  if (exclude_schemas?.includes(table.schema)) throw fault(`Schema ${table.schema} is in its source.exclude_schemas.`);
}
