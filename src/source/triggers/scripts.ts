/** What makes the triggers of a source, for a person to run. */
import type { Database } from '../../db/pool.ts';
import { quoteIdentifier, quoteTable } from '../../model/quote.ts';
import { type Foreign, type NotedTable, readTriggers } from './facts.ts';
import { readNoting, type Wanted } from './noting.ts';
import { functionSql, type Noting, rowTriggerSql, schemaSql, truncateTriggerSql } from './texts.ts';

const scriptOf = (statements: readonly string[]): string => statements.map((sql) => `${sql};`).join('\n');

/** Under a path where nobody has put an operator or a function for a superuser to run. */
const inOne = (statements: readonly string[]): string =>
  scriptOf(['begin', 'set local search_path = pg_catalog, pg_temp', ...statements, 'commit']);

/** All that `ensureTriggers` makes, as a superuser, or whoever may become our role and owns the tables; it can be run again. */
export async function triggersSql(source: Database, wanted: Wanted): Promise<string> {
  const noting = await readNoting(source, wanted);
  const oids = wanted.tables.map(({ oid }) => oid);
  const { tables } = await readTriggers(source, oids);
  const listed = tables.filter((table) => table.listed);
  return inOne([
    ...asRole(noting.role, [schemaSql(), ...listed.map((table) => functionSql(table, noting, []).sql)]),
    ...listed.flatMap(triggersOf),
  ]);
}

/** Schema millrace_capture alone. */
export const captureSchemaSql = (role: string): string => inOne(asRole(role, [schemaSql()]));

/** Gives the schema and what is in it to our role, as a superuser. */
export const handoverSql = ({ handover }: Foreign): string => inOne(handover);

/** The triggers of one table, as its owner, where the schema is there. */
export function tableTriggersSql(table: NotedTable, { role, ...noting }: Noting & { role: string }): string {
  const made = table.mark === null ? asRole(role, [functionSql(table, noting, []).sql]) : [];
  return inOne([...made, ...triggersOf(table)]);
}

/** What was refused, to be run where it is not. */
export const refusedSql = (statements: readonly string[], role: string): string => inOne(asRole(role, statements));

/** Everything is the property of our role. */
const asRole = (role: string, statements: readonly string[]): string[] => [
  `create schema if not exists millrace_capture authorization ${quoteIdentifier(role)}`,
  `set local role ${quoteIdentifier(role)}`,
  ...statements.map((sql) => sql.replace(/;\s*$/, '')),
  'reset role',
];

const triggersOf = (table: NotedTable): string[] => [
  ...rowTriggerSql(table),
  ...[...new Set([quoteTable(table), ...table.without_truncate, ...table.truncate_not_always])].flatMap((store) =>
    truncateTriggerSql(table, store),
  ),
];
