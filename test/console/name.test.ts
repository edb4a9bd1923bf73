/** Names that forms propose, however a table is called. */
import { expect } from 'chai';
import { freeName, nameFrom } from '../../src/console/lib/name.ts';
import { newEntry, proposedName } from '../../src/console/pages/sinks/form/entry.ts';
import { proposedFunction } from '../../src/console/pages/sinks/form/uses.ts';

const LONG = `${'o'.repeat(52)}_${'t'.repeat(10)}`;

const proposed = (table: string): string[] => {
  const entry = { ...newEntry(), database: 'shop', source: { include_tables: [`public.${table}`] } };
  return [
    proposedName(entry),
    ...(['filter', 'transform', 'routing'] as const).map((use) => proposedFunction(use, entry)),
    nameFrom(nameFrom(table) || 'table', '-history'),
  ];
};

describe('console: proposed names', () => {
  it('are no longer than a name may be, and say at their end what they are', () => {
    const ends = ['-index', '-filter', '-document', '-routing', '-history'];
    for (const [place, name] of proposed(LONG).entries()) {
      expect(name)
        .to.match(/^[a-z0-9]+(-[a-z0-9]+)*$/)
        .and.satisfy((found: string) => found.endsWith(ends[place]!));
      expect(name.length, name).to.be.at.most(63);
    }
  });

  it('are of nobody else', () => {
    const taken = new Set(['orders-index', 'orders-index-2', 'o'.repeat(63)]);
    expect(freeName('users-index', taken)).to.equal('users-index');
    expect(freeName('orders-index', taken)).to.equal('orders-index-3');
    expect(freeName('o'.repeat(63), taken)).to.equal(`${'o'.repeat(61)}-2`);
  });

  it('are valid also where nothing of the table can be in them', () => {
    expect(proposed('заказы')).to.deep.equal(['', 'filter', 'document', 'routing', 'table-history']);
  });
});
