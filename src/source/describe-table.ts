/**
 * A table of the source as a backfill reads it: the columns that the publication lists, in the order in which changes
 * bring them, so that a row looks the same as read and as inserted.
 */
import { repairText } from '../checks/finding.ts';
import { listsFault } from '../checks/triggers.ts';
import type { RelationMessage, ReplicaIdentity } from '../codec/row-message.ts';
import type { Database, Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { MillraceError } from '../model/errors.ts';
import { isMisspelt, type QuotedTable, quoteIdentifier, quoteLiteral, quoteTable } from '../model/quote.ts';
import { generatedColumns } from './generated.ts';
import { noKey } from './no-key.ts';
import { schemasOf } from './tables.ts';

const DESCRIBE = statement('source/describe-table');
const FINGERPRINT = statement('source/fingerprint');

export interface TableColumn {
  name: string;
  typeOid: number;
  typmod: number;
  /** As SQL writes it; of a domain its base type. */
  type: string;
  /** The schema of the operators by which its values are sorted: those of an extension are in no path of ours. */
  operators: string;
  /** What an extension calls its = and >= and >, by these names. */
  names: Readonly<Record<string, string>> | null;
  /** Its operators do not take the domain that it is of, as those of enums and ranges, which are of any such type. */
  cast: boolean;
  /** In the replica identity. */
  key: boolean;
  /** 0-based place in the primary key. */
  keyPlace: number | null;
  /** Of variable length. */
  long: boolean;
  /** Of those: its length is known without reading it. */
  text: boolean;
}

export interface TableDescription {
  oid: number;
  schema: string;
  name: string;
  partitioned: boolean;
  /** Condition of the publication, as SQL. */
  rowFilter: string | null;
  /** Some values lie outside their rows: rows may be large. */
  toasted: boolean;
  columns: readonly TableColumn[];
  /** Primary key, in its order. */
  keys: readonly TableColumn[];
  /** What the stream would say of it. */
  message: RelationMessage;
  /** Differs when columns were added, dropped, renamed or retyped, or ceased to be generated, and when the key orders rows otherwise. */
  fingerprint: string;
  /** Differs when rows in the order of the primary key are in another order than before. */
  keyOrder: string;
}

/** An operator on values of this column, as SQL writes it. */
export const operatorOn = (
  { operators, names }: Pick<TableColumn, 'operators'> & Partial<Pick<TableColumn, 'names'>>,
  name: string,
): string => `operator(${quoteIdentifier(operators)}.${names?.[name] ?? name})`;

interface Row {
  oid: number;
  partitioned: boolean;
  published: boolean;
  lists: boolean;
  row_filter: string | null;
  identity: ReplicaIdentity;
  toasted: boolean;
  /** All of them; `sent`: changes bring it. */
  columns: (TableColumn & { sent: boolean })[] | null;
}

/**
 * `byTriggers`: triggers note its changes, so that it is captured whole or not at all.
 * @throws MillraceError not_found (no such table), bad_source (not published, not captured, no primary key), each with its remedy.
 */
export async function describeTable(
  source: Database,
  table: { schema: string; name: string; publication: string; byTriggers?: boolean },
): Promise<TableDescription> {
  const { schema, name, publication } = table;
  const full = `${schema}.${name}`;
  // Before everything else: if the table changes meanwhile, this description is one of a table that is no longer so.
  const fingerprint = await fingerprintOf(source, table);
  const { rows } = await source.query<Row>(DESCRIBE, [publication, schema, name, await schemasOf(source, publication)]);
  const row = rows[0];
  if (!row) {
    throw new MillraceError('not_found', `there is no table ${full} in the source`, {
      remedy: 'Write it as schema.table; names are case-sensitive, double quotes keep capitals.',
    });
  }
  if (!row.published) {
    throw new MillraceError(
      'bad_source',
      `${full} is not in publication ${publication}: its changes would not follow`,
      {
        remedy: `alter publication ${quoteIdentifier(publication)} add table ${quoteTable(table)}`,
      },
    );
  }
  if (table.byTriggers && row.lists) {
    const fault = listsFault(table, { name: publication });
    throw new MillraceError('bad_source', fault.summary, { remedy: repairText(fault) });
  }
  if (row.columns?.some((column) => isMisspelt(column.name))) {
    throw new MillraceError('bad_source', `${full} has a column whose name is no UTF-8: its rows cannot be asked for`, {
      remedy: 'Rename the column. The changes of the table are captured all the same.',
    });
  }
  const generated = await generatedColumns(source, publication, [row.oid]);
  const isComputed = ({ name }: TableColumn): boolean => generated.some((one) => one.name === name && one.why === null);
  const columns = (row.columns ?? []).filter((column) => column.sent || isComputed(column));
  const allKeys = (row.columns ?? []).filter((column) => column.keyPlace !== null);
  const keys = columns
    .filter((column) => column.keyPlace !== null)
    .toSorted((a, b) => (a.keyPlace ?? 0) - (b.keyPlace ?? 0));
  if (keys.length === 0 || keys.length < allKeys.length) {
    const hidden = allKeys.filter((column) => !keys.includes(column)).map(({ name: column }) => column);
    const { why, remedy } = noKey(table, hidden);
    throw new MillraceError('bad_source', `${full} ${why}, so its rows have no order and no _id`, { remedy });
  }
  return {
    oid: row.oid,
    schema,
    name,
    partitioned: row.partitioned,
    rowFilter: row.row_filter,
    toasted: row.toasted,
    columns,
    keys,
    message: { tag: 'relation', oid: row.oid, schema, name, identity: row.identity, columns },
    ...fingerprint,
  };
}

/** Of the table as it is now. */
async function fingerprintOf(
  source: Queryable,
  table: QuotedTable,
): Promise<Pick<TableDescription, 'fingerprint' | 'keyOrder'>> {
  const { rows } = await source.query<{ fingerprint: string; key_order: string }>(fingerprintSql(table));
  const { fingerprint, key_order: keyOrder } = rows[0]!;
  return { fingerprint, keyOrder };
}

/** The column by which rows are sorted. @throws MillraceError bad_request. */
export function sortColumnOf(table: TableDescription, name: string): TableColumn {
  const found = table.columns.find((column) => column.name === name);
  if (found) return found;
  throw new MillraceError('bad_request', `${table.schema}.${table.name} has no published column ${name}`, {
    remedy: `Name one of: ${table.columns.map((column) => column.name).join(', ')}.`,
  });
}

/** A statement without parameters, of the table that has this name now; `fingerprint` is null without one. */
export function fingerprintSql(table: QuotedTable): string {
  const named = `to_regclass(${quoteLiteral(quoteTable(table))})`;
  return FINGERPRINT.text.replaceAll('$1::oid', () => `${named}::oid`);
}
