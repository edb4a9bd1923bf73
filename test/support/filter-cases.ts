/**
 * Random column filters: a value, an operator and operands that are often equal to the value or beside it, written in other
 * ways; and the SQL that says the same.
 */
import fc from 'fast-check';
import type { ColumnFilter, FilterOperator } from '../../src/model/declared.ts';
import { TYPE_CASES } from './type-values.ts';

export interface FilterCase {
  /** Null for NULL. */
  value: string | null;
  operator: FilterOperator;
  operands: string[];
  path: string | null;
}

export interface FilteredType {
  type: string;
  cases: fc.Arbitrary<FilterCase>;
  /** What an operand is in SQL. */
  operandType: string;
  fieldType: ColumnFilter['field_type'];
  /** The value in SQL, from `x` and `path`. */
  value: string;
}

export const OPERATORS: FilterOperator[] = ['=', '!=', '>', '<', '>=', '<=', 'in', 'not_in', 'is_null', 'not_null'];
const EQUALITIES: FilterOperator[] = ['=', '!=', 'in', 'not_in', 'is_null', 'not_null'];

/** `x` compared with the operands `y`, as a condition that is never NULL. */
export const CONDITION = `coalesce(case operator
  when '=' then x = y[1] when '!=' then x <> y[1]
  when 'in' then x = any (y) when 'not_in' then x <> all (y)
  when 'is_null' then x is null when 'not_null' then x is not null end, false)`;
export const ORDERED_CONDITION = CONDITION.replace(
  'case operator',
  "case operator when '>' then x > y[1] when '<' then x < y[1] when '>=' then x >= y[1] when '<=' then x <= y[1]",
);

interface Spelling {
  /** Random texts of the type, when those of the codec's test do not do. */
  texts?: fc.Arbitrary<string>;
  /** Other spellings of a text, of the same value or one beside it. */
  respelt?: (text: string) => string[];
  operandType?: string;
  value?: string;
  operators?: FilterOperator[];
}

const textsOf = (type: string): fc.Arbitrary<string> => TYPE_CASES.find((one) => one.type === type)!.texts;

function filtered(type: string, spelling: Spelling = {}): FilteredType {
  const texts = spelling.texts ?? textsOf(type).filter((text) => text !== 'epoch');
  const cases = fc
    .tuple(
      texts,
      fc.array(texts, { minLength: 3, maxLength: 3 }),
      fc.nat(),
      fc.constantFrom(...(spelling.operators ?? OPERATORS)),
    )
    .map(([value, others, pick, operator]): FilterCase => {
      const near = [value, value, ...(spelling.respelt?.(value) ?? [])];
      const operands = [near[pick % near.length]!, ...others.slice(1)];
      if (pick % 3 === 0) operands[0] = others[0]!;
      return { value: pick % 17 === 0 ? null : value, operator, operands: operandsFor(operator, operands), path: null };
    });
  return { type, cases, operandType: spelling.operandType ?? type, fieldType: null, value: spelling.value ?? 'x' };
}

function operandsFor(operator: FilterOperator, operands: string[]): string[] {
  if (operator === 'is_null' || operator === 'not_null') return [];
  return operator === 'in' || operator === 'not_in' ? operands : operands.slice(0, 1);
}

const digits = (text: string): string[] =>
  /^-?\d+$/.test(text)
    ? [`${text}.0`, `${text}.00000000000000000001`, `${text}e0`, `0.${text.replace('-', '')}e5`]
    : [];
const moreDigits = (text: string): string[] =>
  /^-?\d*\.\d+$/.test(text) ? [`${text}0`, `${text}0000000000000001`] : digits(text);
const zones = (text: string): string[] =>
  /^\d{4}-.*\d\+00$/.test(text) ? [text.replace('+00', 'Z'), text.replace(' ', 'T').replace(/\+00$/, '')] : [];

const INTEGER = { respelt: digits, operandType: 'numeric' };
const CHARACTERS = {
  respelt: (text: string) => [`${text} `, text.slice(0, -1).toWellFormed()],
  value: 'x collate "C"',
};

const POOLS: Record<NonNullable<ColumnFilter['field_type']>, string[]> = {
  string: ['', 'a', 'A', 'ab', 'é', '😀', '\uffee', 'null', '1', 'true', '"', '\\', '{"a": 1}', '[1, 2]'],
  number: ['0', '-0', '1', '1.0', '10e-1', '12345678901234567890.1', '12345678901234567890.10', '1e30', '-7', 'NaN'],
  boolean: ['true', 'false', 'yes', '1', 'off'],
  datetime: [
    '2020-01-01T00:00:00Z',
    '2020-01-01T05:30:00+05:30',
    '2020-01-01',
    '2019-12-31 23:59:59.999999',
    'infinity',
    '0044-03-15 BC',
  ],
};
const KEYS = ['a', 'b', 'A', '0', '1', '-1', 'with space', 'qu"ote', 'back\\slash', 'é', ''];
const NUMBER = /^-?\d+(\.\d+)?(e-?\d+)?$/;

/** A value of a pool, as JSON writes it: a number or a word by itself, or a string. */
const scalars = fc
  .tuple(fc.constantFrom(...Object.values(POOLS).flat(), 'null'), fc.boolean())
  .map(([text, bare]) =>
    bare && (NUMBER.test(text) || /^(true|false|null)$/.test(text)) ? text : JSON.stringify(text),
  );
/** JSON text with keys that come twice, escapes where none are needed, and white space. */
const documents = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 2, arbitrary: scalars },
    {
      weight: 3,
      arbitrary: fc
        .array(fc.tuple(fc.constantFrom(...KEYS), tie('value'), fc.constantFrom('', ' ', '\n\t')), { maxLength: 5 })
        .map(
          (members) =>
            `{${members.map(([key, value, space]) => `${space}${written(key)}${space}:${space}${value}${space}`)}}`,
        ),
    },
    { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }).map((values) => `[ ${values.join(' ,')} ]`) },
  ),
})).value;
const written = (key: string): string => (key === 'b' ? '"\\u0062"' : JSON.stringify(key));

/** A field of a json column. What is not of its type is NULL to every comparison. */
function field(type: 'json' | 'jsonb', fieldType: NonNullable<ColumnFilter['field_type']>): FilteredType {
  const pool = fc.constantFrom(...POOLS[fieldType]);
  // On json, Postgres 18 finds the wrong element by an index from the end when another array comes before.
  const fromTheEnd = type === 'jsonb' ? ['-1', '-2'] : [];
  const parts = fc.constantFrom('a', 'a', 'b', '0', '1', 'é', 'with space', 'qu"ote', ...fromTheEnd);
  const paths = fc.array(parts, { minLength: 1, maxLength: 3 });
  const cases = fc
    .tuple(documents, paths, fc.array(pool, { minLength: 3, maxLength: 3 }), fc.constantFrom(...OPERATORS), fc.nat())
    .map(([document, path, operands, operator, pick]): FilterCase => {
      // Otherwise most paths would lead nowhere.
      const text = NUMBER.test(operands[0]!) && pick % 2 === 0 ? operands[0]! : JSON.stringify(operands[pick % 3]);
      const planted = path.reduceRight((inner, key) => `{"x": {"a": 1}, ${JSON.stringify(key)} : ${inner}}`, text);
      return {
        value: pick % 17 === 0 ? null : pick % 2 === 0 ? planted : document,
        operator,
        operands: operandsFor(operator, operands),
        path: path.join('.'),
      };
    });
  return { type, cases, fieldType, ...FIELD_SQL[fieldType] };
}

const FOUND = `(x #>> string_to_array(path, '.'))`;
const FIELD_SQL = {
  string: { operandType: 'text', value: `${FOUND} collate "C"` },
  number: {
    operandType: 'numeric',
    value: `case when ${FOUND} ~* '^([+-]?[0-9]+(\\.[0-9]*)?(e[+-]?[0-9]+)?|nan|-?infinity)$' then ${FOUND}::numeric end`,
  },
  boolean: {
    operandType: 'boolean',
    value: `case when lower(${FOUND}) in ('true', 'false', 'yes', 'off', '1', '0') then ${FOUND}::boolean end`,
  },
  datetime: {
    operandType: 'timestamptz',
    value: `case when ${FOUND} ~ '^([0-9]{4}-[0-9]{2}-|infinity$)' then ${FOUND}::timestamptz end`,
  },
};

export const FILTERED_TYPES: FilteredType[] = [
  filtered('smallint', INTEGER),
  filtered('integer', INTEGER),
  filtered('bigint', INTEGER),
  filtered('oid', { ...INTEGER, value: 'x::text::numeric' }),
  filtered('numeric', { respelt: moreDigits }),
  filtered('numeric(20,5)', { respelt: moreDigits, operandType: 'numeric' }),
  filtered('real', { respelt: moreDigits }),
  filtered('double precision', { respelt: moreDigits }),
  filtered('positive', { ...INTEGER, value: 'x::integer' }),
  filtered('boolean', {
    texts: fc.constantFrom('t', 'f', 'true', 'false', 'yes', 'no', 'on', 'off', '1', '0', 'TRUE', 'fal', 'tr', 'y'),
  }),
  filtered('text', CHARACTERS),
  filtered('varchar', CHARACTERS),
  filtered('character(12)', CHARACTERS),
  filtered('name', { ...CHARACTERS, respelt: (text) => [text.slice(0, -1).toWellFormed()] }),
  filtered('"char"', { texts: fc.stringMatching(/^[ -~]$/) }),
  filtered('citext', {
    texts: fc.stringMatching(/^[aAbB]{1,3}$/),
    respelt: (text) => [text.toUpperCase()],
    operators: EQUALITIES,
  }),
  filtered('mood', { operators: EQUALITIES }),
  filtered('uuid', {
    respelt: (text) => [text.toUpperCase(), `{${text}}`, text.replaceAll('-', ''), text.replace(/.$/, '0')],
  }),
  filtered('bytea', {
    respelt: (text) => [text.toUpperCase().replace('X', 'x'), `${text}00`, text.slice(0, -2).padEnd(2, '\\x')],
  }),
  filtered('date', {
    operandType: 'timestamp',
    respelt: (text) =>
      /^\d{4,}-\d\d-\d\d$/.test(text) ? [`${text} 00:00`, `${text}T12:00:00Z`, `${text} 00:00:00.000001`] : [],
  }),
  filtered('timestamp', {
    respelt: (text) => (/\d$/.test(text) ? [`${text}Z`, text.replace(' ', 'T'), text.slice(0, -1)] : []),
  }),
  filtered('timestamptz', { respelt: zones }),
  filtered('timestamptz(0)', { respelt: zones, operandType: 'timestamptz' }),
  filtered('time', { respelt: (text) => [text.slice(0, 5), `${text}0`, '24:00:00', '23:59:60'] }),
  ...(['json', 'jsonb'] as const).flatMap((type) => [
    field(type, 'string'),
    field(type, 'number'),
    field(type, 'boolean'),
    field(type, 'datetime'),
  ]),
];
