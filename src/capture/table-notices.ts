/**
 * Tables that a sink wants and whose changes do not come as they should: not there, not published, or published in a way
 * that breaks something. Said on the sink, with the statement that fixes it, for as long as it is so; otherwise a sink
 * would wait for ever and look well. A table that came into the publication late is said for good: what it held before
 * is not sent. So is one that was out of it for a while.
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

export interface AddedDeps {
  source: Database;
  messages: Database;
  /** Oids of tables that were known and not published when they were looked at last. */
  away: Set<number>;
}

/**
 * Tables that came into the publication after it was made: whatever they held until then is not sent. `begun`: something was
 * captured before, so a table of ours that is published and not known came in since, also if whoever added it died. One that
 * was known and went out comes in again: taken out by hand, or unlogged for a while.
 */
export async function noteAdded(
  deps: AddedDeps,
  database: NotedDatabase,
  { publication, begun }: { publication: Publication; begun: boolean },
): Promise<void> {
  const known = await readKnown(deps.messages, database.no);
  // Whatever it was called when it was seen: a table that is renamed comes in no more than it was in.
  const seen = new Set([...known.values()].flatMap((oids) => [...oids]));
  const justAdded = new Set(publication.added.map(({ oid }) => oid));
  const published = publication.tables.filter((table) => table.published);
  const returned = new Set(published.map(({ oid }) => oid).filter((oid) => deps.away.has(oid) && !justAdded.has(oid)));
  const added = published.filter(
    (table) =>
      justAdded.has(table.oid) || returned.has(table.oid) || (begun && publication.ours && !seen.has(table.oid)),
  );
  // Of a name that moved to another table, the former one is still there.
  const present = new Set(publication.tables.map(({ oid }) => oid));
  const isMoved = (table: PublishedTable): boolean =>
    seen.has(table.oid) || [...(known.get(nameOf(table)) ?? [])].some((oid) => present.has(oid));
  const recreated = new Set(added.filter((table) => wasRecreated(table, known) && !isMoved(table)));
  await tellAdded(deps, database, { recreated, returned, added });
  const there = new Set(published.map(({ oid }) => oid));
  deps.away.clear();
  for (const oid of seen) if (!there.has(oid)) deps.away.add(oid);
}

async function tellAdded(
  deps: AddedDeps,
  database: NotedDatabase,
  what: { recreated: ReadonlySet<PublishedTable>; returned: ReadonlySet<number>; added: readonly PublishedTable[] },
): Promise<void> {
  const { added } = what;
  if (added.length === 0) return;
  const held = await tablesWithRows(deps.source, added);
  for (const table of added) {
    const recreated = what.recreated.has(table);
    const isBack = what.returned.has(table.oid);
    if (!recreated && !isBack && !held.has(table.oid)) continue;
    const sinks = database.sinks.filter(
      ({ settings }) => settings.status !== 'disabled' && takesIn(settings.source, table),
    );
    const message = recreated
      ? `${nameOf(table)} was dropped and created again: what was written before it was published again is missing`
      : isBack
        ? `${nameOf(table)} was out of the publication for a while: changes that were made meanwhile may be missing`
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
