import { expect } from 'chai';
import fc from 'fast-check';
import { seal, unseal } from '../../src/catalog/secrets.ts';
import { MillraceError } from '../../src/model/errors.ts';
import { SECRET_KEY } from './support.ts';

describe('sealed secrets', () => {
  it('open to what was sealed, and look different each time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const sealed = seal(SECRET_KEY, text);
        expect(unseal(SECRET_KEY, sealed)).to.equal(text);
        expect(sealed)
          .to.match(/^v1:[\w-]+$/)
          .and.not.equal(seal(SECRET_KEY, text));
      }),
      { numRuns: 50 },
    );
  });

  it('do not open with another key, and the error names the setting and no secret', () => {
    const sealed = seal(SECRET_KEY, 'hunter22');
    expect(() => unseal(`${SECRET_KEY}x`, sealed))
      .to.throw(MillraceError, /^SECRET_KEY does not open/)
      .that.satisfies((error: MillraceError) => !`${error.message}${error.remedy}`.includes('hunter22'));
  });

  it('do not open when they were changed, cut, or come from another release', () => {
    const sealed = seal(SECRET_KEY, 'hunter22');
    const flipped = `${sealed.slice(0, -3)}${sealed.at(-3) === 'A' ? 'B' : 'A'}${sealed.slice(-2)}`;
    expect(() => unseal(SECRET_KEY, flipped)).to.throw(MillraceError, /SECRET_KEY/);
    expect(() => unseal(SECRET_KEY, sealed.slice(0, 20))).to.throw(MillraceError, /form/);
    expect(() => unseal(SECRET_KEY, sealed.replace('v1', 'v9'))).to.throw(MillraceError, /form/);
  });

  it('want a key of 32 characters', () => {
    expect(() => seal('short', 'x')).to.throw(MillraceError, /32 characters/);
  });
});
