/**
 * Names that passed from one table to another since the last look, as a deploy swaps them: a sink that names one has what the former
 * table held, and nothing of what the other one held when it took the name. No change tells so. Nor of what a table held that takes a name which a
 * sink gives, and nobody had.
 */
import { type KnownTables, nameOf } from '../checks/wanted-tables.ts';
import type { Database } from '../db/pool.ts';
import type { SourceSettings } from '../model/declared.ts';
import type { PublishedTable } from '../model/published-table.ts';
import { qualified, takerOf } from '../model/taken-in.ts';
import { addNotices, type MissedCode } from '../notices/add.ts';
import type { SinkNotice } from '../notices/notice.ts';
import { isBound } from '../routing/match.ts';
import type { NotedDatabase } from './note-of-table.ts';

export type TableName = Pick<PublishedTable, 'schema' | 'name'>;

/** What tables were called at the last look, by oid. Null: there was no such table, or nobody knows. Absent: it was not seen. */
export type NamesBefore = ReadonlyMap<number, TableName | null>;

/** What a table was called when its changes came since the last look, and those of its other names that nobody had then: `schema.table`. */
export interface CameAs extends TableName {
  free: readonly string[];
}

interface Look {
  tables: readonly PublishedTable[];
  /** Names in the order in which they came up. */
  known: KnownTables;
  names: NamesBefore;
  /** By oid, of those that had another name meanwhile. */
  cameAs: ReadonlyMap<number, readonly CameAs[]>;
  /** Oids of those that hold rows, or may. */
  held(tables: readonly PublishedTable[]): Promise<ReadonlySet<number>>;
}

/** Tells the sinks whose table is another one now. Who has the changes of both tables before and after misses nothing. */
export async function tellTakenNames(messages: Database, database: NotedDatabase, look: Look): Promise<void> {
  const { tables, known, names, cameAs } = look;
  const present = new Map(tables.map((table) => [table.oid, table]));
  const holders = new Map([...names].flatMap(([oid, name]) => (name ? [[nameOf(name), oid]] : [])));
  const sinks = database.sinks
    .filter(({ settings }) => settings.status !== 'disabled')
    .map(({ no, settings: { source } }) => ({ no, source, takes: takerOf(source) }));
  const come: { table: PublishedTable; sinks: number[] }[] = [];
  const notices: SinkNotice[] = [];
  const tell = (table: string, to: readonly number[], told: { code: MissedCode; message: string }): void => {
    notices.push(...to.map((sinkNo) => ({ ...told, sinkNo, table, remedy: null, catchUp: true })));
  };
  const given = new Set(tables.map(nameOf));
  const schemas = new Set(tables.map(({ schema }) => schema));
  /** It had another name for a while: who takes the one alone has too little of it, or too much of what is called like the other. */
  const tellMeanwhile = (as: CameAs, table: PublishedTable): void => {
    const [name, other] = [nameOf(table), nameOf(as)];
    const came = (sink: (typeof sinks)[number]): boolean =>
      sink.takes(as) || isBound(sink.source, { earlierNames: as.free });
    const without = sinks.filter((sink) => sink.takes(table) && !came(sink));
    const message = `${name} was called ${other} for a while: changes that were made meanwhile may be missing`;
    tell(name, numbersOf(without), { code: 'changes_left_out', message });
    if (!given.has(other)) return;
    const beyond = sinks.filter((sink) => sink.takes(as) && !sink.takes(table));
    const what = `${other} was another table for a while: what came of that one is not taken back`;
    tell(other, numbersOf(beyond), { code: 'table_detached', message: what });
  };
  for (const table of tables) {
    const was = names.get(table.oid);
    const name = nameOf(table);
    if (!table.published) continue;
    for (const meanwhile of cameAs.get(table.oid) ?? [])
      if (nameOf(meanwhile) !== name) tellMeanwhile(meanwhile, table);
    if (was === null || (was && nameOf(was) === name)) continue;
    const holder = holders.get(name);
    // The name may have been free for a while.
    const former = (holder === undefined ? [...(known.get(name) ?? [])] : [holder]).filter((oid) => oid !== table.oid);
    const others = former.map((oid) => present.get(oid));
    const taking = sinks.filter(({ takes }) => takes(table));
    const fresh = taking.filter(({ takes }) => was && !takes(was));
    if (former.length > 0) {
      const apart = taking.filter(({ takes }) => !others.every((other) => other?.published && takes(other)));
      const to = numbersOf([...new Set([...fresh, ...apart])]);
      const message = `${name} is another table than before: rows that it held when it took the name are not sent, and those of the former one are not taken back`;
      tell(name, to, { code: 'table_detached', message });
    } else if (was && !isBack(known, name, nameOf(was))) {
      const to = numbersOf(fresh.filter(({ source }) => !isLeftOutInVain(source, was, schemas)));
      if (to.length > 0) come.push({ table, sinks: to });
    } else if (was) {
      const isFree = (one: string): boolean => (holders.get(one) ?? table.oid) === table.oid;
      const free = [...known].filter(([one, oids]) => oids.has(table.oid) && isFree(one)).map(([one]) => one);
      tellMeanwhile({ ...was, free }, table);
    }
  }
  const held = come.length > 0 ? await look.held(come.map(({ table }) => table)) : new Set();
  for (const { table, sinks: to } of come.filter((one) => held.has(one.table.oid)))
    tell(nameOf(table), to, {
      code: 'added_late',
      message: `${nameOf(table)} held rows when it got this name: they are not sent`,
    });
  if (notices.length > 0) await addNotices(messages, notices);
}

/** Is it left out by this name, or by its schema, which nobody has any more? That is told already, and perhaps it is not wanted at all. */
const isLeftOutInVain = (source: SourceSettings, was: TableName, schemas: ReadonlySet<string>): boolean =>
  source.exclude_tables?.some((name) => qualified(name) === nameOf(was)) === true ||
  (source.exclude_schemas?.includes(was.schema) === true && !schemas.has(was.schema));

const numbersOf = (sinks: readonly { no: number }[]): number[] => sinks.map(({ no }) => no);

/** A table that has one of its former names again: sinks that give this one went on with it meanwhile. */
function isBack(known: KnownTables, name: string, was: string): boolean {
  if (!known.has(name)) return false;
  for (const one of known.keys()) if (one === name || one === was) return one === name;
  return false;
}
