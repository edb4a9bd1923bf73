import { expect } from 'chai';
import { canonicalJson, differingKeys, sameJson } from '../../src/model/json-text.ts';

describe('model/json-text', () => {
  for (const [a, b] of [
    ['1.0', '1'],
    ['1e3', '1000'],
    ['1E+3', '10.00e2'],
    ['-0', '0.000'],
    ['-1.50', '-1.5'],
    ['0.00012', '1.2e-4'],
    ['123456789012345678901234567890', '123456789012345678901234567890.0'],
    ['{"a":1,"b":[1,2]}', ' { "b" : [ 1.0 , 2 ] , "a" : 1 } '],
    ['"é"', '"\\u00e9"'],
    ['"a/b"', '"a\\/b"'],
    ['{"\\u0061":1}', '{"a":1}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['[]', '[ ]'],
    ['{}', '{\n}'],
  ] as const) {
    it(`${a} is ${JSON.stringify(b)}`, () => expect(sameJson(a, b)).to.equal(true));
  }

  for (const [a, b] of [
    ['1', '"1"'],
    ['9007199254740993', '9007199254740992'],
    ['0.1', '0.10000000000000001'],
    ['1', '-1'],
    ['1e3', '1e4'],
    ['null', '"null"'],
    ['[1,2]', '[2,1]'],
    ['[[1],2]', '[[1,2]]'],
    ['{"a":null}', '{}'],
    ['{"a":"x\\""}', '{"a":"x"}'],
    ['"a "', '"a"'],
    ['true', 'false'],
  ] as const) {
    it(`${a} is not ${b}`, () => expect(sameJson(a, b)).to.equal(false));
  }

  it('takes numbers, strings and nesting of any size', () => {
    expect(sameJson('1e99999999999999999999', '10e99999999999999999998')).to.equal(true);
    const text = '\\\\'.repeat(100_000);
    expect(sameJson(`"${text}"`, ` "${text}"`)).to.equal(true);
    const deep = `${'['.repeat(1000)}1.0${']'.repeat(1000)}`;
    expect(sameJson(deep, deep.replace('1.0', '1'))).to.equal(true);
    expect(sameJson(`${'['.repeat(500_000)}`, '[')).to.equal(false);
  });

  it('does not show the text that it cannot read', () => {
    for (const text of ['{"secret":}', '[1,]', '{"a":1,}', '01x', '{"a" 1}', '"open', '1 2', '', '{a:1}']) {
      expect(() => canonicalJson(text), text).to.throw(SyntaxError, /^not JSON at character \d+$/);
    }
    expect(sameJson('{', '{ ')).to.equal(false);
  });

  it('names the members that differ', () => {
    expect(differingKeys('{"a":1,"b":2,"d":0}', '{"b":2.0,"a":1.1,"c":null,"d":-0}')).to.deep.equal(['a', 'c']);
    expect(differingKeys('[]', '{}')).to.equal(undefined);
  });
});
