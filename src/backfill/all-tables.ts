/** The tables of a sink that can be backfilled: what it takes in of the publication, if it has a primary key. */

import type { Streaming } from '../capture/method.ts';
import type { Database } from '../db/pool.ts';
import { isTakenIn } from '../routing/match.ts';
import { readTables } from '../source/tables.ts';

export interface TablesFound {
  tables: { schema: string; name: string }[];
  /** What was left out and why, for people. */
  left: string;
}

export async function tablesFor(streaming: Streaming, source: Database, sinkNo: number): Promise<TablesFound> {
  const { settings, sinks, changeTables } = streaming.database;
  const sink = sinks.find((one) => one.no === sinkNo);
  if (!sink) return { tables: [], left: '' };
  const all = await readTables(source, settings.publication.name);
  const wanted = all.filter((table) => table.published && isTakenIn(sink, table, changeTables));
  const keyless = wanted.filter((table) => !table.has_key).map((table) => `${table.schema}.${table.name}`);
  return {
    tables: wanted.filter((table) => table.has_key).map(({ schema, name }) => ({ schema, name })),
    left: keyless.length === 0 ? '' : `; without a primary key, and left out: ${keyless.join(', ')}`,
  };
}
