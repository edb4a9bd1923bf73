/**
 * Tables that a sink wants and whose changes do not come as they should: not there, not published, or published in a way
 * that breaks something. Said on the sink, with the statement that fixes it, for as long as it is so; otherwise a sink
 * would wait for ever and look well. A table that came into the publication late is said for good: what it held before
 * is not sent.
 */
import { repairText } from '../checks/finding.ts';
import { checkWantedTables, type KnownTables, knownTables, nameOf, wasRecreated } from '../checks/wanted-tables.ts';
import { limitSql } from '../db/deadline.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { PublishedTable } from '../model/published-table.ts';
import { isLockTimeout } from '../model/sqlstate.ts';
import { takesIn } from '../model/taken-in.ts';
import { noteMissed } from '../notices/add.ts';
import { notePublishedAgain, replaceNotices } from '../notices/replace.ts';
import type { SinkEntry } from '../routing/match.ts';
import type { Publication } from '../source/publication.ts';

const KNOW = statement('capture/know-tables');
const KNOWN = statement('capture/known-tables');
const WITH_ROWS = statement('capture/tables-with-rows');

export interface NotedDatabase {
  no: number;
  sinks: readonly SinkEntry[];
}

/** Replaces these notices of every sink of the database. What is published now is known from now on. */
export async function noteTables(messages: Database, database: NotedDatabase, publication: Publication): Promise<void> {
  const known = await readKnown(messages, database.no);
  const found = checkWantedTables(database.sinks, publication, known).map((finding) => ({
    ...{ sinkNo: finding.sinkNo, table: finding.table, code: finding.id, message: finding.summary },
    ...{ remedy: repairText(finding) || null, catchUp: finding.catchUp },
  }));
  await replaceNotices(messages, { by: 'publication', databaseNo: database.no }, found);
  const detached = found.filter(({ code }) => code === 'table_detached');
  await notePublishedAgain(messages, database.no, detached);
  const fresh = publication.tables.filter((table) => table.published && !known.get(nameOf(table))?.has(table.oid));
  if (fresh.length === 0) return;
  const columns = [fresh.map(({ oid }) => oid), fresh.map(({ schema }) => schema), fresh.map(({ name }) => name)];
  await messages.query(KNOW, [database.no, ...columns]);
}

async function readKnown(messages: Database, databaseNo: number): Promise<KnownTables> {
  const { rows } = await messages.query<{ oid: number; name: string }>(KNOWN, [databaseNo]);
  return knownTables(rows);
}

/**
 * Tables that came into the publication after it was made: whatever they held until then is not sent. `begun`: something was
 * captured before, so a table of ours that is published and not known came in since, also if whoever added it died.
 */
export async function noteAdded(
  deps: { source: Database; messages: Database },
  database: NotedDatabase,
  { publication, begun }: { publication: Publication; begun: boolean },
): Promise<void> {
  const known = await readKnown(deps.messages, database.no);
  const isUnknown = (table: PublishedTable): boolean => !known.get(nameOf(table))?.has(table.oid);
  const justAdded = new Set(publication.added.map(({ oid }) => oid));
  const added = publication.tables.filter(
    (table) => table.published && (justAdded.has(table.oid) || (begun && publication.ours && isUnknown(table))),
  );
  if (added.length === 0) return;
  const held = await tablesWithRows(deps.source, added);
  for (const table of added) {
    const recreated = wasRecreated(table, known);
    if (!recreated && !held.has(table.oid)) continue;
    const sinks = database.sinks.filter(
      ({ settings }) => settings.status !== 'disabled' && takesIn(settings.source, table),
    );
    const message = recreated
      ? `${nameOf(table)} was dropped and created again: what was written before it was published again is missing`
      : `${nameOf(table)} held rows when it came into the publication: they are not sent`;
    const code = recreated ? 'table_detached' : 'added_late';
    const missed = { code, table: nameOf(table), message } as const;
    await noteMissed(
      deps.messages,
      sinks.map(({ no }) => no),
      missed,
    );
  }
}

/** Oids of those that hold rows, or held some; all of them when somebody has one locked. */
async function tablesWithRows(source: Database, tables: readonly PublishedTable[]): Promise<Set<number>> {
  const oids = tables.map(({ oid }) => oid);
  try {
    const rows = await source.transaction(async (tx) => {
      await tx.query(limitSql({ lockMs: 500 }));
      return (await tx.query<{ oid: number }>(WITH_ROWS, [oids])).rows;
    });
    return new Set(rows.map(({ oid }) => oid));
  } catch (error) {
    if (isLockTimeout(error)) return new Set(oids);
    throw error;
  }
}
