/**
 * Names that passed from one table to another since the last look, as a deploy swaps them: a sink that names one has what the former
 * table held, and nothing of what the other one held when it took the name. No change tells so.
 */
import { type KnownTables, nameOf } from '../checks/wanted-tables.ts';
import type { Database } from '../db/pool.ts';
import type { PublishedTable } from '../model/published-table.ts';
import { takerOf } from '../model/taken-in.ts';
import { addNotices } from '../notices/add.ts';
import type { SinkNotice } from '../notices/notice.ts';
import type { NotedDatabase } from './note-of-table.ts';

export type TableName = Pick<PublishedTable, 'schema' | 'name'>;

/** What tables were called at the last look, by oid. Null: there was no such table, or nobody knows. Absent: it was not seen. */
export type NamesBefore = ReadonlyMap<number, TableName | null>;

/** Tells the sinks whose table is another one now. Who has the changes of both tables before and after misses nothing. */
export async function tellTakenNames(
  messages: Database,
  database: NotedDatabase,
  { tables, known, names }: { tables: readonly PublishedTable[]; known: KnownTables; names: NamesBefore },
): Promise<void> {
  const present = new Map(tables.map((table) => [table.oid, table]));
  const holders = new Map([...names].flatMap(([oid, name]) => (name ? [[nameOf(name), oid]] : [])));
  const sinks = database.sinks
    .filter(({ settings }) => settings.status !== 'disabled')
    .map(({ no, settings }) => ({ no, takes: takerOf(settings.source) }));
  const notices = tables.flatMap((table): SinkNotice[] => {
    const was = names.get(table.oid);
    const name = nameOf(table);
    if (!table.published || was === null || (was && nameOf(was) === name)) return [];
    const holder = holders.get(name);
    // The name may have been free for a while.
    const former = (holder === undefined ? [...(known.get(name) ?? [])] : [holder]).filter((oid) => oid !== table.oid);
    if (former.length === 0) return [];
    const others = former.map((oid) => present.get(oid));
    const message = `${name} is another table than before: rows that it held when it took the name are not sent, and those of the former one are not taken back`;
    return sinks
      .filter(({ takes }) => takes(table))
      .filter(({ takes }) => (was && !takes(was)) || !others.every((other) => other?.published && takes(other)))
      .map(({ no }) => ({
        ...{ sinkNo: no, code: 'table_detached', table: name, message, remedy: null, catchUp: true },
      }));
  });
  if (notices.length > 0) await addNotices(messages, notices);
}
