/** The tables of a source that could be captured, and what a publication makes of them. */
import type { Database, Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { type GeneratedColumn, generatedColumns } from './generated.ts';

const TABLES = statement('source/source-tables');

const SCHEMAS = statement('source/published-schemas');

/** A table of the source that could be captured; names as the statement gives them. */
export interface PublishedTable {
  oid: number;
  schema: string;
  name: string;
  partitioned: boolean;
  /** Our role owns it, so we may publish it. */
  mine: boolean;
  /** Of a partitioned table `full` when all its partitions are, else `default`. */
  identity: 'default' | 'nothing' | 'full' | 'index';
  has_key: boolean;
  /** The primary key may be a replica identity: it is not deferrable, and partitions to come will have it too. */
  usable_key: boolean;
  /** It, or each of its partitions, has a replica identity. */
  has_identity: boolean;
  /** And one that covers the primary key. */
  covers_key: boolean;
  /** The partitions that have none, or one that does not cover the key; of another table itself. Names as SQL writes them. */
  weak: readonly string[];
  /** It, or those of its partitions, that have replica identity full. */
  full_stores: readonly string[];
  some_full: boolean;
  /** Its replica identity is full, and that of these partitions is not: they do not inherit it. */
  partly_full: boolean;
  partial_stores: readonly string[];
  published: boolean;
  /** Published with a list of columns. */
  some_columns: boolean;
  virtual_columns: boolean;
  stored_columns: boolean;
  /** Generated columns that its messages do not have, by name. */
  stored_left_out: readonly string[];
  virtual_left_out: readonly string[];
  /** Before 18: why those that are stored are not computed. */
  left_out_because: readonly string[];
  /** Those of them that are part of the primary key. */
  key_left_out: readonly string[];
  /** What the columns of its primary key that are computed are made of, and old rows do not carry. */
  key_uncarried: readonly string[];
  /** The list of columns leaves out one of the replica identity. */
  identity_unlisted: boolean;
  /** Its row filter names a column that is not of the replica identity. */
  identity_unfiltered: boolean;
}

/** Oids of the schemas whose tables the publication lists all. */
export async function schemasOf(source: Queryable, name: string): Promise<number[]> {
  const { rows } = await source.query<{ version: number }>(
    "select current_setting('server_version_num')::integer as version",
  );
  if (rows[0]!.version < 150000) return [];
  return (await source.query<{ oid: number }>(SCHEMAS, [name])).rows.map(({ oid }) => oid);
}

/** Every table that could be captured, and whether this publication lists it. */
export async function readTables(source: Database, name: string): Promise<PublishedTable[]> {
  const { rows } = await source.query<Row>(TABLES, [name, await schemasOf(source, name)]);
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
