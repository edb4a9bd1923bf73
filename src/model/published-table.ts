/** A table of a source, as far as capture is concerned. */

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
  /** Partitions of which Postgres tells no change. Names as SQL writes them. */
  unlogged: readonly string[];
  /** Partitions whose rows are in another database: with one of them a table can have no key. Names as SQL writes them. */
  foreign_parts: readonly string[];
  /** It, or those of its partitions, that have replica identity full. */
  full_stores: readonly string[];
  some_full: boolean;
  /** Its replica identity is full, and that of these partitions is not: they do not inherit it. */
  partly_full: boolean;
  partial_stores: readonly string[];
  /** It, or some of its partitions. */
  published: boolean;
  /** And not those of its partitions alone: changes come under the names of what is listed. */
  listed_itself: boolean;
  /** Partitions that are not: nothing of them is captured. Names as SQL writes them. */
  unlisted_stores: readonly string[];
  /** Published with a list of columns. */
  some_columns: boolean;
  /** Published with a row filter. */
  some_rows: boolean;
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

/** What a list of tables shows. */
export const LISTED_KINDS = ['table', 'unlogged', 'foreign', 'view', 'matview'] as const;
export type ListedKind = (typeof LISTED_KINDS)[number];

/** What bears the name of a table, and is none that could be captured. */
export interface NamedRelation {
  schema: string;
  name: string;
  kind: Exclude<ListedKind, 'table'> | 'temporary' | 'partition' | 'system' | 'other';
  /** Of a partition: the `schema.table` that it is part of. */
  root: string | null;
}
