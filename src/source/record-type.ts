/** The rows of a table as TypeScript sees them in a function: what each column's values are once they are JSON. */
import { baseOf, type TypeCatalogue, typeInfo } from '../codec/types.ts';
import type { ShapeColumn, TableShape } from './sample.ts';

/** By the oid of the type; all others are texts. */
const SCALARS: Record<number, string> = {
  16: 'boolean',
  20: 'number | bigint',
  21: 'number',
  23: 'number',
  700: 'number',
  701: 'number',
  1700: 'number',
  114: 'any',
  3802: 'any',
};
const MOST_LABELS = 50;
const DEEPEST = 8;
/** Attributes of all its types: types of types of many attributes are more than anybody reads. */
const MOST_ATTRIBUTES = 10_000;

export interface RecordType {
  /** An object type: the row. */
  record: string;
  /** Of an update the old values of columns that changed, else null. */
  changes: string;
  /** Both, as declarations. */
  typescript: string;
}

export function recordType(table: TableShape): RecordType {
  const known = { types: table.types, labels: table.labels, left: MOST_ATTRIBUTES };
  const member = (column: ShapeColumn): string => {
    const type = typeOf(column.typeOid, known, 0);
    return `  /** ${column.type.replaceAll('*/', '* /')} */\n  ${keyOf(column.name)}: ${column.notNull ? type : `${type} | null`};`;
  };
  const record = `{\n${table.columns.map(member).join('\n')}\n}`;
  const changes = 'Partial<Row> | null';
  return {
    record,
    changes: changes.replace('Row', record),
    typescript: `interface Row ${record}\ntype Changes = ${changes};\n`,
  };
}

/** `left`: attributes that may be told yet. */
type Types = { types: TypeCatalogue; labels: TableShape['labels']; left: number };

function typeOf(oid: number, known: Types, depth: number): string {
  const scalar = SCALARS[oid];
  if (scalar !== undefined) return scalar;
  const type = typeInfo(known.types, oid);
  if (type === undefined || depth > DEEPEST) return type === undefined ? 'string' : 'any';
  const inner = (one: number): string => typeOf(one, known, depth + 1);
  if (type.kind === 'domain') return inner(baseOf(known.types, oid));
  if (type.kind === 'enum') {
    const labels = known.labels.get(oid) ?? [];
    return labels.length === 0 || labels.length > MOST_LABELS ? 'string' : labels.map(textLiteral).join(' | ');
  }
  if (type.kind === 'composite') {
    known.left -= type.attributes.length;
    if (known.left < 0) return 'any';
    return `{ ${type.attributes.map(({ name, typeOid }) => `${keyOf(name)}: ${inner(typeOid)} | null`).join('; ')} }`;
  }
  if (type.elementOid !== null) return `(${inner(type.elementOid)} | null)[]`;
  return type.extension === 'hstore' && type.name === 'hstore' ? '{ [key: string]: string | null }' : 'string';
}

const textLiteral = (text: string): string => JSON.stringify(text);
const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name));
