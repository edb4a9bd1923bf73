/** The tables of a source that could be captured, and what a publication makes of them. */
import type { Database, Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const TABLES = statement('source/source-tables');

const SCHEMAS = statement('source/published-schemas');

/** A table of the source that could be captured; names as the statement gives them. */
export interface SourceTable {
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
  /** One of them is part of the primary key. */
  key_left_out: boolean;
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
export const readTables = async (source: Database, name: string): Promise<SourceTable[]> =>
  (await source.query<SourceTable>(TABLES, [name, await schemasOf(source, name)])).rows;
