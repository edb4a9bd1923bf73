import { expect } from 'chai';
import fc from 'fast-check';
import { mayLoseDigits } from '../../../src/transform/protocol/digits.ts';

const places = (number: string) => [
  number,
  `[${number}]`,
  `{"a": ${number}}`,
  `{"a":1,"b":${number},"c":2}`,
  `[1, ${number} ]`,
];

describe('numbers whose text a double would not keep', () => {
  it('are found', () => {
    const numbers =
      '1.10 0.0 -0 -0.0 12345678901234567890 12345678901234567890.123 0.00000012 1e3 1.5E-7 100.00 -1.0 1e400 1234567.12345678901'.split(
        ' ',
      );
    for (const text of numbers.flatMap(places)) expect(mayLoseDigits(text), text).to.equal(true);
  });

  it('are not seen where there are none', () => {
    const numbers = '0 1 -1 10 1.5 -12.34 123456789012345 0.000001 999999.123456'.split(' ');
    for (const text of numbers.flatMap(places)) expect(mayLoseDigits(text), text).to.equal(false);
    const strings = '{"at":"2025-11-21T07:46:00.120000Z","id":"7f0c7cf0-1e10-4b73-9a7e-0d53a0d0a123","t":"00:10:00"}';
    expect(mayLoseDigits(strings)).to.equal(false);
  });

  it('count outside of strings only, wherever those end', () => {
    const strings = ['1.10', ' 1e3 ', 'a " 1.10', '\\', '\\" 12345678901234567890', '[1.0]', '\\\\', ''];
    const key = fc.constantFrom(...strings);
    const value = fc.oneof(key, fc.integer(), fc.constant([true, null]));
    fc.assert(
      fc.property(fc.dictionary(key, value), fc.boolean(), (row, isLast) => {
        const text = JSON.stringify(row);
        expect(mayLoseDigits(text), text).to.equal(false);
        const other = isLast ? `[${text},1.10]` : `[1.10,${text}]`;
        expect(mayLoseDigits(other), other).to.equal(true);
      }),
    );
  });

  it('are where a text ends within a string, which is no JSON', () => {
    expect(mayLoseDigits('{"a')).to.equal(true);
    expect(mayLoseDigits('{"a\\"')).to.equal(true);
  });

  it('are never overlooked', () => {
    const digits = fc.stringMatching(/^(0|[1-9]\d{0,20})$/);
    const number = fc
      .tuple(
        fc.constantFrom('', '-'),
        digits,
        fc.stringMatching(/^(\.\d{1,20})?$/),
        fc.stringMatching(/^([eE][-+]?\d{1,3})?$/),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(number, (text) => {
        if (String(Number(text)) !== text) expect(mayLoseDigits(`{"a":${text}}`), text).to.equal(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
