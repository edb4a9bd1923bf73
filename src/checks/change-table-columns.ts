/** The columns of a change table: what each has to be like, and the statement that makes it so, also on a table that holds rows. */
import type { Fault } from '../model/errors.ts';
import { type QuotedTable, quoteIdentifier, quoteLiteral, quoteTable } from '../model/quote.ts';

export interface FoundColumn {
  name: string;
  type: string;
  not_null: boolean;
  has_default: boolean;
  identity: boolean;
  generated: boolean;
  /** Computed when it is read (18+): it can be dropped, and that is all. */
  virtual: boolean;
  /** The table is partitioned by it. */
  divides: boolean;
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
  /** The constraint's own name. */
  primary_key_name: string | null;
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

const INTEGER_END = 2 ** 31 - 1;
const BIGINT_END = 2n ** 63n - 1n;
/** Types whose values are numbers, and so are their defaults. */
const NUMBERS = /^(smallint|numeric|real|double precision)/;

/** Of all of them. */
export function columnsFaults(
  table: QuotedTable,
  columns: ReadonlyMap<string, FoundColumn>,
  found: FoundTable,
): TableFault[] {
  const alter = `alter table ${quoteTable(table)}`;
  return [
    ...idFaults(quoteTable(table), columns.get('id'), found),
    ...Object.keys(COLUMNS).flatMap((name) => columnFaults(alter, name, columns.get(name))),
    ...[...columns.values()].flatMap((column) => foreignFaults(alter, column)),
  ];
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

function idFaults(name: string, id: FoundColumn | undefined, found: FoundTable): TableFault[] {
  const alter = `alter table ${name}`;
  const dividing = (found.columns ?? []).filter((column) => column.divides && column.name !== 'id');
  const key = ['id', ...dividing.map((column) => quoteIdentifier(column.name))].join(', ');
  const old = found.primary_key_name === null ? '' : `drop constraint ${quoteIdentifier(found.primary_key_name)}, `;
  const anew = `${alter} ${old}add column id bigserial, add primary key (${key});`;
  if (id === undefined) return [shape('id', 'is missing', anew)];
  const faults: TableFault[] = [];
  if (id.type !== 'bigint' && id.type !== 'integer') {
    const what = `is ${id.type} instead of bigint`;
    // What it held may be somebody's, and may be no number.
    if (!NUMBERS.test(id.type)) return [shape('id', what, `${alter} rename column id to id_before; ${anew}`)];
    faults.push(shape('id', what, `${alter} alter column id type bigint using id::bigint;`));
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
    faults.push(shape('id', 'is not the primary key', `${alter} ${old}add primary key (${key});`));
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

/** 70 % of its numbers are used up, be it its type or its sequence that ends. */
export function endingSoon(name: string, id: FoundColumn, found: FoundTable): TableFault | undefined {
  const end = endOf(id, found);
  if (end === undefined || end >= BIGINT_END) return undefined;
  const used = Number(found.last_value ?? 0) / Number(end);
  if (used < 0.7) return undefined;
  const share = `${Math.floor(used * 100)} %`;
  const what =
    id.type === 'integer' && end === BigInt(INTEGER_END)
      ? `is an integer that is ${share} used up`
      : `has numbers up to ${end}, of which ${share} are used up`;
  return shape('id', what, afterTheEnd(`alter table ${name}`, id, found));
}

function afterTheEnd(alter: string, id: FoundColumn, { sequence, max_value }: FoundTable): string {
  const widen = id.type === 'integer' ? `${alter} alter column id type bigint; ` : '';
  if (sequence === null) return widen.trim();
  // Past bigint there is nothing: the numbers of entries that were deleted are free again.
  const isLast = max_value !== null && BigInt(max_value) >= BIGINT_END;
  return isLast ? `alter sequence ${sequence} restart;` : `${widen}alter sequence ${sequence} as bigint no maxvalue;`;
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
  if (column.virtual) return [shape(name, 'is generated', `${alter} drop column ${name}; ${addColumn(alter, name)}`)];
  const faults: TableFault[] = [];
  if (column.generated) faults.push(shape(name, 'is generated', `${set} drop expression;`));
  if (column.type !== type && column.divides) {
    const remedy = 'The type of a column by which a table is partitioned stays: name another table.';
    faults.push({ ...shape(name, `is ${column.type} instead of ${type}`, remedy), sql: null });
  } else if (column.type !== type) {
    const zone = column.type.startsWith('timestamp without') ? ` at time zone 'UTC'` : `::${type}`;
    // A default is not cast by what casts values.
    const free = column.has_default ? `drop default, alter column ${name} ` : '';
    const again = free !== '' && name === 'inserted_at' ? `, alter column ${name} set default ${filler}` : '';
    const as = `type ${type} using ${name}${zone}`;
    faults.push(shape(name, `is ${column.type} instead of ${type}`, `${set} ${free}${as}${again};`));
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

export function shape(column: string, what: string, remedy: string): TableFault {
  return { kind: 'shape', field: column, message: `column ${quoteIdentifier(column)} ${what}`, remedy };
}
