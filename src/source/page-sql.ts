/** Which rows of a table a page is of, as SQL: `from`, and `where` with its bounds in the order of the pages. */
import { isUtf8 } from 'node:buffer';
import { quoteTable } from '../model/quote.ts';
import { operatorOn, type TableColumn, type TableDescription } from './describe-table.ts';
import { asValue, operand } from './given-keys.ts';
import type { TextForm } from './text-form.ts';

/** Where a page begins: after these values of the order, or from this value of its first column on. */
export interface PageRequest {
  table: TableDescription;
  sort: TableColumn | undefined;
  after: readonly string[] | undefined;
  from: string | undefined;
}

export const orderOf = ({ table, sort }: PageRequest): TableColumn[] =>
  sort && !table.keys.includes(sort) ? [sort, ...table.keys] : [...table.keys];

/** `upTo`: as `after`, where it ends; absent: with the table. */
export type Bounded = PageRequest & { upTo?: readonly string[] | undefined };

/** `put`: SQL of a text, which is a row's and must not stand in a statement. */
export function fromSql(page: Bounded & Pick<TextForm, 'given'>, put: (text: string) => string): string {
  const { table, sort, after, upTo, from } = page;
  const order = orderOf(page);
  const first = sort ?? order[0]!;
  const conditions: string[] = [];
  const given = (column: TableColumn, place: string): string => {
    const { value, sql } = place.startsWith(BYTES) ? HEX(place) : page.given(place);
    return asValue(sql(put(value)), column.type);
  };
  if (from !== undefined) conditions.push(`${operand(first)} ${operatorOn(first, '>=')} ${given(first, from)}`);
  const placed = (place: readonly string[]): string[] => order.map((column, n) => given(column, place[n] ?? ''));
  if (after !== undefined) conditions.push(isAfter(order, placed(after)));
  if (upTo !== undefined) conditions.push(isUpTo(order, placed(upTo)));
  if (table.rowFilter !== null) conditions.push(`(${table.rowFilter})`);
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  return `from ${table.partitioned ? '' : 'only '}${quoteTable(table)}${where}`;
}

/** Does a row follow these values? One comparison of rows has one schema of operators; an index helps with the other form too. */
function isAfter(order: readonly TableColumn[], given: readonly string[]): string {
  const [first] = order;
  if (areOfOneSchema(order))
    return `(${order.map((column) => operand(column)).join(', ')}) ${operatorOn(first!, '>')} (${given.join(', ')})`;
  const rest = order.map((column, n) => {
    const same = order.slice(0, n).map((one, m) => `${operand(one)} ${operatorOn(one, '=')} ${given[m]}`);
    return [...same, `${operand(column)} ${operatorOn(column, '>')} ${given[n]}`].join(' and ');
  });
  return `${operand(first!)} ${operatorOn(first!, '>=')} ${given[0]} and (${rest.join(' or ')})`;
}

/** Is a row among those up to the one with these values? Not all types have their `<=` by that name: the sides are exchanged. */
function isUpTo(order: readonly TableColumn[], given: readonly string[]): string {
  const [first] = order;
  if (areOfOneSchema(order))
    return `(${given.join(', ')}) ${operatorOn(first!, '>=')} (${order.map((column) => operand(column)).join(', ')})`;
  return `${given[0]} ${operatorOn(first!, '>=')} ${operand(first!)} and not (${isAfter(order, given)})`;
}

const areOfOneSchema = (order: readonly TableColumn[]): boolean =>
  order.every((column) => operatorOn(column, '>') === operatorOn(order[0]!, '>'));

/** Before the hex digits of a value that is no UTF-8, where a page ends. Only a SQL_ASCII database has many of them. */
const BYTES = '\u0001\\x';
const HEX: TextForm['given'] = (place) => ({
  value: place.slice(BYTES.length),
  sql: (placeholder) => `convert_from(decode(${placeholder}, 'hex'), 'SQL_ASCII')`,
});

/** A value of the order, as `after` and `upTo` have it. */
export function placeOf(value: Buffer | null): string {
  if (value === null) return '';
  return isUtf8(value) ? value.toString() : BYTES + value.toString('hex');
}
