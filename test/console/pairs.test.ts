/** Annotations and headers as lines of a form: whatever is in them, they come back as they were. */
import { expect } from 'chai';
import fc from 'fast-check';
import { pairs, pairsText } from '../../src/console/parts/form/values.ts';

describe('console: names and values on lines', () => {
  it('are read as they were written', () => {
    const unit = fc.constantFrom(
      'a',
      'Z',
      '1',
      ':',
      ': ',
      '"',
      "'",
      '\\',
      '\n',
      '\r',
      '\t',
      ' ',
      '#',
      '{',
      '\u2028',
      'é',
      '',
    );
    const text = fc.string({ unit, maxLength: 8 });
    fc.assert(
      fc.property(fc.dictionary(text, text, { noNullPrototype: true }), (given) => {
        expect(pairs(pairsText(given)), pairsText(given)).to.deep.equal(given);
      }),
      { numRuns: 3_000 },
    );
  });

  it('need no quotes where they are plain, and may be typed as they come', () => {
    const plain = { owner: 'billing', url: 'https://example.com:1/a', empty: '' };
    expect(pairsText(plain)).to.equal('owner: billing\nurl: https://example.com:1/a\nempty: ');
    expect(pairs(' owner :  billing \n\nalone\nquoted: "say \n"https://a": b\nbroken: "a\\q"')).to.deep.equal({
      ...{ owner: 'billing', alone: '', quoted: '"say', 'https://a': 'b', broken: '"a\\q"' },
    });
  });
});
