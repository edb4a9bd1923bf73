/** The tables of a source as they are now, for a person who looks: pages of them, the shape of one, some of its rows. */
import type { Catalog } from '../catalog/store.ts';
import type { Finding } from '../checks/finding.ts';
import { neverCaptured } from '../checks/never-captured.ts';
import { type PublicationFacts, plannedPublication } from '../checks/publication.ts';
import { checkTable, generatedLeftOut } from '../checks/table.ts';
import { checkTriggered, type TriggeredTable } from '../checks/triggers.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { capturesByTriggers, type DatabaseSettings } from '../model/declared.ts';
import type { FunctionInput } from '../model/message.ts';
import type { ListedKind, PublishedTable } from '../model/published-table.ts';
import type { QuotedTable } from '../model/quote.ts';
import { takerOf } from '../model/taken-in.ts';
import { ensurePublication, isWanted } from '../source/publication.ts';
import { readPublication } from '../source/publication-facts.ts';
import { type RecordType, recordType } from '../source/record-type.ts';
import { readShape, sampleRows } from '../source/sample.ts';
import { readVersion } from '../source/server-version.ts';
import { readTables, schemasOf } from '../source/tables.ts';
import { readTriggerFacts } from '../source/triggers/for-checks.ts';
import { askSource, findDatabase, type OutsideDeps } from './outside.ts';

const LIST = statement('source/list-tables');
export interface ListedTable {
  oid: number;
  schema: string;
  name: string;
  /** All but `table` can never be captured as they are. */
  kind: ListedKind;
  partitioned: boolean;
  identity: 'default' | 'nothing' | 'full' | 'index';
  /** The primary key's columns, in its order. */
  key: string[];
  published: boolean;
  size_bytes: number;
  /** Null: nobody has counted. */
  estimated_rows: number | null;
  columns: { name: string; type: string; not_null: boolean; generated: 'stored' | 'virtual' | null }[] | null;
  /** Names of those that take it in. */
  sinks: string[];
  /** Null: not asked for. */
  capture: TableCapture | null;
}

/** How the changes of a table come. */
export interface TableCapture {
  /** They do, or will by themselves as soon as a sink wants them. */
  comes: boolean;
  /** What keeps them from coming as they should. */
  finding: Finding | null;
}

export interface TablesRequest {
  after: readonly [schema: string, name: string] | undefined;
  limit: number;
  schema?: string | undefined;
  q?: string | undefined;
  columns: boolean;
  capture: boolean;
}

/** One more than asked for, if there are more. @throws MillraceError not_found, source_unavailable */
export async function listTables(on: OutsideDeps, ref: string, request: TablesRequest): Promise<ListedTable[]> {
  const { catalog, database } = await findDatabase(on, ref);
  const { after, limit, schema, q, columns } = request;
  const { publication } = database.settings;
  const { rows, captured } = await askSource(database, async (source) => {
    const [afterSchema = null, afterName = null] = after ?? [];
    const asked = [publication.name, await schemasOf(source, publication.name), afterSchema, afterName];
    const list = await source.query<ListedTable>(LIST, [...asked, schema ?? null, q ?? null, limit + 1, columns]);
    const oids = list.rows.filter(({ kind }) => kind === 'table').map(({ oid }) => oid);
    return {
      rows: list.rows,
      captured: request.capture ? await readCaptured(source, database.settings, oids) : undefined,
    };
  });
  const taking = sinksOf(catalog, database.no);
  return rows.map((row) => ({
    ...row,
    sinks: row.kind === 'table' ? taking(row) : [],
    capture: captured === undefined ? null : (captured.get(row.oid) ?? never(row)),
  }));
}

/** Null of a table that was dropped between two looks. */
function never({ kind, schema, name }: ListedTable): TableCapture | null {
  if (kind === 'table') return null;
  return { comes: false, finding: neverCaptured('not_published', { schema, name, kind, root: null }) };
}

/** By oid. A publication that we are yet to make is looked at as we shall make it. */
async function readCaptured(
  source: Database,
  { publication: { name, create_if_not_exists: isOurs }, ...settings }: DatabaseSettings,
  oids: readonly number[],
): Promise<Map<number, TableCapture>> {
  const version = await readVersion(source);
  const byTriggers = capturesByTriggers(settings);
  const found = await readPublication(source, name, version);
  const facts = { ...(found ?? plannedPublication(name, { version, isOurs, byTriggers })), byTriggers };
  const tables = await readTables(source, name, oids);
  const triggers = byTriggers ? (await readTriggerFacts(source, name)).tables : undefined;
  return new Map(tables.map((table) => [table.oid, captureOf(facts, table, triggers?.get(table.oid))]));
}

function captureOf(
  publication: PublicationFacts,
  table: PublishedTable,
  triggered: TriggeredTable | undefined,
): TableCapture {
  if (publication.ours && !table.published && isWanted(table, publication)) return { comes: true, finding: null };
  const finding = checkTable(publication, table, false) ?? generatedLeftOut(publication, table) ?? null;
  const noted = triggered && checkTriggered(triggered, publication);
  // Capture makes them by itself.
  if (noted?.id === 'trigger_missing' && triggered?.mayMake) return { comes: true, finding };
  if (noted) return { comes: noted.status !== 'error', finding: noted };
  return { comes: table.published, finding };
}

function sinksOf({ sinks }: Catalog, databaseNo: number): (table: QuotedTable) => string[] {
  const reading = sinks
    .filter((sink) => sink.databaseNo === databaseNo)
    .map(({ name, settings }) => ({ name, takes: takerOf(settings.source) }));
  return (table) => reading.filter(({ takes }) => takes(table)).map(({ name }) => name);
}

/** @throws MillraceError not_found, source_unavailable */
export async function showRecordType(on: OutsideDeps, ref: string, table: QuotedTable): Promise<RecordType> {
  const { database } = await findDatabase(on, ref);
  return recordType(await askSource(database, (source) => readShape(source, table)));
}

/** Rows as messages of a backfill, the last ones by their key. @throws MillraceError not_found, source_unavailable */
export async function readRows(
  on: OutsideDeps,
  ref: string,
  { table, limit }: { table: QuotedTable; limit: number },
): Promise<FunctionInput[]> {
  const { database } = await findDatabase(on, ref);
  const { id, settings } = database;
  const { host: hostname, database: name } = database.address();
  const rows = await askSource(database, async (source) => sampleRows(source, await readShape(source, table), limit));
  return rows.map(({ record, pks }, index) => {
    const metadata = {
      ...{ table_schema: table.schema, table_name: table.name, commit_timestamp: new Date().toISOString() },
      ...{ commit_lsn: 0, commit_idx: index, idempotency_key: `read-${index}`, record_pks: pks },
      ...{ transaction_annotations: null, database_name: settings.name },
      database: { id, name: settings.name, annotations: settings.annotations, database: name, hostname },
    };
    return { action: 'read', record, changes: null, metadata: JSON.stringify(metadata) };
  });
}

export interface Refreshed {
  /** That are published. */
  tables: number;
  /** That came into our publication just now, `schema.table`. */
  added: string[];
}

/**
 * Looks at the source again, and brings the publication up to date if it is one that we keep up. One that is not there is
 * made by capture, with its slot. @throws MillraceError not_found, source_unavailable
 */
export async function refreshTables(on: OutsideDeps, ref: string): Promise<Refreshed> {
  const { database } = await findDatabase(on, ref);
  const { publication } = database.settings;
  return await askSource(database, async (source) => {
    const version = await readVersion(source);
    const facts = await readPublication(source, publication.name, version);
    const { tables, added } = facts?.ours
      ? await ensurePublication(source, { ...publication, byTriggers: capturesByTriggers(database.settings) }, version)
      : { tables: await known(source, facts?.name), added: [] };
    return {
      tables: tables.filter(({ published }) => published).length,
      added: added.map(({ schema, name }) => `${schema}.${name}`),
    };
  });
}

const known = async (source: Database, publication: string | undefined) =>
  publication === undefined ? [] : await readTables(source, publication);
