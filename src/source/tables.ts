/** The tables of a source that could be captured, and what a publication makes of them. */
import type { PublishedAs } from '../checks/published-as.ts';
import type { Database, Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { NamedRelation, PublishedTable } from '../model/published-table.ts';
import { type GeneratedColumn, generatedColumns } from './generated.ts';
import { readVersion } from './server-version.ts';

const TABLES = statement('source/source-tables');

const AS = statement('source/published-as');
const NAMED = statement('source/named-relations');
const SCHEMAS = statement('source/published-schemas');

/** Oids of the schemas whose tables the publication lists all. */
export async function schemasOf(source: Queryable, name: string): Promise<number[]> {
  return (await schemaEntries(source, name)).map(({ oid }) => oid);
}

async function schemaEntries(source: Queryable, name: string): Promise<{ oid: number; entry: number }[]> {
  if ((await readVersion(source)) < 150000) return [];
  return (await source.query<{ oid: number; entry: number }>(SCHEMAS, [name])).rows;
}

/** What is called by these names, `schema.table`, and is no table that could be captured. */
export async function readNamed(source: Queryable, names: readonly string[]): Promise<NamedRelation[]> {
  if (names.length === 0) return [];
  return (await source.query<NamedRelation>(NAMED, [names])).rows;
}

/** How this publication lists each table that it lists, by oid. */
export async function readPublishedAs(source: Queryable, name: string): Promise<Map<number, PublishedAs>> {
  const schemas = await schemaEntries(source, name);
  const lists = [schemas.map(({ oid }) => oid), schemas.map(({ entry }) => entry)];
  const { rows } = await source.query<PublishedAs & { oid: number }>(AS, [name, ...lists]);
  // Of one that is listed itself, its partitions are of no matter, and may be thousands.
  const listed = ({ oid, entries }: (typeof rows)[number]): PublishedAs['entries'] => {
    const own = entries[oid];
    return own === undefined ? entries : { [oid]: own };
  };
  return new Map(rows.map(({ oid, ...as }) => [oid, { ...as, entries: listed({ oid, ...as }) }]));
}

/** Every table that could be captured, and whether this publication lists it. `only`: of these oids. */
export async function readTables(
  source: Database,
  name: string,
  only: readonly number[] | null = null,
): Promise<PublishedTable[]> {
  const { rows } = await source.query<Row>(TABLES, [name, await schemasOf(source, name), only]);
  const unsent = rows.filter((row) => row.published && row.stored_left_out.length > 0);
  const generated = await generatedColumns(
    source,
    name,
    unsent.map(({ oid }) => oid),
  );
  const byTable = Map.groupBy(generated, ({ oid }) => oid);
  return rows.map((row) => withGenerated(row, byTable.get(row.oid) ?? []));
}

interface Row extends Omit<PublishedTable, 'left_out_because' | 'key_uncarried'> {
  /** Columns that its old rows carry; only where `key_left_out` names any. */
  carried: readonly string[];
}

/** The table as its messages are, with what is computed of it. */
function withGenerated({ carried, ...row }: Row, columns: readonly GeneratedColumn[]): PublishedTable {
  const computed = columns.filter(({ why }) => why === null);
  const isLeft = (name: string): boolean => !computed.some((column) => column.name === name);
  const keyInputs = computed.filter(({ inKey }) => inKey).flatMap(({ inputs }) => inputs.map((input) => input.name));
  const others = columns.filter(({ why }) => why !== null);
  return {
    ...row,
    stored_left_out: row.stored_left_out.filter(isLeft),
    left_out_because: others.map(({ name, why }) => (others.length === 1 ? `${why}` : `${name}: ${why}`)),
    key_left_out: row.key_left_out.filter(isLeft),
    key_uncarried: [...new Set(keyInputs)].filter((name) => !carried.includes(name)),
  };
}
