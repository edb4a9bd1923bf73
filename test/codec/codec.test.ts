import { expect } from 'chai';
import fc from 'fast-check';
import { codecFor, jsonOf } from '../../src/codec/codec.ts';
import { JsonBytes } from '../../src/codec/json-bytes.ts';
import type { TypeInfo } from '../../src/codec/types.ts';
import { baseType } from '../../src/routing/comparison.ts';
import { text } from '../support/fixtures/type-values.ts';

const [PAIR, PAIR_ARRAY, HSTORE, LOOP] = [90_001, 90_002, 90_003, 90_004] as const;

function type(oid: number, fields: Partial<TypeInfo>): [number, TypeInfo] {
  const info: TypeInfo = {
    oid,
    schema: 'public',
    name: 'thing',
    kind: 'base',
    category: 'U',
    elementOid: null,
    delimiter: ',',
    baseOid: null,
    attributes: [],
    subtypeOid: null,
    extension: null,
    ...fields,
  };
  return [oid, info];
}

const types = new Map([
  type(PAIR, {
    kind: 'composite',
    attributes: [
      { name: 'number', typeOid: 23, typmod: -1 },
      { name: 'b', typeOid: 1009, typmod: -1 },
    ],
  }),
  type(PAIR_ARRAY, { elementOid: PAIR }),
  type(HSTORE, { name: 'hstore', extension: 'hstore' }),
  type(LOOP, { kind: 'domain', baseOid: LOOP }),
]);

const json = (typeOid: number, value: string) => jsonOf(codecFor(typeOid, types), value);

describe('codec', () => {
  it('escapes text as JSON.stringify and jsonb do', () => {
    fc.assert(
      fc.property(text, (value) => {
        expect(json(25, value)).to.equal(JSON.stringify(value));
      }),
      { numRuns: 1_000 },
    );
    expect(json(25, '\u2028\u2029\x7f</')).to.equal('"\u2028\u2029\x7f</"');
    expect(json(25, '\x00\x1f')).to.equal('"\\u0000\\u001f"');
  });

  it('passes texts of any length', () => {
    for (const length of [95, 96, 97, 16_383, 16_384, 3_000_000]) {
      const value = `${'ü"'.repeat(length)}\n${'x'.repeat(length)}`;
      expect(json(25, value)).to.equal(JSON.stringify(value));
    }
  });

  it('passes what lies deeper in types than anybody means as a string, however many there are', () => {
    const chain = (of: (inner: number) => Partial<TypeInfo>): Map<number, TypeInfo> =>
      new Map(Array.from({ length: 20_000 }, (_, n) => type(100_000 + n, of(n === 0 ? 23 : 99_999 + n))));
    const boxes = chain((inner) => ({ kind: 'composite', attributes: [{ name: 'a', typeOid: inner, typmod: -1 }] }));
    expect(jsonOf(codecFor(100_000 + 2, boxes), '("(""(1)"")")')).to.equal('{"a":{"a":{"a":1}}}');
    expect(jsonOf(codecFor(100_000 + 19_999, boxes), '("()")')).to.equal('{"a":{"a":null}}');
    const domains = chain((inner) => ({ kind: 'domain', baseOid: inner }));
    expect(jsonOf(codecFor(100_000 + 19_999, domains), '7')).to.equal('7');
    expect(baseType(domains, 100_000 + 19_999)?.oid).to.equal(23);
  });

  it('keeps every digit', () => {
    expect(json(20, '9223372036854775807')).to.equal('9223372036854775807');
    expect(json(1700, '12345678901234567890.12345678901234567890')).to.equal(
      '12345678901234567890.12345678901234567890',
    );
    expect(json(701, '1.7976931348623157e+308')).to.equal(`17976931348623157${'0'.repeat(292)}`);
    expect(json(701, '5e-324')).to.equal(`0.${'0'.repeat(323)}5`);
  });

  it('passes JSON that is too deep to be parsed as a string', () => {
    const nested = (levels: number, within = '1'): string =>
      `${'[{"a]":'.repeat(levels / 2)}${within}${'}]'.repeat(levels / 2)}`;
    for (const type of [114, 3802]) {
      expect(json(type, nested(5_000))).to.equal(nested(5_000));
      expect(json(type, nested(5_002))).to.equal(JSON.stringify(nested(5_002)));
      const flat = `["${'['.repeat(6_000)}\\"${'{'.repeat(6_000)}",${'[],'.repeat(6_000)}{}]`;
      expect(json(type, flat)).to.equal(flat);
    }
    expect(json(3807, `{"${nested(6_000, '[]').replaceAll('"', '\\"')}",NULL}`)).to.equal(
      `[${JSON.stringify(nested(6_000, '[]'))},null]`,
    );
  });

  it('passes the text of json as it was written, on one line', () => {
    expect(json(114, '{"a":1,\n "a" : 1e3,\r\n\t"b":"\\u0000\\n"}')).to.equal(
      '{"a":1,  "a" : 1e3,  \t"b":"\\u0000\\n"}',
    );
    expect(json(199, '{"{\\"a\\":\n1e3}",NULL}')).to.equal('[{"a": 1e3},null]');
  });

  it('prints offsets of timestamptz with minutes, in whatever zone they come', () => {
    expect(json(1184, '2026-01-02 03:04:05.678901+00')).to.equal('"2026-01-02T03:04:05.678901+00:00"');
    expect(json(1184, '2026-01-02 03:04:05-05:30')).to.equal('"2026-01-02T03:04:05-05:30"');
    expect(json(1184, '0044-03-15 00:00:00+00 BC')).to.equal('"0044-03-15T00:00:00+00:00 BC"');
    expect(json(1184, 'infinity')).to.equal('"infinity"');
  });

  it('passes a type that nobody knows as a string', () => {
    expect(json(4_000_000_000, 'POINT(1 "2")')).to.equal('"POINT(1 \\"2\\")"');
    expect(json(LOOP, 'x')).to.equal('"x"');
  });

  it('passes a text that its type does not print as a string', () => {
    for (const [typeOid, value] of [
      [16, 'true'],
      [23, ''],
      [23, '-'],
      [23, '007'],
      [23, '1.5'],
      [1700, '.5'],
      [1700, '1.'],
      [701, '1e'],
      [701, '1e99999999'],
      [3802, ''],
      [1007, '{1,2'],
      [1007, '{1,,2}'],
      [1007, '{1,}'],
      [1007, '{1}}'],
      [1007, '1,2}'],
      [1007, '[0:1]'],
      [1007, '{1,x}'],
      [1007, '{"1}'],
      [PAIR, '(1'],
      [PAIR, '(1,,)'],
      [PAIR, '(1,{a},3)'],
      [PAIR, '(1,{a}'],
      [PAIR, '(x,{a})'],
      [PAIR_ARRAY, '{"(1,)","1"}'],
      [HSTORE, '"a"=>1'],
      [HSTORE, '"a"'],
      [HSTORE, '"a"=>"1" "b"=>"2"'],
      [1184, '2026-01-01 00:00:00+'],
    ] as const) {
      expect(json(typeOid, value), `${typeOid} ${value}`).to.equal(JSON.stringify(value));
    }
  });

  it('takes no zero with an exponent for a float: no server prints one, and its digits would be no JSON number', () => {
    for (const value of ['0e1', '-0e1', '0.5e+10']) expect(json(700, value)).to.equal(JSON.stringify(value));
    expect(json(701, '-1.5e+16')).to.equal('-15000000000000000');
    expect(json(701, '1e-07')).to.equal('0.0000001');
  });

  it('writes valid JSON whatever the text', () => {
    const pieces = fc.array(
      fc.oneof(fc.constantFrom(...'{}(),"\\=>[]:;+-. \nTe019', 'NULL', '=>', '""', '\\"', '::', '2026-01-01 '), text),
      { maxLength: 12 },
    );
    const oids = [
      16,
      20,
      700,
      1700,
      25,
      1082,
      1114,
      1184,
      22,
      30,
      1007,
      1009,
      1020,
      1185,
      1231,
      PAIR,
      PAIR_ARRAY,
      HSTORE,
    ];
    fc.assert(
      fc.property(fc.constantFrom(...oids), pieces, (typeOid, parts) => {
        const value = parts.join('');
        expect(() => JSON.parse(json(typeOid, value)), `${typeOid} ${JSON.stringify(value)}`).not.to.throw();
      }),
      { numRuns: 5_000 },
    );
  });

  it('lets go of a buffer that one huge value made large', () => {
    const out = new JsonBytes();
    out.copy(Buffer.alloc(5_000_000, 'x'));
    expect(out.text()).to.have.length(5_000_000);
    out.clear();
    expect(out.bytes.length).to.be.below(1 << 20);
  });
});
