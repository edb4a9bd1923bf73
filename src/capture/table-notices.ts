/**
 * Tables that a sink wants and whose changes do not come as they should: not there, not published, or published in a way
 * that breaks something. Said on the sink, with the statement that fixes it, for as long as it is so; otherwise a sink
 * would wait for ever and look well. A table that came into the publication late is said for good: what it held before
 * is not sent.
 */
import { limitSql } from '../db/deadline.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { isLockTimeout } from '../model/sqlstate.ts';
import { noteMissed } from '../notices/add.ts';
import type { SinkNotice } from '../notices/notice.ts';
import { notePublishedAgain, replaceNotices } from '../notices/replace.ts';
import { type SinkEntry, takesIn } from '../routing/match.ts';
import type { Publication } from '../source/publication.ts';
import { checkTable, generatedLeftOut } from '../source/table-checks.ts';
import type { PublishedTable } from '../source/tables.ts';

const KNOW = statement('capture/know-tables');
const KNOWN = statement('capture/known-tables');
const WITH_ROWS = statement('capture/tables-with-rows');

export interface NotedDatabase {
  no: number;
  sinks: readonly SinkEntry[];
}

const nameOf = (table: PublishedTable): string => `${table.schema}.${table.name}`;

/** Replaces these notices of every sink of the database. What is published now is known from now on. */
export async function noteTables(messages: Database, database: NotedDatabase, publication: Publication): Promise<void> {
  const known = await readKnown(messages, database.no);
  const found = tableNotices(database.sinks, publication, known);
  await replaceNotices(messages, { by: 'publication', databaseNo: database.no }, found);
  const detached = found.filter(({ code }) => code === 'table_detached');
  await notePublishedAgain(messages, database.no, detached);
  const fresh = publication.tables.filter((table) => table.published && !known.get(nameOf(table))?.has(table.oid));
  if (fresh.length === 0) return;
  const columns = [fresh.map(({ oid }) => oid), fresh.map(({ schema }) => schema), fresh.map(({ name }) => name)];
  await messages.query(KNOW, [database.no, ...columns]);
}

/**
 * Notices as they hold now. A name that was known by another oid only is a table that was dropped and created again.
 */
export function tableNotices(sinks: readonly SinkEntry[], publication: Publication, known: KnownTables): SinkNotice[] {
  const found: SinkNotice[] = [];
  const there = new Set(publication.tables.map(nameOf));
  const locked = new Set(publication.locked.map(({ oid }) => oid));
  for (const { no, settings } of sinks) {
    if (settings.status === 'disabled') continue;
    for (const name of settings.source.include_tables ?? []) {
      const table = name.includes('.') ? name : `public.${name}`;
      if (there.has(table)) continue;
      const renamed = renamedTo(table, publication, known);
      found.push({
        sinkNo: no,
        table,
        code: 'table_missing',
        message: renamed
          ? `table ${table} is called ${renamed} now: its changes still come`
          : `there is no table ${table}`,
        remedy: renamed ? `Write ${renamed} into include_tables.` : null,
      });
    }
    for (const table of publication.tables) {
      if (!takesIn(settings.source, table)) continue;
      if (locked.has(table.oid)) {
        const verb = table.published ? 'leave' : 'come into';
        const message = `${nameOf(table)} is to ${verb} the publication, and somebody has it locked: it is tried again each 30 s`;
        found.push({ sinkNo: no, table: nameOf(table), code: 'not_published', message, remedy: whoLocks(table) });
        continue;
      }
      const finding = checkTable(publication, table, wasRecreated(table, known));
      for (const one of [finding, generatedLeftOut(publication, table)])
        if (one) found.push({ sinkNo: no, table: nameOf(table), ...one, catchUp: one.code === 'table_detached' });
    }
  }
  return found;
}

const whoLocks = ({ oid }: PublishedTable): string =>
  `select pid, mode, query from pg_locks join pg_stat_activity using (pid) where relation = ${oid} and granted`;

const wasRecreated = (table: PublishedTable, known: KnownTables): boolean => {
  const oids = known.get(nameOf(table));
  return oids !== undefined && !oids.has(table.oid);
};

function renamedTo(name: string, publication: Publication, known: KnownTables): string | undefined {
  const oids = known.get(name);
  const table = oids && publication.tables.find(({ oid }) => oids.has(oid));
  return table && nameOf(table);
}

/** Oids by name, of tables that were seen in the publication, or whose changes have come. */
type KnownTables = ReadonlyMap<string, ReadonlySet<number>>;

async function readKnown(messages: Database, databaseNo: number): Promise<KnownTables> {
  const { rows } = await messages.query<{ oid: number; name: string }>(KNOWN, [databaseNo]);
  const byName = Map.groupBy(rows, (row) => row.name);
  return new Map([...byName].map(([name, group]) => [name, new Set(group.map((row) => row.oid))]));
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
