/**
 * The tables of a sink: published, taken in by its source, with a primary key, matched as capture matches them. A table
 * that the sink names and that is not published is said, for then its documents cannot be told from left-over ones.
 */

import { type Catalog, type CatalogDatabase, type CatalogSink, changeTablesIn } from '../catalog/store.ts';
import { compileRelation, type RowCodec } from '../codec/row.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { capturesByTriggers } from '../model/declared.ts';
import type { PublishedTable } from '../model/published-table.ts';
import { withoutValues } from '../model/refusal.ts';
import { takesIn } from '../model/taken-in.ts';
import { earlierNames } from '../routing/earlier-names.ts';
import { isBound, matchTable, type Route } from '../routing/match.ts';
import { describeTable, type TableDescription } from '../source/describe-table.ts';
import { readTables } from '../source/tables.ts';
import { loadTypes } from '../source/types.ts';

const KNOWN_TABLES = statement('capture/known-tables');

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
  const earlier = await earlierNames(
    { ...deps, databaseNo: database.no },
    listed.filter((table) => table.published).map(({ oid }) => oid),
  );
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
      const matched = await match(deps, { sink, database, table, earlierNames: earlier.get(table.oid) ?? [] });
      if (matched) found.tables.push({ name, ...matched });
    } catch (error) {
      if (!isTaken && !isBound(sink.settings.source, { earlierNames: earlier.get(table.oid) ?? [] })) continue;
      found.unknown.push(`${name} cannot be compared: ${withoutValues(error)}`);
    }
  }
  return found;
}

async function match(
  deps: TablesDeps,
  given: { sink: CatalogSink; database: CatalogDatabase; table: PublishedTable; earlierNames: readonly string[] },
): Promise<{ source: TableDescription; codec: RowCodec; route: Route } | undefined> {
  const { sink, database, table, earlierNames } = given;
  const publication = database.settings.publication.name;
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
