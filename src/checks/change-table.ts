/**
 * Is this table an event table? A pure comparison of what was found with the fixed columns, so that every difference is
 * named at once and each comes with the statement that fixes it, ready to run on a table that already holds rows.
 */
import { ANNOTATIONS } from '../model/annotations.ts';
import { type QuotedTable, quoteIdentifier, quoteLiteral, quoteTable, remarked } from '../model/quote.ts';
import {
  columnsFaults,
  endingSoon,
  type FoundColumn,
  type FoundTable,
  shape,
  type TableFault,
} from './change-table-columns.ts';

/** `code` is the notice's on the sink. */
export interface TableWarning extends TableFault {
  /** What puts it right, where that is run in another database of the server. */
  elsewhere?: { database: string; sql: string };
  code: 'serial_ends' | 'few_partitions' | 'partition_missing' | 'unlogged' | 'policy_missing' | 'annotations_not_kept';
}

export interface Comparison {
  faults: TableFault[];
  /** What works today and will not for ever. */
  warnings: TableWarning[];
}

const MAX_NAME_BYTES = 63;

/** Every difference between the table found and an event table; empty lists when it is one. `creation`: what makes it. */
export function compareTable(table: QuotedTable, found: FoundTable, creation: string): Comparison {
  const missing = missingTable(table, found, creation);
  if (missing !== undefined) return { faults: [missing], warnings: [] };
  const alter = `alter table ${quoteTable(table)}`;
  const columns = new Map((found.columns ?? []).map((column) => [column.name, column]));
  const faults = [...columnsFaults(table, columns, found), ...rightsFaults(table, found)];
  const warnings = [...warningsOf(table, columns.get('id'), found), ...annotationWarnings(alter, columns)];
  return { faults, warnings };
}

function missingTable(table: QuotedTable, found: FoundTable, creation: string): TableFault | undefined {
  const name = quoteTable(table);
  for (const part of [table.schema, table.name]) {
    if (Buffer.byteLength(part) > MAX_NAME_BYTES) {
      const message = `the name ${quoteIdentifier(part)} is longer than ${MAX_NAME_BYTES} bytes, which Postgres would cut`;
      return { kind: 'shape', field: 'table', message, remedy: 'Choose a shorter name.', sql: null };
    }
  }
  if (!found.schema_exists) {
    const remedy = `create schema ${quoteIdentifier(table.schema)};`;
    return {
      kind: 'missing',
      field: 'schema',
      message: `schema ${quoteIdentifier(table.schema)} does not exist`,
      remedy,
    };
  }
  if (found.kind === null) {
    const remedy = `Set create_if_not_exists: true, or run:\n${creation}`;
    return { kind: 'missing', field: 'table', message: `table ${name} does not exist`, remedy, sql: creation };
  }
  if (found.kind !== 'r' && found.kind !== 'p') {
    return {
      kind: 'shape',
      field: 'table',
      message: `${name} is not a table`,
      remedy: 'Name a table of its own.',
      sql: null,
    };
  }
  return undefined;
}

/** Makes `id` go on after the highest one that is there. */
export function goOnBehind(table: QuotedTable, { sequence }: Pick<FoundTable, 'sequence'>): string {
  const name = quoteTable(table);
  const which = sequence === null ? `pg_get_serial_sequence(${quoteLiteral(name)}, 'id')` : quoteLiteral(sequence);
  return `select setval(${which}, (select max(id) from ${name}));`;
}

function rightsFaults(table: QuotedTable, found: FoundTable): TableFault[] {
  const role = quoteIdentifier(found.role);
  const faults: TableFault[] = [];
  const lacks = (field: string, what: string, grant: string): void => {
    faults.push({ kind: 'rights', field, message: `role ${role} may not ${what}`, remedy: `${grant} to ${role};` });
  };
  if (!found.may_use_schema) {
    lacks(
      'schema',
      `use schema ${quoteIdentifier(table.schema)}`,
      `grant usage on schema ${quoteIdentifier(table.schema)}`,
    );
  }
  if (!found.may_insert) lacks('table', `insert into ${quoteTable(table)}`, `grant insert on ${quoteTable(table)}`);
  if (found.may_use_sequence === false) {
    lacks('id', `use sequence ${found.sequence}`, `grant usage on sequence ${found.sequence}`);
  }
  return faults;
}

function warningsOf(table: QuotedTable, id: FoundColumn | undefined, found: FoundTable): TableWarning[] {
  const alter = `alter table ${quoteTable(table)}`;
  const warnings: TableWarning[] = [];
  const ends = id && endingSoon(quoteTable(table), id, found);
  if (ends) warnings.push({ ...ends, code: 'serial_ends' });
  if (found.persistence === 'u') {
    const message = 'the table is unlogged: a crash of its server empties it';
    warnings.push({ kind: 'shape', field: 'table', message, remedy: `${alter} set logged;`, code: 'unlogged' });
  }
  if (found.none_now) {
    const message = 'no partition takes an entry of now: entries wait, or cannot be written';
    const remedy = missingPartition(found.none_now);
    warnings.push({ kind: 'shape', field: 'committed_at', message, remedy, code: 'partition_missing' });
  } else if (found.few_ahead) {
    const message = 'less than two partitions are made ahead';
    const remedy = 'Make some; with pg_partman: call partman.run_maintenance_proc(); and see that its worker runs.';
    warnings.push({ kind: 'shape', field: 'committed_at', message, remedy, sql: null, code: 'few_partitions' });
  }
  return warnings;
}

/** Bytes, as Postgres counts them: what it cuts off itself would be the end, and one day's name that of the next. */
const cutTo = (bytes: number, name: string): string =>
  Buffer.from(name)
    .subarray(0, bytes)
    .toString()
    .replace(/\ufffd$/, '');

/** That of one day, or of what is left of it, named as pg_partman names them. */
function missingPartition({ of: table, from, to }: NonNullable<FoundTable['none_now']>): string {
  const bound = (at: string): string => quoteLiteral(at.replace('.000000', ''));
  const [day = '', time = ''] = from.split('.')[0]!.replaceAll(/[-:]/g, '').split(' ');
  const name = `${cutTo(40, table.name)}_p${day}${time === '000000' ? '' : `_${time}`}`;
  const sql =
    `create table ${quoteTable({ schema: table.schema, name })} partition of ${quoteTable(table)} ` +
    `for values from (${bound(from)}) to (${bound(to)})`;
  return remarked(sql, 'with pg_partman: call partman.run_maintenance_proc()');
}

/** A column of that name is ours to fill when it can be; else it is the user's own, and left alone. */
function annotationWarnings(alter: string, columns: ReadonlyMap<string, FoundColumn>): TableWarning[] {
  const column = columns.get(ANNOTATIONS);
  const set = `${alter} alter column ${ANNOTATIONS}`;
  const unkept = (what: string, remedy: string): TableWarning[] => [
    {
      ...shape(ANNOTATIONS, `${what}, so the annotations of transactions are not kept in it`, remedy),
      code: 'annotations_not_kept',
    },
  ];
  if (column === undefined) return [];
  if (column.virtual)
    return unkept('is generated', `${alter} drop column ${ANNOTATIONS}, add column ${ANNOTATIONS} jsonb;`);
  if (column.generated) return unkept('is generated', `${set} drop expression;`);
  if (column.type !== 'jsonb') {
    return unkept(
      `is ${column.type} instead of jsonb`,
      `${set} drop default, alter column ${ANNOTATIONS} type jsonb using to_jsonb(${ANNOTATIONS});`,
    );
  }
  if (column.not_null) return unkept('does not take null', `${set} drop not null;`);
  return [];
}
