/** The rows of a table as TypeScript sees them in a function: what each column's values are once they are JSON. */
import { type TypeCatalogue, typeInfo } from '../codec/types.ts';
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

export interface RecordType {
  /** An object type: the row. */
  record: string;
  /** Of an update the old values of columns that changed, else null. */
  changes: string;
  /** Both, as declarations. */
  typescript: string;
}

export function recordType(table: TableShape): RecordType {
  const member = (column: ShapeColumn): string => {
    const type = typeOf(column.typeOid, table, 0);
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

type Types = { types: TypeCatalogue; labels: TableShape['labels'] };

function typeOf(oid: number, known: Types, depth: number): string {
  const scalar = SCALARS[oid];
  if (scalar !== undefined) return scalar;
  const type = typeInfo(known.types, oid);
  if (type === undefined || depth > DEEPEST) return type === undefined ? 'string' : 'any';
  const inner = (one: number): string => typeOf(one, known, depth + 1);
  if (type.kind === 'domain' && type.baseOid !== null) return inner(type.baseOid);
  if (type.kind === 'enum') {
    const labels = known.labels.get(oid) ?? [];
    return labels.length === 0 || labels.length > MOST_LABELS ? 'string' : labels.map(textLiteral).join(' | ');
  }
  if (type.kind === 'composite')
    return `{ ${type.attributes.map(({ name, typeOid }) => `${keyOf(name)}: ${inner(typeOid)} | null`).join('; ')} }`;
  if (type.elementOid !== null) return `(${inner(type.elementOid)} | null)[]`;
  return type.extension === 'hstore' && type.name === 'hstore' ? '{ [key: string]: string | null }' : 'string';
}

const textLiteral = (text: string): string => JSON.stringify(text);
const keyOf = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : textLiteral(name));
