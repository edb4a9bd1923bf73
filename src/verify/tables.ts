/**
 * The tables of a sink: published, taken in by its source, with a primary key, matched as capture matches them. A table
 * that the sink names and that is not published is said, for then its documents cannot be told from left-over ones.
 */

import { type Catalog, type CatalogDatabase, type CatalogSink, changeTablesIn } from '../catalog/store.ts';
import { compileRelation, type RowCodec } from '../codec/row.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { capturesByTriggers } from '../model/declared.ts';
import { messageOf } from '../model/errors.ts';
import type { PublishedTable } from '../model/published-table.ts';
import { takesIn } from '../model/taken-in.ts';
import { isBound, matchTable, type Route } from '../routing/match.ts';
import { describeTable, type TableDescription } from '../source/describe-table.ts';
import { readTables } from '../source/tables.ts';
import { loadTypes } from '../source/types.ts';

const KNOWN_TABLES = statement('capture/known-tables');
const EARLIER_NAMES = statement('routing/earlier-names');
const FREE_NAMES = statement('routing/free-names');

export interface VerifiedTable {
  /** `schema.table` */
  name: string;
  source: TableDescription;
  codec: RowCodec;
  route: Route;
}

export interface TablesDeps {
  source: Database;
  messages: Database;
  catalog: Catalog;
}

export interface FoundTables {
  tables: VerifiedTable[];
  /** Tables whose documents may be in the index though they are not compared, each with the reason. */
  unknown: string[];
}

/** Throws what the source says. */
export async function findTables(
  deps: TablesDeps,
  { sink, database }: { sink: CatalogSink; database: CatalogDatabase },
): Promise<FoundTables> {
  const publication = database.settings.publication.name;
  const listed = await readTables(deps.source, publication);
  const { rows: known } = await deps.messages.query<{ oid: number; name: string }>(KNOWN_TABLES, [database.no]);
  const captured = new Set(known.map(({ oid }) => oid));
  const found: FoundTables = { tables: [], unknown: [] };
  for (const table of listed) {
    const name = `${table.schema}.${table.name}`;
    const isTaken = takesIn(sink.settings.source, table);
    if (!table.published) {
      const isNamed = sink.settings.source.include_tables !== null;
      if (isTaken && (isNamed || captured.has(table.oid)))
        found.unknown.push(`${name} is taken in by the sink and is not in publication ${publication}`);
      continue;
    }
    if (!table.has_key) continue;
    try {
      const matched = await match(deps, { sink, database, table });
      if (matched) found.tables.push({ name, ...matched });
    } catch (error) {
      const earlierNames = isTaken ? [] : await earlierNamesOf(deps, { databaseNo: database.no, table });
      if (!isTaken && !isBound(sink.settings.source, { earlierNames })) continue;
      found.unknown.push(`${name} cannot be compared: ${messageOf(error)}`);
    }
  }
  return found;
}

async function match(
  deps: TablesDeps,
  given: { sink: CatalogSink; database: CatalogDatabase; table: PublishedTable },
): Promise<{ source: TableDescription; codec: RowCodec; route: Route } | undefined> {
  const { sink, database, table } = given;
  const publication = database.settings.publication.name;
  const earlierNames = await earlierNamesOf(deps, { databaseNo: database.no, table });
  const byTriggers = capturesByTriggers(database.settings);
  const source = await describeTable(deps.source, { ...table, publication, byTriggers });
  const types = await loadTypes(
    deps.source,
    source.columns.map(({ typeOid }) => typeOid),
  );
  const keyColumns = source.keys.map(({ name }) => name);
  const shape = { ...source.message, keyColumns, types, earlierNames };
  const [route] = matchTable([sink], shape, changeTablesIn(deps.catalog, database.settings.name)).routes;
  return route && { source, codec: compileRelation(types, source.message, { keyColumns }), route };
}

/** Names that the table had when its changes came, and that no other table has now: the sink stays bound to it. */
async function earlierNamesOf(
  deps: TablesDeps,
  given: { databaseNo: number; table: PublishedTable },
): Promise<string[]> {
  const { oid, schema, name } = given.table;
  const earlier = await deps.messages.query<{ schema: string; name: string }>(EARLIER_NAMES, [
    ...[given.databaseNo, oid, schema, name],
  ]);
  if (earlier.rows.length === 0) return [];
  const columns = [earlier.rows.map((row) => row.schema), earlier.rows.map((row) => row.name)];
  const free = await deps.source.query<{ name: string }>(FREE_NAMES, columns);
  return free.rows.map((row) => row.name);
}
