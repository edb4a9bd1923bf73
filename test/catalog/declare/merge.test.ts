/** What PATCH and PUT make of an entry: by examples, and as a rule. */
import { expect } from 'chai';
import fc from 'fast-check';
import { merged } from '../../../src/catalog/declare/merge.ts';
import type { Entry } from '../../../src/catalog/declare/written.ts';

const SINK: Entry = {
  name: 'a',
  database: 'shop',
  source: { include_tables: ['public.orders'] },
  annotations: { team: 'billing', by: 'us' },
  tables: [{ name: 'public.orders', group_column_names: ['n'] }],
  max_retry_count: 3,
  destination: { type: 'elasticsearch', index_name: 'i', auth_value: '********', batch_size: 100 },
};

describe('catalog/declare/merge', () => {
  const cases: [string, Entry, (entry: Entry) => Entry][] = [
    ['nothing', {}, (entry) => entry],
    ['itself', SINK, (entry) => entry],
    ['a key', { name: 'b' }, (entry) => ({ ...entry, name: 'b' })],
    ['null for a key', { max_retry_count: null }, ({ max_retry_count: _, ...rest }) => rest],
    ['null for what is not there', { filter: null }, (entry) => entry],
    ['a whole list', { tables: [] }, (entry) => ({ ...entry, tables: [] })],
    ['a mapping that is no part', { annotations: { c: '1' } }, (entry) => ({ ...entry, annotations: { c: '1' } })],
    [
      'a key of the destination',
      { destination: { index_name: 'j', batch_size: null } },
      (entry) => ({ ...entry, destination: { type: 'elasticsearch', index_name: 'j', auth_value: '********' } }),
    ],
    ['a part that is no mapping', { destination: 'pull' }, (entry) => ({ ...entry, destination: 'pull' })],
    ['a part that was not there', { slot: { name: 's', x: null } }, (entry) => ({ ...entry, slot: { name: 's' } })],
    ['another spelling', { table: 't' }, ({ source: _, ...rest }) => ({ ...rest, table: 't' })],
    ['no other spelling', { table: null }, (entry) => entry],
    [
      'another spelling of a key of a part',
      { batch_size: 5 },
      (entry) => ({
        ...entry,
        batch_size: 5,
        destination: { type: 'elasticsearch', index_name: 'i', auth_value: '********' },
      }),
    ],
  ];
  for (const [what, patch, wanted] of cases) {
    it(`with ${what}`, () => {
      const before = structuredClone([SINK, patch]);
      expect(merged(SINK, patch)).to.deep.equal(wanted(SINK));
      expect([SINK, patch], 'changed what it was given').to.deep.equal(before);
    });
  }

  it('reads an address for its parts', () => {
    const base = {
      name: 'd',
      hostname: 'h',
      port: 1,
      database: 'x',
      username: 'u',
      password: '********',
      pool_size: 3,
    };
    const url = 'postgres://h2/y';
    expect(merged(base, { url })).to.deep.equal({ name: 'd', pool_size: 3, url });
  });

  it('two merges are one with both', () => {
    const value = fc.oneof(fc.constant(null), fc.integer({ max: 3, min: 0 }), fc.constant('x'), fc.constant([1]));
    const inner = fc.dictionary(fc.constantFrom('a', 'b', 'c'), value);
    const part = fc.constantFrom('slot', 'destination', 'retention');
    const entry = fc
      .tuple(fc.dictionary(fc.constantFrom('name', 'status', 'source'), value), fc.dictionary(part, inner))
      .map(([own, parts]): Entry => ({ ...own, ...parts }));
    fc.assert(
      fc.property(entry, entry, entry, (base, one, other) => {
        const parts = Object.keys(other).filter((key) => ['slot', 'destination', 'retention'].includes(key));
        const both = {
          ...one,
          ...other,
          ...Object.fromEntries(parts.map((key) => [key, { ...(one[key] as Entry), ...(other[key] as Entry) }])),
        };
        expect(merged(merged(base, one), other)).to.deep.equal(merged(base, both));
      }),
    );
  });
});
