/**
 * Texts of ours as values of a source's types, and the rows that have them. Whoever owns a type can plant casts to it, and
 * whoever owns a domain can plant operators on it beside those of an extension: neither may run with our rights. So a text
 * becomes a value by its type's input function alone, and a column of a domain is compared as its base type.
 */
import { quoteIdentifier } from '../model/quote.ts';
import { operatorOn, type TableColumn } from './describe-table.ts';
import type { TextForm } from './text-form.ts';

/** A column that is compared with what we give. */
export type Compared = Pick<TableColumn, 'name' | 'type' | 'operators' | 'cast'>;

/** A key column, with the name of the operator of its index. */
export interface ComparedKey extends Compared {
  equals: string;
}

/** A parameter, or a text as `quoteLiteral` writes it. */
const PLAIN = /^(?:\$\d+|e?'(?:[^']|'')*')$/;

/**
 * `text`: SQL for a text. A parameter or a literal that is cast is one of that type, and is read by its input function; a cast of
 * anything else may be a function. To Postgres' own types, which alone are written without a schema under our path, nobody adds any.
 */
export const asValue = (text: string, type: string): string =>
  PLAIN.test(text) || !type.includes('.')
    ? `${text}::${type}`
    : `(select v from json_to_record(json_build_object('v', ${text})) as r (v ${type}))`;

/** The column on one side of an operator, with `prefix` before its name. Nobody adds an operator to pg_catalog. */
export const operand = ({ name, type, operators, cast }: Compared, prefix = ''): string =>
  `${prefix}${quoteIdentifier(name)}${operators === 'pg_catalog' && !cast ? '' : `::${type}`}`;

/**
 * From `from` on: the rows `t` of `table`, as SQL writes it, that have the keys `w`, whose place from 1 is `w.millrace_place`. The
 * parameters `values`, an array of texts for each column, come after so many others.
 */
export function rowsWith(
  keys: readonly ComparedKey[],
  given: { table: string; form: TextForm; wanted: readonly (readonly string[])[]; others: number },
): { from: string; values: string[][] } {
  const { table, form, others } = given;
  const wanted = given.wanted.map((key) => key.map(form.given));
  const each = (write: (n: number, key: ComparedKey) => string): string[] => keys.map((key, n) => write(n, key));
  const texts = each((n) => `millrace_t${n}`);
  const converted = each((n, { type }) => `${asValue(form.given('').sql(`millrace_t${n}`), type)} as millrace_k${n}`);
  const same = each((n, key) => `${operand(key, 't.')} ${operatorOn(key, key.equals)} w.millrace_k${n}`);
  // Converted once for each key, not for each row that is compared with it.
  const from = `from (select millrace_place, ${converted.join(', ')}
            from unnest(${each((n) => `$${others + n + 1}::text[]`).join(', ')}) with ordinality
                 as u (${texts.join(', ')}, millrace_place)
          offset 0) w
    join ${table} t on ${same.join(' and ')}`;
  return { from, values: keys.map((_, n) => wanted.map((key) => key[n]!.value)) };
}
