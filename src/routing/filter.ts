/**
 * Column filters, judged on a row's text values by the column's type, as Postgres would judge the same condition. NULL,
 * and a value that is not of the type it is compared as, satisfy no comparison, `!=` and `not_in` included.
 */

import type { TypeCatalogue, TypeInfo } from '../codec/types.ts';
import type { ColumnFilter, FilterOperator } from '../model/declared.ts';
import { baseType, type Comparable, type Comparison, compare, comparisonOf, FIELDS } from './comparison.ts';
import { textAtPath } from './json-path.ts';

/** A filter bound to a column of one relation. */
export interface BoundFilter {
  columnIndex: number;
  /** Keys into a json or jsonb value; empty for the column itself. */
  path: readonly string[];
  comparison: Comparison;
  operator: FilterOperator;
  /** The values to compare with, ready to be compared. */
  operands: readonly Comparable[];
}

export interface FilteredColumn {
  index: number;
  typeOid: number;
  types: TypeCatalogue;
}

const JSON_TYPES = new Set([114, 3802]);
const ORDERED = new Set<FilterOperator>(['>', '<', '>=', '<=']);

/** Binds a filter to its column. Returns a sentence when the two do not go together. */
export function bindFilter(filter: ColumnFilter, column: FilteredColumn): BoundFilter | string {
  const { column_name: name, operator } = filter;
  const type = baseType(column.types, column.typeOid);
  const isJson = type !== undefined && JSON_TYPES.has(type.oid);
  if (filter.field_path !== null && !isJson) return `column ${name} has no field ${filter.field_path}: it is not json`;
  const bound = {
    columnIndex: column.index,
    path: filter.field_path === null ? [] : filter.field_path.split('.'),
    operator,
  };
  if (operator === 'is_null' || operator === 'not_null') return { ...bound, comparison: FIELDS.string, operands: [] };
  const comparison = isJson ? fieldComparison(filter) : comparisonOf(type);
  if (comparison === undefined) return incomparable(name, { type, isJson });
  if (comparison.unordered && ORDERED.has(operator)) {
    return `column ${name} is of type ${type?.name}, whose order its text does not tell: use =, !=, in or not_in`;
  }
  const operands: Comparable[] = [];
  for (const value of [filter.comparison_value].flat()) {
    const operand = value === null ? undefined : comparison.read(String(value));
    if (operand === undefined) return `the value of the filter on ${name} must be ${comparison.wants}`;
    operands.push(operand);
  }
  return { ...bound, comparison, operands };
}

function fieldComparison({ field_path, field_type }: ColumnFilter): Comparison | undefined {
  return field_path === null ? undefined : FIELDS[field_type ?? 'string'];
}

function incomparable(name: string, on: { type: TypeInfo | undefined; isJson: boolean }): string {
  if (on.isJson) return `column ${name} is json, of which a field is compared: name it in field_path`;
  const type = on.type?.name ?? 'unknown';
  return `column ${name} is of type ${type}, which a filter compares with is_null and not_null alone: use a filter function`;
}

/** Does a row satisfy the filter? `text` is the column's value, null for NULL. */
export function passes(filter: BoundFilter, text: string | null): boolean {
  const found = text !== null && filter.path.length > 0 ? textAtPath(text, filter.path) : text;
  if (filter.operator === 'is_null') return found === null;
  if (filter.operator === 'not_null') return found !== null;
  const value = found === null ? undefined : filter.comparison.read(found);
  if (value === undefined) return false;
  return holds(filter, value);
}

function holds({ operator, operands }: BoundFilter, value: Comparable): boolean {
  const first = operands[0];
  switch (operator) {
    case '=':
    case 'in':
      return operands.some((operand) => compare(value, operand) === 0);
    case '!=':
    case 'not_in':
      return operands.every((operand) => compare(value, operand) !== 0);
    case '>':
      return first !== undefined && compare(value, first) > 0;
    case '<':
      return first !== undefined && compare(value, first) < 0;
    case '>=':
      return first !== undefined && compare(value, first) >= 0;
    case '<=':
      return first !== undefined && compare(value, first) <= 0;
    default:
      return false;
  }
}
