/** What a filter compares a column with. */
import { expect } from 'chai';
import { parseKeeping } from '../../src/console/api/json-text.ts';
import { comparedText, comparedWith } from '../../src/console/parts/form/compared.ts';

describe('console: the value of a filter', () => {
  it('is shown with every digit, alone and in a list', () => {
    expect(comparedText(parseKeeping('9223372036854775807'))).to.equal('9223372036854775807');
    expect(comparedText(parseKeeping('[1, 9223372036854775807, "a"]'))).to.equal('1, 9223372036854775807, a');
    expect([comparedText(null), comparedText(true), comparedText(1.5)]).to.deep.equal(['', 'true', '1.5']);
  });

  it('is sent as it is typed', () => {
    expect(comparedWith('9223372036854775807', '=')).to.equal('9223372036854775807');
    expect(comparedWith('17, true, a', 'in')).to.deep.equal([17, true, 'a']);
  });
});
