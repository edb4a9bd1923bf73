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
