import { expect } from 'chai';
import fc from 'fast-check';
import { outsideText } from '../../src/model/outside-text.ts';

describe('a text from outside', () => {
  it('stays as it is when it is short and well-formed', () => {
    for (const text of ['', 'mapper_parsing_exception', 'größer 🐟', 'a\nb\tc']) {
      expect(outsideText(text, { max: 40 })).to.equal(text);
    }
  });

  it('has neither U+0000 nor half a surrogate pair', () => {
    expect(outsideText('a\0b', { max: 9 })).to.equal('a\uFFFDb');
    expect(outsideText('a\uD83D', { max: 9 })).to.equal('a\uFFFD');
    expect(outsideText('\uDC1Fb', { max: 9 })).to.equal('\uFFFDb');
    expect(outsideText('\uDC1F\uD83D', { max: 9 })).to.equal('\uFFFD\uFFFD');
  });

  it('is cut between code points, and says so', () => {
    expect(outsideText('🐟🐟🐟', { max: 3 })).to.equal('🐟🐟🐟');
    expect(outsideText('🐟🐟🐟🐟', { max: 3 })).to.equal('🐟🐟…');
    expect(outsideText('abcd', { max: 3 })).to.equal('ab…');
    expect(outsideText('abc\uD83D', { max: 3 })).to.equal('ab…');
  });

  it('is what the definition says, for any text', () => {
    const unit = fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.integer({ min: 0xd7fe, max: 0xe002 }),
      fc.constant(0),
    );
    const texts = fc.array(unit, { maxLength: 24 }).map((units) => String.fromCharCode(...units));
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 12 }), (text, max) => {
        const clean = [...text].map((point) => (point === '\0' || !point.isWellFormed() ? '\uFFFD' : point));
        const expected = clean.length > max ? [...clean.slice(0, max - 1), '…'] : clean;
        expect(outsideText(text, { max })).to.equal(expected.join(''));
      }),
      { numRuns: 2000 },
    );
  });
});
