/** What a filter refuses, and fields inside json: the rest is compared with Postgres' own judgement (filter.pg.test.ts). */
import { expect } from 'chai';
import type { TypeInfo } from '../../src/codec/types.ts';
import type { ColumnFilter, FunctionSettings } from '../../src/model/declared.ts';
import { bindFilter, passes } from '../../src/routing/filter.ts';
import { textAtPath } from '../../src/routing/json-path.ts';
import { matchTable, type SinkEntry, type TableShape } from '../../src/routing/match.ts';
import { PULL, SEARCH, sinkSettings } from '../support/fixtures/captured.ts';
import { traitsOf } from '../support/fixtures/sinks.ts';

const USERS = { schema: 'public', delimiter: ',', elementOid: null, attributes: [], subtypeOid: null };
const OWN: TypeInfo[] = [
  { ...USERS, oid: 90_001, name: 'mood', kind: 'enum', category: 'E', baseOid: null, extension: null },
  { ...USERS, oid: 90_002, name: 'citext', kind: 'base', category: 'S', baseOid: null, extension: 'citext' },
  { ...USERS, oid: 90_003, name: 'price', kind: 'domain', category: 'N', baseOid: 1700, extension: null },
];
const types = new Map(OWN.map((type) => [type.oid, type]));

const filterOf = (given: Partial<ColumnFilter>): ColumnFilter => ({
  column_name: 'c',
  field_path: null,
  field_type: null,
  operator: '=',
  comparison_value: 'x',
  ...given,
});
const bind = (typeOid: number, given: Partial<ColumnFilter>) =>
  bindFilter(filterOf(given), { index: 0, typeOid, types });

function judge(typeOid: number, given: Partial<ColumnFilter>, text: string | null): boolean {
  const bound = bind(typeOid, given);
  if (typeof bound === 'string') throw new Error(bound);
  return passes(bound, text);
}

describe('a column filter', () => {
  const REFUSED: [what: string, typeOid: number, given: Partial<ColumnFilter>, fault: string][] = [
    ['a word for a number', 23, { comparison_value: 'ten' }, 'the value of the filter on c must be a number'],
    [
      'one value of a list',
      20,
      { operator: 'in', comparison_value: ['1', ''] },
      'the value of the filter on c must be a number',
    ],
    [
      'a number that no float holds',
      701,
      { comparison_value: '1e400' },
      'the value of the filter on c must be a number that a double precision holds',
    ],
    [
      'a number that no real holds',
      700,
      { comparison_value: '1e39' },
      'the value of the filter on c must be a number that a real holds',
    ],
    [
      'a day that does not exist',
      1184,
      { comparison_value: '2026-02-30' },
      'the value of the filter on c must be a date or a timestamp, such as 2026-01-31 or 2026-01-31T10:00:00Z',
    ],
    [
      'a zone where the column has none',
      1114,
      { comparison_value: '2026-02-03 10:00+02' },
      'the value of the filter on c must be a date or a timestamp without a time zone, as the column has none',
    ],
    ['a word for a boolean', 16, { comparison_value: 'maybe' }, 'the value of the filter on c must be true or false'],
    ['half a UUID', 2950, { comparison_value: 'a0eebc99-9c0b' }, 'the value of the filter on c must be a UUID'],
    [
      'text for bytes',
      17,
      { comparison_value: 'abc' },
      'the value of the filter on c must be bytes as \\x and hexadecimal digits',
    ],
    [
      'the order of an enum',
      90_001,
      { operator: '>', comparison_value: 'sad' },
      'column c is of type mood, whose order its text does not tell: use =, !=, in or not_in',
    ],
    [
      'the order of citext',
      90_002,
      { operator: '<=' },
      'column c is of type citext, whose order its text does not tell: use =, !=, in or not_in',
    ],
    [
      'a comparison of inet',
      869,
      { comparison_value: '10.0.0.1' },
      'column c is of type inet, which a filter compares with is_null and not_null alone: use a filter function',
    ],
    [
      'a comparison of interval',
      1186,
      { operator: '>', comparison_value: '1 day' },
      'column c is of type interval, which a filter compares with is_null and not_null alone: use a filter function',
    ],
    [
      'a comparison of an array',
      1007,
      { comparison_value: '{1}' },
      'column c is of type _int4, which a filter compares with is_null and not_null alone: use a filter function',
    ],
    [
      'a comparison of an unknown type',
      99_999,
      {},
      'column c is of type unknown, which a filter compares with is_null and not_null alone: use a filter function',
    ],
    [
      'a whole json value',
      3802,
      { comparison_value: '{}' },
      'column c is json, of which a field is compared: name it in field_path',
    ],
    ['a field of a text', 25, { field_path: 'a.b', field_type: 'string' }, 'column c has no field a.b: it is not json'],
    [
      'a field that is null, of a text',
      25,
      { field_path: 'a', operator: 'is_null', comparison_value: null },
      'column c has no field a: it is not json',
    ],
  ];
  for (const [what, typeOid, given, fault] of REFUSED) {
    it(`refuses ${what}`, () => expect(bind(typeOid, given)).to.equal(fault));
  }

  it('asks any type whether it is null', () => {
    for (const typeOid of [869, 1186, 1007, 99_999, 90_001, 114]) {
      expect(judge(typeOid, { operator: 'is_null', comparison_value: null }, null)).to.equal(true);
      expect(judge(typeOid, { operator: 'not_null', comparison_value: null }, 'null')).to.equal(true);
    }
  });

  it('compares a domain as what it is made of', () => {
    expect(judge(90_003, { operator: '>', comparison_value: 9 }, '10.5')).to.equal(true);
    expect(judge(90_003, { comparison_value: '1e1' }, '10.00')).to.equal(true);
  });

  it('takes numbers and booleans as the file writes them', () => {
    expect(judge(23, { comparison_value: 5 }, '5')).to.equal(true);
    expect(judge(1700, { operator: 'in', comparison_value: [1.5, 1e21] }, '1000000000000000000000')).to.equal(true);
    expect(judge(16, { comparison_value: false }, 'f')).to.equal(true);
  });

  it('knows dates further away than a JavaScript Date does', () => {
    expect(judge(1082, { operator: '>', comparison_value: '5874896-12-31' }, '5874897-01-01')).to.equal(true);
    expect(judge(1082, { operator: '<', comparison_value: '4713-01-01 BC' }, '4714-11-24 BC')).to.equal(true);
  });
});

describe('a field inside json', () => {
  const FIELDS: [json: string, path: string, found: string | null][] = [
    ['{"a": {"b": 1.10}}', 'a.b', '1.10'],
    ['{"a": [10, [20, 30]]}', 'a.1.0', '20'],
    ['{"a": [10, 20], "b": ["x", {"c": 1}]}', 'b.-1', '{"c": 1}'],
    ['{"a": [10, 20]}', 'a.2', null],
    ['{"a": [10, 20]}', 'a.-3', null],
    ['{"a": [10, 20]}', 'a.b', null],
    ['{"0": "key"}', '0', 'key'],
    ['{"a": null}', 'a', null],
    ['{"a": "null"}', 'a', 'null'],
    ['{"a": null}', 'a.b', null],
    ['{"a": "}\\"]{,"}', 'a', '}"]{,'],
    ['{"x": "a", "a": [], "y": {}, "b": true }', 'b', 'true'],
    ['{"source": {"source": "s"}}', 'source', '{"source": "s"}'],
    ['{"a.b": 1}', 'a.b', null],
    ['{"__proto__": 1}', 'constructor', null],
    ['"a"', 'a', null],
    ['null', 'a', null],
    [`${'['.repeat(50_000)}1${']'.repeat(50_000)}`, '0.0.1', null],
  ];
  for (const [json, path, found] of FIELDS) {
    it(`${json.slice(0, 50)} at ${path}`, () => expect(textAtPath(json, path.split('.'))).to.equal(found));
  }
});

describe('filters of a sink and a table', () => {
  const table: TableShape = {
    schema: 'public',
    name: 'Orders "new"',
    columns: [
      { name: 'id', typeOid: 20, key: true },
      { name: 'status', typeOid: 25, key: false },
      { name: 'total', typeOid: 1700, key: false },
    ],
    types: new Map(),
    keyColumns: ['id'],
    identity: 'default',
  };
  const CHANGE_TABLE = {
    type: 'change_table',
    database: 'shop',
    table_schema: 'public',
    table_name: 'e',
    create_if_not_exists: true,
    retention: null,
  } as const;
  const KINDS = [
    ['pull', PULL],
    ['search_index', SEARCH],
    ['change_table', CHANGE_TABLE],
  ] as const;

  for (const [kind, destination] of KINDS) {
    const matched = (filters: ColumnFilter[], shape: Partial<TableShape> = {}, changes: object = {}) => {
      const settings = sinkSettings({ name: 's', destination, filters, ...changes });
      const sink: SinkEntry = { no: 1, name: 's', traits: traitsOf(kind), lanes: 1, settings };
      const { routes, notices } = matchTable([sink], { ...table, ...shape }, new Set());
      const codes = notices.map(({ code }) => code).filter((code) => code !== 'no_old_values');
      return { park: routes[0]?.parkReason, codes, notices };
    };

    it(`${kind}: a column that is not there parks, and says so`, () => {
      const { park, codes, notices } = matched([filterOf({ column_name: 'state' })]);
      expect(park).to.equal('there is no published column state to filter by');
      expect(codes).to.deep.equal(['filter_fault']);
      expect(notices.at(-1)?.remedy).to.match(/^Fix it, then retry or discard/);
    });

    it(`${kind}: a value that does not fit parks`, () => {
      const { park } = matched([filterOf({ column_name: 'total', operator: '>', comparison_value: 'much' })]);
      expect(park).to.equal('the value of the filter on total must be a number');
    });

    it(`${kind}: deletes that cannot be judged are said, with what to do`, () => {
      const filters = [filterOf({ column_name: 'id', comparison_value: 1 }), filterOf({ column_name: 'status' })];
      const { codes, notices, park } = matched(filters);
      expect(park).to.equal(undefined);
      expect(codes).to.deep.equal(['filter_needs_identity']);
      const { message, remedy } = notices.at(-1)!;
      expect(message).to.equal('public.Orders "new": deletes do not carry status, so the filter lets all of them pass');
      expect(remedy).to.equal('alter table "public"."Orders ""new""" replica identity full');
      expect(matched(filters, { identity: 'full' }).codes).to.deep.equal([]);
      expect(matched(filters, {}, { actions: ['insert', 'update'] }).codes).to.deep.equal([]);
      expect(matched([filters[0]!]).codes).to.deep.equal([]);
    });

    it(`${kind}: functions that read what deletes do not carry are told, unless they know of deletes`, () => {
      const said = (code: string, shape: Partial<TableShape> = {}, changes: object = {}) => {
        const settings = sinkSettings({ name: 's', destination, ...changes });
        const judge: FunctionSettings = { name: 'by-status', type: 'filter', sink_type: null, code, path: null };
        const sink: SinkEntry = { no: 1, name: 's', traits: traitsOf(kind), lanes: 1, settings, judges: [judge] };
        const { notices } = matchTable([sink], { ...table, ...shape }, new Set());
        return notices.find((notice) => notice.code === 'function_needs_identity');
      };
      const filter = '(a, row) => row.status === 1';
      expect(said(filter)).to.include({
        message: 'public.Orders "new": deletes do not carry status, which by-status may read: there it is undefined',
        remedy: 'alter table "public"."Orders ""new""" replica identity full',
      });
      expect(said('(a, { status }) => status')?.message).to.contain('status');
      expect(said("(a, row) => a === 'delete' || row.status")).to.equal(undefined);
      expect(said('(a, row) => row.id + row.statuses')).to.equal(undefined);
      expect(said(filter, { identity: 'full' })).to.equal(undefined);
      expect(said(filter, {}, { actions: ['insert'] })).to.equal(undefined);
    });
  }
});
