/**
 * Names that passed from one table to another since the last look, as a deploy swaps them: a sink that names one has what the former
 * table held, and nothing of what the other one held when it took the name. No change tells so. Nor of what a table held that takes a name which a
 * sink gives, and nobody had.
 */
import { type KnownTables, nameOf } from '../checks/wanted-tables.ts';
import type { Database } from '../db/pool.ts';
import type { PublishedTable } from '../model/published-table.ts';
import { takerOf } from '../model/taken-in.ts';
import { addNotices, type MissedCode } from '../notices/add.ts';
import type { SinkNotice } from '../notices/notice.ts';
import type { NotedDatabase } from './note-of-table.ts';

export type TableName = Pick<PublishedTable, 'schema' | 'name'>;

/** What tables were called at the last look, by oid. Null: there was no such table, or nobody knows. Absent: it was not seen. */
export type NamesBefore = ReadonlyMap<number, TableName | null>;

interface Look {
  tables: readonly PublishedTable[];
  /** Names in the order in which they came up. */
  known: KnownTables;
  names: NamesBefore;
  /** Oids of those that hold rows, or may. */
  held(tables: readonly PublishedTable[]): Promise<ReadonlySet<number>>;
}

/** Tells the sinks whose table is another one now. Who has the changes of both tables before and after misses nothing. */
export async function tellTakenNames(messages: Database, database: NotedDatabase, look: Look): Promise<void> {
  const { tables, known, names } = look;
  const present = new Map(tables.map((table) => [table.oid, table]));
  const holders = new Map([...names].flatMap(([oid, name]) => (name ? [[nameOf(name), oid]] : [])));
  const sinks = database.sinks
    .filter(({ settings }) => settings.status !== 'disabled')
    .map(({ no, settings: { source } }) => ({
      ...{ no, takes: takerOf(source), names: source.include_tables !== null || source.include_schemas !== null },
    }));
  const come: { table: PublishedTable; sinks: number[] }[] = [];
  const notices: SinkNotice[] = [];
  const tell = (table: string, to: readonly number[], told: { code: MissedCode; message: string }): void => {
    notices.push(...to.map((sinkNo) => ({ ...told, sinkNo, table, remedy: null, catchUp: true })));
  };
  for (const table of tables) {
    const was = names.get(table.oid);
    const name = nameOf(table);
    if (!table.published || was === null || (was && nameOf(was) === name)) continue;
    const holder = holders.get(name);
    // The name may have been free for a while.
    const former = (holder === undefined ? [...(known.get(name) ?? [])] : [holder]).filter((oid) => oid !== table.oid);
    const others = former.map((oid) => present.get(oid));
    const taking = sinks.filter(({ takes }) => takes(table));
    const fresh = taking.filter(({ takes }) => was && !takes(was));
    if (former.length > 0) {
      const apart = taking.filter(({ takes }) => !others.every((other) => other?.published && takes(other)));
      const to = [...new Set([...fresh, ...apart])].map(({ no }) => no);
      const message = `${name} is another table than before: rows that it held when it took the name are not sent, and those of the former one are not taken back`;
      tell(name, to, { code: 'table_detached', message });
    } else if (was && !isBack(known, name, nameOf(was))) {
      const to = fresh.filter((sink) => sink.names).map(({ no }) => no);
      if (to.length > 0) come.push({ table, sinks: to });
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

/** A table that has one of its former names again: sinks that give this one went on with it meanwhile. */
function isBack(known: KnownTables, name: string, was: string): boolean {
  if (!known.has(name)) return false;
  for (const one of known.keys()) if (one === name || one === was) return one === name;
  return false;
}
