/**
 * Is this table an event table? A pure comparison of what was found with the fixed columns, so that every difference is
 * named at once and each comes with the statement that fixes it, ready to run on a table that already holds rows.
 */
import { ANNOTATIONS } from '../model/annotations.ts';
import type { Fault } from '../model/errors.ts';
import { type QuotedTable, quoteIdentifier, quoteLiteral, quoteTable, remarked } from '../model/quote.ts';

export interface FoundColumn {
  name: string;
  type: string;
  not_null: boolean;
  has_default: boolean;
  identity: boolean;
  generated: boolean;
}

export interface FoundTable {
  schema_exists: boolean;
  /** pg_class.relkind; null: no such table. */
  kind: string | null;
  persistence: string | null;
  role: string;
  may_use_schema: boolean;
  may_insert: boolean;
  primary_key: string[] | null;
  sequence: string | null;
  may_use_sequence: boolean | null;
  last_value: number | bigint | null;
  /** Where the sequence ends; null when it has none or begins again. */
  max_value: number | bigint | null;
  columns: FoundColumn[] | null;
  /** Partitioned by committed_at, and less than two partitions reach beyond now. */
  few_ahead: boolean;
  /**
   * Partitioned by committed_at, and none takes an entry of now: which table lacks one (itself, or a partition that is partitioned in
   * turn), and of today, in UTC, what no partition has.
   */
  none_now?: { of: QuotedTable; from: string; to: string } | undefined;
}

/** `kind` tells what a fault needs: a table, an `alter table`, or a `grant`. */
export interface TableFault extends Fault {
  kind: 'missing' | 'shape' | 'rights';
  remedy: string;
  /** Where the remedy is more than statements: those alone; null: it is words. */
  sql?: string | null;
}

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

/** Type, nullability, and what old rows get when the column has to be added to a table that holds some. */
const COLUMNS: Record<string, { type: string; nullable?: true; filler: string }> = {
  seq: { type: 'bigint', filler: '0' },
  source_database_id: { type: 'uuid', filler: "'00000000-0000-0000-0000-000000000000'" },
  source_table_oid: { type: 'bigint', filler: '0' },
  source_table_schema: { type: 'text', filler: "''" },
  source_table_name: { type: 'text', filler: "''" },
  record_pk: { type: 'text', filler: "''" },
  record: { type: 'jsonb', filler: "'{}'" },
  changes: { type: 'jsonb', nullable: true, filler: 'null' },
  action: { type: 'text', filler: "''" },
  committed_at: { type: 'timestamp with time zone', filler: 'now()' },
  inserted_at: { type: 'timestamp with time zone', filler: 'now()' },
};

const INTEGER_END = 2 ** 31 - 1;
const BIGINT_END = 2n ** 63n - 1n;
const MAX_NAME_BYTES = 63;

/** Every difference between the table found and an event table; empty lists when it is one. `creation`: what makes it. */
export function compareTable(table: QuotedTable, found: FoundTable, creation: string): Comparison {
  const missing = missingTable(table, found, creation);
  if (missing !== undefined) return { faults: [missing], warnings: [] };
  const alter = `alter table ${quoteTable(table)}`;
  const columns = new Map((found.columns ?? []).map((column) => [column.name, column]));
  const faults = [
    ...idFaults(quoteTable(table), columns.get('id'), found),
    ...Object.keys(COLUMNS).flatMap((name) => columnFaults(alter, name, columns.get(name))),
    ...[...columns.values()].flatMap((column) => foreignFaults(alter, column)),
    ...rightsFaults(table, found),
  ];
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

function idFaults(name: string, id: FoundColumn | undefined, found: FoundTable): TableFault[] {
  const alter = `alter table ${name}`;
  const key = found.kind === 'p' ? 'id, committed_at' : 'id';
  if (id === undefined)
    return [shape('id', 'is missing', `${alter} add column id bigserial, add primary key (${key});`)];
  const faults: TableFault[] = [];
  if (id.type !== 'bigint' && id.type !== 'integer') {
    faults.push(
      shape('id', `is ${id.type} instead of bigint`, `${alter} alter column id type bigint using id::bigint;`),
    );
  }
  if (!id.not_null) faults.push(shape('id', 'may be null', `${alter} alter column id set not null;`));
  if (!id.has_default && !id.identity) {
    faults.push(shape('id', 'does not number itself', numberItself(alter, name)));
  }
  const end = endOf(id, found);
  if (end !== undefined && BigInt(found.last_value ?? 0) >= end) {
    faults.push(shape('id', `is used up: there is no number after ${end}`, afterTheEnd(alter, id, found)));
  }
  if (!found.primary_key?.includes('id')) {
    faults.push(shape('id', 'is not the primary key', `${alter} add primary key (${key});`));
  }
  return faults;
}

/** The last number that an entry can get. */
function endOf(id: FoundColumn, { max_value }: FoundTable): bigint | undefined {
  const ofType = id.type === 'integer' ? BigInt(INTEGER_END) : undefined;
  const ofSequence = max_value === null ? undefined : BigInt(max_value);
  if (ofType === undefined || ofSequence === undefined) return ofType ?? ofSequence;
  return ofSequence < ofType ? ofSequence : ofType;
}

function afterTheEnd(alter: string, id: FoundColumn, { sequence, max_value }: FoundTable): string {
  const widen = id.type === 'integer' ? `${alter} alter column id type bigint; ` : '';
  if (sequence === null) return widen.trim();
  // Past bigint there is nothing: the numbers of entries that were deleted are free again.
  const isLast = max_value !== null && BigInt(max_value) >= BIGINT_END;
  return isLast ? `alter sequence ${sequence} restart;` : `${widen}alter sequence ${sequence} as bigint no maxvalue;`;
}

/** Makes `id` go on after the highest one that is there. */
export function goOnBehind(table: QuotedTable, { sequence }: Pick<FoundTable, 'sequence'>): string {
  const name = quoteTable(table);
  const which = sequence === null ? `pg_get_serial_sequence(${quoteLiteral(name)}, 'id')` : quoteLiteral(sequence);
  return `select setval(${which}, (select max(id) from ${name}));`;
}

/** Goes on after the highest id that is there. */
function numberItself(alter: string, name: string): string {
  const sequence = `pg_get_serial_sequence(${quoteLiteral(name)}, 'id')`;
  return (
    `${alter} alter column id set not null, alter column id add generated by default as identity; ` +
    `select setval(${sequence}, (select coalesce(max(id), 0) + 1 from ${name}), false);`
  );
}

function columnFaults(alter: string, name: string, column: FoundColumn | undefined): TableFault[] {
  const { type, nullable, filler } = COLUMNS[name]!;
  const set = `${alter} alter column ${name}`;
  if (column === undefined) return [shape(name, 'is missing', addColumn(alter, name))];
  if (column.generated) return [shape(name, 'is generated', `${set} drop expression;`)];
  const faults: TableFault[] = [];
  if (column.type !== type) {
    const zone = column.type.startsWith('timestamp without') ? ` at time zone 'UTC'` : `::${type}`;
    faults.push(shape(name, `is ${column.type} instead of ${type}`, `${set} type ${type} using ${name}${zone};`));
  }
  if (nullable && column.not_null) faults.push(shape(name, 'does not take null', `${set} drop not null;`));
  if (!nullable && !column.not_null) faults.push(shape(name, 'may be null', `${set} set not null;`));
  if (name === 'inserted_at' && !column.has_default) {
    faults.push(shape(name, 'has no default', `${set} set default ${filler};`));
  }
  return faults;
}

/** Old rows need a value at once, new ones must not get it by accident. */
function addColumn(alter: string, name: string): string {
  const { type, nullable, filler } = COLUMNS[name]!;
  if (nullable) return `${alter} add column ${name} ${type};`;
  const add = `${alter} add column ${name} ${type} not null default ${filler};`;
  return name === 'inserted_at' ? add : `${add} ${alter} alter column ${name} drop default;`;
}

/** Columns of the user's own are welcome as long as a row can do without a value for them. */
function foreignFaults(alter: string, column: FoundColumn): TableFault[] {
  if (column.name === 'id' || column.name in COLUMNS) return [];
  if (!column.not_null || column.has_default || column.identity || column.generated) return [];
  const remedy = `${alter} alter column ${quoteIdentifier(column.name)} drop not null;`;
  return [shape(column.name, 'is not a column of a change table, takes no null and has no default', remedy)];
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
  const used = Number(found.last_value ?? 0) / INTEGER_END;
  if (id?.type === 'integer' && used >= 0.7) {
    const widen = found.sequence === null ? '' : ` alter sequence ${found.sequence} as bigint;`;
    const remedy = `${alter} alter column id type bigint;${widen}`;
    const what = `is an integer that is ${Math.floor(used * 100)} % used up`;
    warnings.push({ ...shape('id', what, remedy), code: 'serial_ends' });
  }
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

/** That of one day, or of what is left of it, named as pg_partman names them. */
function missingPartition({ of: table, from, to }: NonNullable<FoundTable['none_now']>): string {
  const bound = (at: string): string => quoteLiteral(at.replace('.000000', ''));
  const [day = '', time = ''] = from.split('.')[0]!.replaceAll(/[-:]/g, '').split(' ');
  const name = `${table.name.slice(0, 40)}_p${day}${time === '000000' ? '' : `_${time}`}`;
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

function shape(column: string, what: string, remedy: string): TableFault {
  return { kind: 'shape', field: column, message: `column ${quoteIdentifier(column)} ${what}`, remedy };
}
