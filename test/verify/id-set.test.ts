import { expect } from 'chai';
import { IdSet } from '../../src/verify/id-set.ts';

describe('verify/id-set', () => {
  it('holds what was added, and nothing else', () => {
    const set = new IdSet();
    const count = 200_000;
    for (let i = 0; i < count; i += 1) expect(set.add('products', `k${i}`)).to.equal(true);
    expect(set.size).to.equal(count);
    let there = 0;
    let absent = 0;
    for (let i = 0; i < count; i += 1) {
      if (set.has('products', `k${i}`)) there += 1;
      if (!set.has('products', `n${i}`) && !set.has('orders', `k${i}`)) absent += 1;
    }
    expect([there, absent]).to.deep.equal([count, count]);
  }).timeout(10_000);

  it('says what was there', () => {
    const set = new IdSet();
    expect([set.add('a', '1'), set.add('a', '1'), set.add('b', '1'), set.add('', '')]).to.deep.equal([
      true,
      false,
      true,
      true,
    ]);
    expect(set.size).to.equal(3);
  });

  it('knows where the space ends', () => {
    const set = new IdSet();
    set.add('ab', 'c');
    expect([set.has('a', 'bc'), set.has('abc', ''), set.has('', 'abc'), set.has('ab', 'c')]).to.deep.equal([
      false,
      false,
      false,
      true,
    ]);
  });
});
