/** Which tables a sink takes in: asked of one table, and of thousands, it is the same. */
import { expect } from 'chai';
import fc from 'fast-check';
import { takerOf, takesIn } from '../../src/model/taken-in.ts';

const Schema = fc.constantFrom('public', 'sales', 'odd');
const Name = fc.constantFrom('orders', 'items', 'a');
const Table = fc.oneof(
  Name,
  fc.tuple(Schema, Name).map(([schema, name]) => `${schema}.${name}`),
);
const some = (one: fc.Arbitrary<string>) => fc.option(fc.array(one, { maxLength: 3 }));
const Source = fc.record({
  include_schemas: some(Schema),
  exclude_schemas: some(Schema),
  include_tables: some(Table),
  exclude_tables: some(Table),
});

describe('takerOf', () => {
  it('takes in what takesIn does', () => {
    fc.assert(
      fc.property(Source, Schema, Name, (source, schema, name) => {
        expect(takerOf(source)({ schema, name })).to.equal(takesIn(source, { schema, name }));
      }),
    );
  });
});
