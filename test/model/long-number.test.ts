/** Numbers of a text: those that a double holds are numbers, and others keep their digits. */
import { expect } from 'chai';
import fc from 'fast-check';
import { compareDecimals, parseDecimal } from '../../src/model/decimal.ts';
import { LongNumber, numberOf, parseJson } from '../../src/model/long-number.ts';

describe('numbers of a text', () => {
  it('are told apart by whether a double holds them', () => {
    for (const text of [
      '0',
      '-1',
      '0.1',
      '1e3',
      '1E-7',
      '100000000000000000000',
      '1e21',
      '9007199254740992',
      '+1.5',
      '0x1f',
      '0o17',
    ])
      expect(numberOf(Number(text), text), text).to.equal(Number(text));
    for (const [text, json] of [
      ['9007199254740993', '9007199254740993'],
      ['0.1234567890123456789', '0.1234567890123456789'],
      ['+.1234567890123456789', '0.1234567890123456789'],
      ['-00012345678901234567890.', '-12345678901234567890'],
      ['1e400', '1e400'],
      ['1e-400', '1e-400'],
      ['-1.00000000000000000001e5', '-1.00000000000000000001e5'],
      ['0xffffffffffffffffff', '4722366482869645213695'],
    ] as const) {
      const long = numberOf(Number(text), text);
      expect(long, text).to.be.instanceOf(LongNumber);
      expect(JSON.stringify({ long }), text).to.equal(`{"long":${json}}`);
    }
  });

  it('keep their value, whatever they are', () => {
    const digits = (maxLength: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength });
    const json = fc
      .tuple(
        fc.constantFrom('', '-'),
        fc.bigInt({ min: 0n, max: 10n ** 25n }),
        fc.option(digits(25)),
        fc.option(fc.integer({ min: -400, max: 400 })),
      )
      .map(
        ([sign, whole, part, power]) =>
          `${sign}${whole}${part === null ? '' : `.${part}`}${power === null ? '' : `e${power}`}`,
      );
    fc.assert(
      fc.property(json, (text) => {
        const [value] = parseJson(`[ ${text}]`) as [unknown];
        const kept = value instanceof LongNumber ? value.text : String(value);
        expect(compareDecimals(parseDecimal(kept)!, parseDecimal(text)!)).to.equal(0);
        expect(JSON.stringify(parseJson(JSON.stringify({ at: value })))).to.equal(JSON.stringify({ at: value }));
      }),
      { numRuns: 2_000 },
    );
  });

  it('leave texts alone', () => {
    const texts = { a: ', 0.1234567890123456789', b: ':1e400', '[1234567890123456789': ['{"c":12345678901234567890}'] };
    expect(parseJson(JSON.stringify(texts))).to.deep.equal(texts);
    expect(() => parseJson('[12345678901234567890')).to.throw(SyntaxError);
  });
});
