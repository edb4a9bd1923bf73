/** Names that tables had when their changes came, and that no other table has now: sinks that name them stay bound to the tables. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const EARLIER = statement('routing/earlier-names');
const FREE = statement('routing/free-names');

interface FormerName {
  oid: number;
  schema: string;
  name: string;
}

/** `schema.table`, by oid; that a table has one of them again is of no matter, for its changes may have come under another one. */
export async function freeNames(source: Queryable, names: readonly FormerName[]): Promise<Map<number, string[]>> {
  if (names.length === 0) return new Map();
  const columns = [names.map(({ oid }) => oid), names.map(({ schema }) => schema), names.map(({ name }) => name)];
  const { rows } = await source.query<{ oid: number; name: string }>(FREE, columns);
  return new Map([...Map.groupBy(rows, ({ oid }) => oid)].map(([oid, of]) => [oid, of.map(({ name }) => name)]));
}

/** The same of tables that are known by their oids alone. */
export async function earlierNames(
  { source, messages, databaseNo }: { source: Queryable; messages: Queryable; databaseNo: number },
  oids: readonly number[],
): Promise<Map<number, string[]>> {
  if (oids.length === 0) return new Map();
  return await freeNames(source, (await messages.query<FormerName>(EARLIER, [databaseNo, oids])).rows);
}
