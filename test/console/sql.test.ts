/** Statements that the console gives to copy. */
import { expect } from 'chai';
import { JsonText, parseKeeping } from '../../src/console/api/json-text.ts';
import { valueLiteral } from '../../src/console/lib/sql.ts';

describe('console: a value in SQL', () => {
  it('is what the column holds: a text of digits is a text, and a number keeps its digits', () => {
    const row = '{"sku":"017","id":17,"big":9223372036854775807,"price":1.50,"is":true,"of":[1],"name":"it\'s"}';
    const values = parseKeeping(row, new Set(['sku', 'id', 'big', 'price', 'is', 'of', 'name'])) as object;
    expect(Object.values(values).map(valueLiteral)).to.deep.equal([
      ...["'017'", '17', '9223372036854775807', "'1.50'", "'true'", "'[1]'", "'it''s'"],
    ]);
    expect(valueLiteral(new JsonText('-3'))).to.equal('-3');
  });
});
