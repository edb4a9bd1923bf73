import { expect } from 'chai';
import { quoteTable, tableName, tablePart } from '../../src/console/lib/sql.ts';
import { tableInPath } from '../../src/model/table-in-path.ts';

describe('a table of the console, in an address', () => {
  it('is the table that it was, whatever its name holds', () => {
    for (const name of ['orders', 'a b', 'say "hi"', '"', '""', 'a.b', '.', 'Ünï', 'x/y?z#%', '<img src=x>']) {
      for (const schema of ['public', 'app', 'we"ird']) {
        const table = { schema, name };
        expect(tableInPath(tablePart(tableName(table))), quoteTable(table)).to.deep.equal(table);
      }
    }
    expect(tableInPath(tablePart('orders'))).to.deep.equal({ schema: 'public', name: 'orders' });
  });
});
