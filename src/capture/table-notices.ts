/**
 * Tables that a sink wants and whose changes do not come as they should: not there, not published, or published in a way
 * that breaks something. Said on the sink, with the statement that fixes it, for as long as it is so; otherwise a sink
 * would wait for ever and look well. A table that came into the publication late is said for good: what it held before
 * is not sent. So is one that was out of it for a while.
 */
import { isDeepStrictEqual } from 'node:util';
import { repairText } from '../checks/finding.ts';
import { leftOutSince, type PublishedAs, WAS_AWAY, WAS_NOT_NOTED } from '../checks/published-as.ts';
import type { TriggeredTable } from '../checks/triggers.ts';
import {
  checkWantedTables,
  inVain,
  type KnownTables,
  knownTables,
  nameOf,
  wasRecreated,
} from '../checks/wanted-tables.ts';
import { limitSql } from '../db/deadline.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { PublishedTable } from '../model/published-table.ts';
import { isLockTimeout } from '../model/sqlstate.ts';
import type { MissedCode } from '../notices/add.ts';
import { notePublishedAgain, replaceNotices } from '../notices/replace.ts';
import type { Publication } from '../source/publication.ts';
import { readNamed, readPublishedAs } from '../source/tables.ts';
import { forgetGone } from './gone-tables.ts';
import { type NotedDatabase, noteOfTable } from './note-of-table.ts';
import { type CameAs, type TableName, tellTakenNames } from './taken-names.ts';

const KNOW = statement('capture/know-tables');
const KNOWN = statement('capture/known-tables');
const NOTE = statement('capture/note-published');
const NOTED = statement('capture/published-tables');
const NOT_PUBLISHED = statement('capture/not-published');
const WITH_ROWS = statement('capture/tables-with-rows');

/** Replaces these notices of every sink of the database. What is published now is known from now on. */
export async function noteTables(
  { source, messages }: { source: Database; messages: Database },
  database: NotedDatabase,
  publication: Publication,
): Promise<void> {
  const known = await readKnown(messages, database.no);
  const others = await readNamed(source, inVain(database.sinks, publication, known));
  const found = checkWantedTables(database.sinks, { ...publication, others }, known).map((finding) => ({
    ...{ sinkNo: finding.sinkNo, table: finding.table, code: finding.id, message: finding.summary },
    ...{ remedy: repairText(finding) || null, catchUp: finding.catchUp },
  }));
  await replaceNotices(messages, { by: 'publication', databaseNo: database.no }, found);
  const detached = found.filter(({ code }) => code === 'table_detached');
  await notePublishedAgain(messages, database.no, detached);
  await forgetGone({ source, messages }, database.no, { publication, known });
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
}

/** As it was stored at a look: how the table was published. Triggers note its changes whatever the publication says; null: not published. */
type Noted = PublishedAs | 'triggers' | null;

interface Added {
  table: PublishedTable;
  /** It was published before, and changes may have been left out since: why. */
  leftOut?: string | undefined;
  isRecreated: boolean;
}

/**
 * Tables that came into the publication after it was made: whatever they held until then is not sent. `begun`: something was
 * captured before, so a table of ours that is published and not known came in since, also if whoever added it died. One that
 * was known and went out comes in again: taken out by hand, or unlogged for a while, also between two looks.
 *
 * Dies the process between the notice and what is remembered: it is said once more.
 */
export async function noteAdded(
  deps: AddedDeps,
  database: NotedDatabase,
  { publication, begun }: { publication: Publication; begun: boolean },
): Promise<void> {
  const looked = await readNoted(deps.messages, database.no);
  const { before, names, cameAs } = looked;
  const justAdded = new Set(publication.added.map(({ oid }) => oid));
  // Its first change may have come before this look has seen it.
  const isFirst = (oid: number): boolean => justAdded.has(oid) && !before.has(oid);
  const known = without(isFirst, await readKnown(deps.messages, database.no));
  // Whatever it was called when it was seen: a table that is renamed comes in no more than it was in.
  const seen = new Set([...known.values()].flatMap((oids) => [...oids]));
  const published = publication.tables.filter((table) => table.published);
  const isPublished = new Set(published.map(({ oid }) => oid));
  const now = await notedNow(deps.source, publication, before);
  // One that just came in and was there once has missed more than the rows that it holds: those that are gone.
  const leftOut = (table: PublishedTable): string | undefined =>
    begun && (!justAdded.has(table.oid) || before.get(table.oid) === null)
      ? leftOutOf(table, before.get(table.oid), now.get(table.oid))
      : undefined;
  // Of a name that moved to another table, the former one is still there.
  const present = new Set(publication.tables.map(({ oid }) => oid));
  const isMoved = (table: PublishedTable): boolean =>
    seen.has(table.oid) || [...(known.get(nameOf(table)) ?? [])].some((oid) => present.has(oid));
  const missed = await readNotPublished(deps.messages, database.no);
  // Also into a publication of the user's, where a sink missed it: its first change since may have made it known.
  const isNew = (table: PublishedTable): boolean =>
    justAdded.has(table.oid) ||
    (begun && publication.ours && !seen.has(table.oid)) ||
    (!before.get(table.oid) && missed.has(nameOf(table)));
  const added = published.flatMap((table): Added[] => {
    const why = leftOut(table);
    if (why === undefined && !isNew(table)) return [];
    return [{ table, leftOut: why, isRecreated: wasRecreated(table, known) && !isMoved(table) }];
  });
  await tellTakenNames(deps.messages, database, {
    ...{ tables: publication.tables, known, names, cameAs },
    held: (tables) => tablesWithRows(deps.source, tables),
  });
  await tellAdded(deps, database, added);
  // One that came in between the two readings is judged at the next look: until then it stays as it was noted.
  const judged = new Map([...now].filter(([oid]) => isPublished.has(oid)));
  for (const oid of [...before.keys(), ...seen]) if (!now.has(oid)) judged.set(oid, null);
  await note(deps.messages, database.no, { ...looked, now: judged, tables: publication.tables });
}

async function readNotPublished(messages: Database, databaseNo: number): Promise<Set<string>> {
  const { rows } = await messages.query<{ name: string }>(NOT_PUBLISHED, [databaseNo]);
  return new Set(rows.map(({ name }) => name));
}

function without(isLeftOut: (oid: number) => boolean, known: KnownTables): KnownTables {
  const others = [...known].map(([name, oids]) => [name, new Set([...oids].filter((oid) => !isLeftOut(oid)))] as const);
  return new Map(others.filter(([, oids]) => oids.size > 0));
}

/** Undefined: nothing, as far as anybody can know. */
function leftOutOf(table: PublishedTable, before: Noted | undefined, now: Noted | undefined): string | undefined {
  if (before === undefined || !now) return undefined;
  if (before === null) return now === 'triggers' ? WAS_NOT_NOTED : WAS_AWAY;
  return before === 'triggers' || now === 'triggers' ? undefined : leftOutSince(before, now, table);
}

/** As it was stored at the last look, by oid. */
interface Looked {
  before: ReadonlyMap<number, Noted>;
  names: ReadonlyMap<number, TableName | null>;
  /** Under which other names changes came since. */
  cameAs: ReadonlyMap<number, readonly CameAs[]>;
}

async function readNoted(messages: Database, databaseNo: number): Promise<Looked> {
  type Row = {
    oid: number;
    published_as: string | null;
    schema: string | null;
    name: string | null;
    cameAs: string | null;
  };
  const { rows } = await messages.query<Row>(NOTED, [databaseNo]);
  return {
    before: new Map(rows.map((row) => [row.oid, row.published_as === null ? null : JSON.parse(row.published_as)])),
    cameAs: new Map(rows.flatMap(({ oid, cameAs }) => (cameAs ? [[oid, JSON.parse(cameAs)]] : []))),
    names: new Map(
      rows.map(({ oid, schema, name }) => [oid, schema === null || name === null ? null : { schema, name }]),
    ),
  };
}

async function notedNow(
  source: Database,
  publication: Publication,
  before: ReadonlyMap<number, Noted>,
): Promise<Map<number, Noted>> {
  if (!publication.byTriggers) return await readPublishedAs(source, publication.name);
  // One that is new has its triggers made.
  const isNoted = ({ oid }: PublishedTable): boolean => !before.has(oid) || notes(publication.triggers?.get(oid));
  const there = publication.tables.filter((table) => table.published && isNoted(table));
  return new Map(there.map(({ oid }) => [oid, 'triggers']));
}

/** Do its triggers note what sessions do? Unknown: nothing speaks against it. */
const notes = (table: TriggeredTable | undefined): boolean =>
  table === undefined || (table.hasTriggers && table.enabled !== 'disabled' && table.enabled !== 'replica');

/** What is as it was stays as it is: there may be thousands. */
async function note(
  messages: Database,
  databaseNo: number,
  {
    before,
    names,
    cameAs,
    now,
    tables,
  }: Looked & { now: ReadonlyMap<number, Noted>; tables: readonly PublishedTable[] },
): Promise<void> {
  const present = new Map(tables.map(({ oid, schema, name }) => [oid, { schema, name }]));
  const isSame = (oid: number, as: Noted): boolean =>
    before.has(oid) &&
    !cameAs.has(oid) &&
    isDeepStrictEqual(before.get(oid), as) &&
    isDeepStrictEqual(names.get(oid) ?? null, present.get(oid) ?? null);
  const changed = [...now].filter(([oid, as]) => !isSame(oid, as));
  if (changed.length === 0) return;
  const columns = [changed.map(([oid]) => oid), changed.map(([, as]) => (as === null ? null : JSON.stringify(as)))];
  const called = changed.map(([oid]) => present.get(oid));
  const nameColumns = [called.map((one) => one?.schema ?? null), called.map((one) => one?.name ?? null)];
  const came = changed.map(([oid]) => (cameAs.has(oid) ? JSON.stringify(cameAs.get(oid)) : null));
  await messages.query(NOTE, [databaseNo, ...columns, ...nameColumns, came]);
}

async function tellAdded(deps: AddedDeps, database: NotedDatabase, added: readonly Added[]): Promise<void> {
  if (added.length === 0) return;
  const held = await tablesWithRows(
    deps.source,
    added.map(({ table }) => table),
  );
  for (const { table, leftOut, isRecreated } of added) {
    if (!isRecreated && leftOut === undefined && !held.has(table.oid)) continue;
    const [code, what]: [MissedCode, string] = isRecreated
      ? ['table_detached', 'was dropped and created again: what was written before it was published again is missing']
      : leftOut === undefined
        ? ['added_late', 'held rows when it came into the publication: they are not sent']
        : ['changes_left_out', leftOut];
    await noteOfTable(deps, database, { table, code, message: `${nameOf(table)} ${what}` });
  }
}

/** Oids of those that hold rows, or held some; all of them when somebody has one locked. */
export async function tablesWithRows(source: Database, tables: readonly { oid: number }[]): Promise<Set<number>> {
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
