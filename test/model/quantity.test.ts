import { expect } from 'chai';
import { duration } from '../../src/model/quantity.ts';

describe('a quantity', () => {
  it('writes a time as a person says it', () => {
    expect([0, 89, 90, 3_599, 12_000, 190_000].map(duration)).to.deep.equal([
      ...['0 s', '89 s', '2 min', '1 h', '3 h 20 min', '2 d 4 h'],
    ]);
  });
});
