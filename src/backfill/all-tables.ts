/**
 * The tables of a sink that can be backfilled: what it takes in of the publication, or named before it was called otherwise, if it is
 * captured and has a primary key.
 */

import type { Streaming } from '../capture/method.ts';
import type { Database } from '../db/pool.ts';
import type { PublishedTable } from '../model/published-table.ts';
import { earlierNames } from '../routing/earlier-names.ts';
import { isBound, isTakenIn } from '../routing/match.ts';
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
  const published = all.filter((table) => table.published);
  const earlier = await earlierNames(
    { ...streaming.relations, source },
    published.map(({ oid }) => oid),
  );
  const wanted = published.filter(
    (table) =>
      isTakenIn(sink, table, changeTables) ||
      isBound(sink.settings.source, { earlierNames: earlier.get(table.oid) ?? [] }),
  );
  const isNoted = (table: PublishedTable): boolean =>
    !(streaming.byTriggers && (table.some_columns || table.some_rows));
  const left = (why: string, tables: readonly PublishedTable[]): string =>
    tables.length === 0
      ? ''
      : `; ${why}, and left out: ${tables.map((table) => `${table.schema}.${table.name}`).join(', ')}`;
  const noted = wanted.filter(isNoted);
  return {
    tables: noted.filter((table) => table.has_key).map(({ schema, name }) => ({ schema, name })),
    left:
      left(
        'without a primary key',
        noted.filter((table) => !table.has_key),
      ) +
      left(
        'not captured by triggers because of a list of columns or a row filter',
        wanted.filter((table) => !isNoted(table)),
      ),
  };
}
