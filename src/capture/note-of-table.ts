/** Tells the sinks of a table that something of it is missing; those too that name it as it was called before. */
import type { Database } from '../db/pool.ts';
import { takesIn } from '../model/taken-in.ts';
import { type MissedCode, noteMissed } from '../notices/add.ts';
import { earlierNames } from '../routing/earlier-names.ts';
import { isBound, type SinkEntry } from '../routing/match.ts';

export interface NotedDatabase {
  no: number;
  sinks: readonly Pick<SinkEntry, 'no' | 'settings'>[];
}

export async function noteOfTable(
  { source, messages }: { source: Database; messages: Database },
  database: NotedDatabase,
  { table, code, message }: { table: { oid: number; schema: string; name: string }; code: MissedCode; message: string },
): Promise<void> {
  const names = await earlierNames({ source, messages, databaseNo: database.no }, [table.oid]);
  const shape = { earlierNames: names.get(table.oid) ?? [] };
  const sinks = database.sinks
    .filter(({ settings }) => settings.status !== 'disabled')
    .filter(({ settings }) => takesIn(settings.source, table) || isBound(settings.source, shape));
  const numbers = sinks.map(({ no }) => no);
  await noteMissed(messages, numbers, { code, table: `${table.schema}.${table.name}`, message });
}
