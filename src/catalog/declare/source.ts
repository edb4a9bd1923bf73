/**
 * What of a database a sink is fed with: tables, actions, column filters, groups. Whether the tables and columns exist
 * is the source's to say; here it is checked that the condition can mean something.
 */
import { z } from 'zod';
import { parseDecimal } from '../../model/decimal.ts';
import type { ColumnFilter, FilterOperator, FilterValue } from '../../model/declared.ts';
import { parseInstant } from '../../model/instant.ts';
import type { LongNumber } from '../../model/long-number.ts';
import { Identifier, isLong, Long, TableName, Text, TOO_LONG } from '../../model/scalars.ts';
import { type Refusal, refusal, refuse, section, withRemedy } from '../../model/section.ts';

export const Actions = z
  .array(z.enum(['insert', 'update', 'delete']))
  .min(1, withRemedy('must name at least one action', 'Name some, or remove the key for all.'))
  .refine(
    (actions) => new Set(actions).size === actions.length,
    refusal('names an action twice', 'Remove one of the two.'),
  )
  .default(['insert', 'update', 'delete']);

const NOTHING = withRemedy('is an empty list, which matches nothing', 'Name some, or remove the key for all.');
const someSchemas = z.array(Identifier).min(1, NOTHING).nullable().default(null);
const someTables = z.array(TableName).min(1, NOTHING).nullable().default(null);

export const Source = section('sinks[].source', {
  include_schemas: someSchemas,
  exclude_schemas: someSchemas,
  include_tables: someTables,
  exclude_tables: someTables,
}).superRefine((source, context) => {
  for (const kind of ['schemas', 'tables'] as const) {
    const excluded = new Set(source[`exclude_${kind}`]);
    (source[`include_${kind}`] ?? []).forEach((name, index) => {
      if (!excluded.has(name)) return;
      const remedy = 'Remove it from one of the two lists.';
      refuse(context, [`include_${kind}`, index], { message: `is in \`exclude_${kind}\` too`, remedy });
    });
  }
});

/** Without columns of its own (none, or an empty list of them) a table is grouped by its key, as every other is. */
export const GroupedTables = z.array(
  section('sinks[].tables[]', { name: TableName, group_column_names: z.array(Identifier).nullable().default(null) }),
);

const OPERATORS: FilterOperator[] = ['=', '!=', '>', '<', '>=', '<=', 'in', 'not_in', 'is_null', 'not_null'];
const ALIASES: Record<string, FilterOperator> = { '==': '=', '<>': '!=', is_not_null: 'not_null' };

function toOperator(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const plain = value.trim().toLowerCase().replaceAll(/\s+/g, '_');
  return ALIASES[plain] ?? plain;
}

const scalar = z.union([z.string(), z.number(), z.boolean(), Long]);
const Value = z.union(
  [scalar, z.array(scalar), z.null()],
  withRemedy('must be a text, a number, true, false or a list of these', 'Write one of these.'),
);

const Filter = section('filters[]', {
  column_name: Identifier,
  field_path: Text.nullable().default(null),
  field_type: z.enum(['string', 'number', 'boolean', 'datetime']).nullable().optional(),
  operator: z.preprocess(toOperator, z.enum(OPERATORS)),
  comparison_value: Value.optional(),
})
  .superRefine((filter, context) => {
    const value = filter.comparison_value ?? null;
    const isTooLong = [value].flat().some(isLong);
    const fault = isTooLong ? tooLong(filter.field_path !== null) : valueFault(filter.operator, value);
    if (fault !== undefined) refuse(context, ['comparison_value'], fault);
    if (filter.field_path === null && filter.field_type) {
      refuse(context, ['field_type'], {
        message: 'is for a field inside a json column',
        remedy: 'Add `field_path`, or remove it: a column is compared by its own type.',
      });
    }
    if (filter.field_path !== null && /^\.|\.\.|\.$/.test(filter.field_path)) {
      refuse(context, ['field_path'], {
        message: 'has an empty part',
        remedy: 'Join names by single dots: `customer.tier`.',
      });
    }
    if (fault === undefined && filter.field_type && value !== null) {
      const wrong = [value].flat().find((item) => !fits(item, filter.field_type));
      if (wrong !== undefined) {
        const remedy = 'Write a value of that type, or change `field_type`.';
        refuse(context, ['comparison_value'], { message: `is not a ${filter.field_type}`, remedy });
      }
    }
  })
  .transform((filter): ColumnFilter => {
    // What is too long was refused.
    const value = (filter.comparison_value ?? null) as FilterValue;
    return {
      column_name: filter.column_name,
      field_path: filter.field_path,
      field_type: filter.field_path === null ? null : (filter.field_type ?? typeOf(value)),
      operator: filter.operator,
      comparison_value: value,
    };
  });

/** Column filters: all must hold. */
export const Filters = z.array(Filter).default([]);

/** A column's own type says how a text is compared; in json only `field_type` does. */
const tooLong = (isField: boolean): Refusal => ({
  message: `${TOO_LONG.message} here`,
  remedy: isField ? 'Put it in quotes, with `field_type: number`.' : TOO_LONG.remedy,
});

type Given = FilterValue | LongNumber | (string | number | boolean | LongNumber)[];

function valueFault(operator: FilterOperator, value: Given): Refusal | undefined {
  if (operator === 'is_null' || operator === 'not_null') {
    return value === null ? undefined : { message: `does not go with \`${operator}\``, remedy: 'Remove it.' };
  }
  if (operator === 'in' || operator === 'not_in') {
    if (Array.isArray(value) && value.length > 0) return undefined;
    return { message: `must be a list for \`${operator}\``, remedy: 'Write [one, two].' };
  }
  if (value === null) return { message: 'is missing', remedy: 'Add it; for null use `is_null` or `not_null`.' };
  if (Array.isArray(value))
    return { message: `must be one value for \`${operator}\``, remedy: 'Use `in` or `not_in`.' };
  if (typeof value === 'boolean' && operator !== '=' && operator !== '!=') {
    return { message: `has no order for \`${operator}\``, remedy: 'Use `=` or `!=`.' };
  }
  return undefined;
}

function fits(item: unknown, type: ColumnFilter['field_type'] | undefined): boolean {
  if (type === 'number' && typeof item === 'string') return parseDecimal(item) !== undefined;
  if (type === 'datetime') return typeof item === 'string' && parseInstant(item) !== undefined;
  return typeof item === type;
}

/** How a field inside a json column is compared when `field_type` is left out. */
function typeOf(value: FilterValue): ColumnFilter['field_type'] {
  const first = Array.isArray(value) ? value[0] : value;
  return typeof first === 'number' ? 'number' : typeof first === 'boolean' ? 'boolean' : 'string';
}
