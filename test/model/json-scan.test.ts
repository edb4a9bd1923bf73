import { expect } from 'chai';
import { itemsOf, membersOf } from '../../src/model/json-scan.ts';

describe('model/json-scan', () => {
  it('cuts objects and arrays into texts as they are written', () => {
    expect([...membersOf(' {"a": 1.00, "b\\"":{"c":[1e3,"}"]} }')!]).to.deep.equal([
      ['a', '1.00'],
      ['b"', '{"c":[1e3,"}"]}'],
    ]);
    expect(itemsOf('[ 1.0 ,{"a":"]"},[ ] ]')).to.deep.equal(['1.0', '{"a":"]"}', '[ ]']);
    expect(membersOf('[1]')).to.equal(undefined);
    expect(itemsOf('{}')).to.equal(undefined);
  });
});
