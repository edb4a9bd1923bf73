/** What a filter compares a column with. */
import { expect } from 'chai';
import { parseKeeping } from '../../src/console/api/json-text.ts';
import { comparedAs, comparedText, comparedWith, shownText } from '../../src/console/parts/form/compared.ts';

describe('console: the value of a filter', () => {
  it('is shown with every digit, alone and in a list', () => {
    expect(comparedText(parseKeeping('9223372036854775807'))).to.equal('9223372036854775807');
    expect(comparedText(parseKeeping('[1, 9223372036854775807, "a"]'))).to.equal('1, 9223372036854775807, a');
    expect([comparedText(null), comparedText(true), comparedText(1.5)]).to.deep.equal(['', 'true', '1.5']);
  });

  it('is sent as it is typed', () => {
    expect(comparedWith('9223372036854775807', '=')).to.equal('9223372036854775807');
    expect(comparedWith('17, true, a', 'in')).to.deep.equal([17, true, 'a']);
    // A code that begins with a zero is no number.
    expect([comparedWith('01234', '='), comparedWith('0', '='), comparedWith('-5', '=')]).to.deep.equal([
      '01234',
      0,
      '-5',
    ]);
    expect(comparedWith('01, 10', 'in')).to.deep.equal(['01', 10]);
  });

  it('can be typed letter by letter, and taken back', () => {
    for (const [operator, text] of [
      ['=', 'New York'],
      ['=', '01234'],
      ['in', 'New York, Los Angeles'],
      ['in', 'a , "b, c",01'],
    ] as const) {
      let shown = '';
      const type = (next: string): void => {
        shown = shownText(next, comparedWith(next, operator), operator);
        expect(shown).to.equal(next);
      };
      for (const letter of text) type(shown + letter);
      while (shown !== '') type(shown.slice(0, -1));
    }
  });

  it('is that of its filter, whatever was typed for another one', () => {
    expect(shownText('New York', 'Oslo', '=')).to.equal('Oslo');
    expect(shownText('', ['a', 'b'], 'in')).to.equal('a, b');
    expect(shownText('', undefined, '=')).to.equal('');
  });

  it('may have commas, quotes and spaces in a list', () => {
    for (const list of [
      ['a,b', 'c'],
      ['say "x"', ''],
      [' a ', '"'],
      ['a\\"b', 5, true],
    ]) {
      expect(comparedWith(comparedText(list), 'in')).to.deep.equal(list);
      expect(comparedAs(comparedText(list), list, { from: 'in', to: 'not_in' })).to.equal(list);
    }
    expect(comparedAs('5', 5, { from: '=', to: 'in' })).to.deep.equal([5]);
  });
});
