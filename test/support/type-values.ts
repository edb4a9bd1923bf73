/**
 * Random values of every type that the codec must print as `to_jsonb` does, as texts that Postgres accepts. Edges (infinities,
 * BC, extremes, empty, NULL-like words, quotes, control characters) come often.
 */
import fc from 'fast-check';

export interface TypeCase {
  type: string;
  texts: fc.Arbitrary<string>;
  /** SQL that makes the value of the text `value`; a cast if absent. */
  make?: string;
  /** No arrays or composites of it (ARRAY[...] of a vector is not an array of vectors). */
  alone?: true;
}

/** DDL of the types used here, for a database of the test's own. */
export const TYPES_SQL = `
  create extension hstore;
  create extension citext;
  create type mood as enum ('sad', 'so so', 'it''s "fine"', 'null', 'a,b', 'ünï');
  create domain positive as int check (value > 0);
  create domain tags as text[];
  create type pair as (a int, "B b" text);
  create domain pair_domain as pair;
  create type nested as (longest_name pair, z numeric[], "quo""te" hstore, y mood, bb tags, pairs pair[], none pair_domain, t timestamptz, lists tags[]);
  alter type nested add attribute gone int;
  alter type nested drop attribute gone;
  create type empty_type as ();
  create type text_range as range (subtype = text);
  create domain stored as hstore;
`;

const or = <T>(...arbitraries: fc.Arbitrary<T>[]) => fc.oneof(...arbitraries);
const bigint = (bits: bigint) => fc.bigInt({ min: -(1n << (bits - 1n)), max: (1n << (bits - 1n)) - 1n }).map(String);
const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{1,${length}}$`));
const pad = (n: number, width: number) => String(n).padStart(width, '0');

const NASTY = [
  '',
  ' ',
  'NULL',
  'null',
  '"',
  '\\',
  '\\"',
  '{',
  '}',
  '{}',
  '()',
  '(,)',
  ',',
  ';',
  '[0:1]={1,2}',
  "'",
  '=>',
  '\u2028',
  '\x7f',
  '\t\n\r\b\f\x01\x1f',
  'é',
  '東京',
  '😀',
  '</script>',
  '\\x41',
  '""',
  'a"b\\c',
];
/** Any text without a NUL, which Postgres does not hold. */
export const text = or(
  fc.constantFrom(...NASTY),
  fc.string({ unit: 'binary', maxLength: 40 }).map((s) => s.replaceAll('\0', '')),
  fc.string({ unit: 'grapheme-ascii', maxLength: 300 }),
  fc.string({ unit: fc.constantFrom(...NASTY), maxLength: 8 }),
);
const word = fc.stringMatching(/^[a-zé東"' ]{1,8}$/).filter((s) => s.trim() !== '');

const int2 = or(fc.integer({ min: -32_768, max: 32_767 }), fc.constantFrom(0, -1, -32_768, 32_767)).map(String);
const int4 = or(fc.integer(), fc.constantFrom(0, -1)).map(String);
const int8 = or(bigint(64n), fc.constantFrom('0', '-9223372036854775808', '9223372036854775807', '9007199254740993'));
const uint4 = fc.integer({ min: 0, max: 0xffffffff }).map(String);
const specials = fc.constantFrom('NaN', 'Infinity', '-Infinity', '-0', '0');
const plainNumeric = or(
  fc.tuple(fc.constantFrom('', '-'), digits(40), digits(30)).map(([sign, a, b]) => `${sign}${a}.${b}`),
  fc.tuple(fc.constantFrom('', '-'), digits(60)).map(([sign, a]) => sign + a),
  fc.tuple(digits(5), fc.integer({ min: -80, max: 80 })).map(([a, e]) => `${a}e${e}`),
);
const float = or(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.integer().map(String),
  specials,
  fc.integer({ min: -300, max: 300 }).map((e) => `1e${e}`),
);
const float4 = or(
  fc.float({ noNaN: true, noDefaultInfinity: true }).map(String),
  specials,
  fc.integer({ min: -37, max: 38 }).map((e) => `1e${e}`),
);

const day = fc
  .tuple(
    or(fc.integer({ min: 1, max: 9999 }), fc.integer({ min: 1, max: 290_000 })),
    fc.integer({ min: 1, max: 12 }),
    fc.integer({ min: 1, max: 28 }),
  )
  .map(([y, m, d]) => `${pad(y, 4)}-${pad(m, 2)}-${pad(d, 2)}`);
const bcDay = fc
  .tuple(fc.integer({ min: 1, max: 4700 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([y, m, d]) => `${pad(y, 4)}-${pad(m, 2)}-${pad(d, 2)}`);
const clock = fc
  .tuple(
    fc.integer({ min: 0, max: 23 }),
    fc.integer({ min: 0, max: 59 }),
    fc.integer({ min: 0, max: 59 }),
    or(fc.constant(0), fc.integer({ min: 0, max: 999_999 })),
  )
  .map(([h, m, s, us]) => `${pad(h, 2)}:${pad(m, 2)}:${pad(s, 2)}.${pad(us, 6)}`);
const zone = fc.constantFrom('+00', '-03:30', '+05:45', '+14', '-12', '+01:02:03');
const infinity = fc.constantFrom('infinity', '-infinity', 'epoch');
const date = or(
  day,
  bcDay.map((d) => `${d} BC`),
  infinity,
);
const timestamp = or(
  fc.tuple(day, clock).map(([d, c]) => `${d} ${c}`),
  fc.tuple(bcDay, clock).map(([d, c]) => `${d} ${c} BC`),
  infinity,
);
const timestamptz = or(
  fc.tuple(day, clock, zone).map(([d, c, z]) => `${d} ${c}${z}`),
  fc.tuple(bcDay, clock, zone).map(([d, c, z]) => `${d} ${c}${z} BC`),
  infinity,
);
const small = fc.integer({ min: -500, max: 500 });
const interval = fc
  .tuple(small, small, small, small, small, fc.integer({ min: -999_999, max: 999_999 }))
  .map(([y, mo, d, h, m, us]) => `${y} years ${mo} mons ${d} days ${h} hours ${m} mins ${us} microseconds`);

const json = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'binary' })
  .map((value) => JSON.stringify(value))
  .filter((s) => !/\\u0000|\\ud[89a-f]/.test(s));
const coordinate = or(
  fc.integer({ min: -1000, max: 1000 }).map(String),
  fc.double({ min: -1e9, max: 1e9, noNaN: true }).map(String),
  fc.constantFrom('1e+20', '-1e-10', 'Infinity', 'NaN'),
);
const point = fc.tuple(coordinate, coordinate).map(([x, y]) => `(${x},${y})`);
const finite = fc.integer({ min: -1000, max: 1000 });
const points = fc.array(point, { minLength: 1, maxLength: 4 });
const ipv4 = fc.ipV4();
const bits = fc.stringMatching(/^[01]{1,40}$/);

/** `[a,b)` and its kin; the server orders the bounds, so they are made by SQL from two texts. */
function range(bound: fc.Arbitrary<string>, type: string, subtype: string): TypeCase {
  const bounds = fc.constantFrom('[]', '[)', '(]', '()');
  const side = or(bound, fc.constant(null));
  return {
    type,
    texts: fc.tuple(side, side, bounds).map((parts) => JSON.stringify(parts)),
    make: `(select case when lo is not null and hi is not null then ${type}(least(lo, hi), greatest(lo, hi), kind) else ${type}(lo, hi, kind) end
      from (select (value::json ->> 0)::${subtype} as lo, (value::json ->> 1)::${subtype} as hi, value::json ->> 2 as kind) as side)`,
  };
}

const multirange = (first: number, last: number) =>
  fc.array(fc.tuple(fc.integer({ min: first, max: last }), fc.integer({ min: 0, max: 50 })), { maxLength: 4 });

export const TYPE_CASES: TypeCase[] = [
  { type: 'boolean', texts: fc.constantFrom('t', 'f') },
  { type: 'smallint', texts: int2 },
  { type: 'integer', texts: int4 },
  { type: 'bigint', texts: int8 },
  { type: 'oid', texts: uint4 },
  { type: 'real', texts: float4 },
  { type: 'double precision', texts: float },
  { type: 'numeric', texts: or(plainNumeric, specials) },
  { type: 'numeric(20,5)', texts: fc.tuple(digits(15), digits(9)).map(([a, b]) => `-${a}.${b}`) },
  { type: 'money', texts: fc.integer().map((n) => (n / 100).toFixed(2)) },
  { type: 'text', texts: text },
  { type: 'varchar', texts: text },
  { type: 'character(12)', texts: text.map((s) => [...s].slice(0, 12).join('')) },
  { type: '"char"', texts: fc.constantFrom('', 'a', '"', '\\', '\n', ',', '\x01') },
  { type: 'name', texts: word },
  { type: 'citext', texts: text },
  { type: 'uuid', texts: fc.uuid() },
  { type: 'bytea', texts: fc.uint8Array({ maxLength: 30 }).map((b) => `\\x${Buffer.from(b).toString('hex')}`) },
  { type: 'date', texts: date },
  { type: 'time', texts: clock },
  { type: 'timetz', texts: fc.tuple(clock, zone).map(([c, z]) => c + z) },
  { type: 'timestamp', texts: timestamp },
  { type: 'timestamptz', texts: timestamptz },
  { type: 'timestamptz(0)', texts: timestamptz },
  { type: 'interval', texts: interval },
  { type: 'json', texts: json, make: 'jsonb_pretty(value::jsonb)::json' },
  { type: 'jsonb', texts: json },
  { type: 'jsonpath', texts: fc.constantFrom('$.a', '$."b c"[*] ? (@ > 1)', 'strict $') },
  { type: 'xml', texts: word.map((s) => `<a b="${s.replaceAll('"', '')}">\n${s}</a>`) },
  { type: 'mood', texts: fc.constantFrom('sad', 'so so', `it's "fine"`, 'null', 'a,b', 'ünï') },
  { type: 'positive', texts: fc.integer({ min: 1, max: 2_147_483_647 }).map(String) },
  {
    type: 'tags',
    texts: fc.array(text).map((list) => JSON.stringify(list)),
    make: `array(select json_array_elements_text(value::json))::tags`,
    alone: true,
  },
  {
    type: 'inet',
    texts: or(
      ipv4,
      fc.ipV6(),
      fc.tuple(ipv4, fc.integer({ min: 0, max: 32 })).map(([a, n]) => `${a}/${n}`),
    ),
  },
  {
    type: 'cidr',
    texts: or(
      ipv4,
      fc.ipV6(),
      fc.integer({ min: 0, max: 255 }).map((n) => `${n}.0.0.0/8`),
    ),
  },
  { type: 'macaddr', texts: fc.uint8Array({ minLength: 6, maxLength: 6 }).map((b) => Buffer.from(b).toString('hex')) },
  { type: 'macaddr8', texts: fc.uint8Array({ minLength: 8, maxLength: 8 }).map((b) => Buffer.from(b).toString('hex')) },
  { type: 'bit(8)', texts: fc.stringMatching(/^[01]{8}$/) },
  { type: 'varbit', texts: bits },
  {
    type: 'tsvector',
    texts: fc.array(word, { maxLength: 4 }).map((words) => words.join(' ')),
    make: `to_tsvector('simple', value)`,
  },
  {
    type: 'tsquery',
    texts: fc.array(fc.stringMatching(/^[a-z]{1,5}$/), { minLength: 1 }).map((words) => words.join(' & ')),
  },
  {
    type: 'pg_lsn',
    texts: fc.tuple(uint4, uint4).map(([a, b]) => `${Number(a).toString(16)}/${Number(b).toString(16)}`),
  },
  { type: 'xid', texts: uint4 },
  { type: 'pg_snapshot', texts: fc.constantFrom('10:20:10,14,15', '1:1:') },
  { type: 'regclass', texts: fc.constantFrom('pg_class', 'pg_type', 'information_schema.tables') },
  { type: 'information_schema.yes_or_no', texts: fc.constantFrom('YES', 'NO') },
  { type: 'int2vector', texts: fc.array(int2).map((v) => v.join(' ')), alone: true },
  { type: 'oidvector', texts: fc.array(uint4).map((v) => v.join(' ')), alone: true },
  { type: 'point', texts: point },
  { type: 'lseg', texts: fc.tuple(point, point).map(([a, b]) => `[${a},${b}]`) },
  { type: 'box', texts: fc.tuple(point, point).map(([a, b]) => `${a},${b}`) },
  { type: 'path', texts: fc.tuple(points, fc.boolean()).map(([p, open]) => (open ? `[${p}]` : `(${p})`)) },
  { type: 'polygon', texts: points.map((p) => `(${p})`) },
  { type: 'line', texts: fc.tuple(finite, finite).map(([a, c]) => `{${a},1,${c}}`) },
  { type: 'circle', texts: fc.tuple(point, fc.integer({ min: 0, max: 99 })).map(([p, r]) => `<${p},${r}>`) },
  range(
    int4.filter((n) => n !== '2147483647'),
    'int4range',
    'int4',
  ),
  range(
    int8.filter((n) => n !== '9223372036854775807'),
    'int8range',
    'int8',
  ),
  range(plainNumeric, 'numrange', 'numeric'),
  range(day, 'daterange', 'date'),
  range(timestamp, 'tsrange', 'timestamp'),
  range(timestamptz, 'tstzrange', 'timestamptz'),
  range(text, 'text_range', 'text collate "C"'),
  {
    type: 'int4multirange',
    texts: multirange(-100, 100).map((r) => `{${r.map(([from, size]) => `[${from},${from + size}]`)}}`),
  },
  {
    type: 'tstzmultirange',
    texts: multirange(2000, 2090).map(
      (r) => `{${r.map(([from, size]) => `["${from}-01-01 10:00Z","${from + size}-06-01"]`)}}`,
    ),
  },
  {
    type: 'hstore',
    texts: hstorePairs(),
    make: 'hstore(array(select json_array_elements_text(value::json -> 0)), array(select json_array_elements_text(value::json -> 1)))',
  },
  {
    type: 'stored',
    texts: hstorePairs(),
    make: 'hstore(array(select json_array_elements_text(value::json -> 0)), array(select json_array_elements_text(value::json -> 1)))::stored',
  },
  { type: 'empty_type', texts: fc.constant('()') },
  {
    type: 'pair',
    texts: fc.tuple(int4, text).map((parts) => JSON.stringify(parts)),
    make: `row((value::json ->> 0)::int, value::json ->> 1)::pair`,
  },
];

function hstorePairs(): fc.Arbitrary<string> {
  return fc
    .array(fc.tuple(text, or(text, fc.constant(null))), { maxLength: 4 })
    .map((pairs) => JSON.stringify([pairs.map(([k]) => k), pairs.map(([, v]) => v)]));
}
