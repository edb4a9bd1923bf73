/** Names that tables had when their changes came, and that no other table has now: sinks that name them stay bound to the tables. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const EARLIER = statement('routing/earlier-names');
const FREE = statement('routing/free-names');

const KNOWN_OIDS = statement('routing/known-oids');
const NAME_NOW = statement('routing/name-now');

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

interface NamesDeps {
  source: Queryable;
  messages: Queryable;
  databaseNo: number;
}

/** The same of tables that are known by their oids alone. */
export async function earlierNames(
  { source, messages, databaseNo }: NamesDeps,
  oids: readonly number[],
): Promise<Map<number, string[]>> {
  if (oids.length === 0) return new Map();
  return await freeNames(source, (await messages.query<FormerName>(EARLIER, [databaseNo, oids])).rows);
}

/** What the table is called now whose changes came under a name that no table has any more. */
export async function nameNow(
  { source, messages, databaseNo }: NamesDeps,
  { schema, name }: { schema: string; name: string },
): Promise<{ schema: string; name: string } | undefined> {
  const { rows } = await messages.query<{ oid: number }>(KNOWN_OIDS, [databaseNo, schema, name]);
  if (rows.length === 0) return undefined;
  const oids = rows.map(({ oid }) => oid);
  return (await source.query<{ schema: string; name: string }>(NAME_NOW, [oids])).rows[0];
}
