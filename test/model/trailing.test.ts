import { expect } from 'chai';
import fc from 'fast-check';
import { withoutTrailing } from '../../src/model/trailing.ts';

describe('withoutTrailing', () => {
  it('takes away what `/+$/` would', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('/', 'a', '\n') }), (text) => {
        expect(withoutTrailing(text, '/')).to.equal(text.replace(/\/+$/, ''));
      }),
    );
  });
});
