/** Which tables a sink's `source` takes in. */
import type { SourceSettings } from './declared.ts';

/** `schema.table` of a name in a declaration. */
export const qualified = (name: string): string => (name.includes('.') ? name : `public.${name}`);

/** Does a sink's `source` take in this table? Absent conditions hold. */
export function takesIn(source: SourceSettings, table: { schema: string; name: string }): boolean {
  const full = `${table.schema}.${table.name}`;
  if (source.include_schemas && !source.include_schemas.includes(table.schema)) return false;
  if (source.exclude_schemas?.includes(table.schema)) return false;
  if (source.include_tables && !source.include_tables.some((name) => qualified(name) === full)) return false;
  return !source.exclude_tables?.some((name) => qualified(name) === full);
}

/** Is it asked for by its name, or by that of its schema, and taken in? */
export const isNamedIn = (source: SourceSettings, table: { schema: string; name: string }): boolean =>
  (source.include_schemas !== null || source.include_tables !== null) && takesIn(source, table);

/** The same as `takesIn` for whoever asks of thousands of tables: names are looked up, not compared with each of a list. */
export function takerOf(source: SourceSettings): (table: { schema: string; name: string }) => boolean {
  const setOf = (names: readonly string[] | null): Set<string> | null => names && new Set(names);
  const tablesOf = (names: readonly string[] | null): Set<string> | null => names && new Set(names.map(qualified));
  const schemas = { only: setOf(source.include_schemas), not: setOf(source.exclude_schemas) };
  const tables = { only: tablesOf(source.include_tables), not: tablesOf(source.exclude_tables) };
  return ({ schema, name }) => {
    const full = `${schema}.${name}`;
    if (schemas.only?.has(schema) === false || schemas.not?.has(schema)) return false;
    return tables.only?.has(full) !== false && !tables.not?.has(full);
  };
}
