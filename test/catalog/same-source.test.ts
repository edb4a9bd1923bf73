import { expect } from 'chai';
import { isNotedElsewhere } from '../../src/catalog/same-source.ts';
import type { CatalogDatabase } from '../../src/catalog/store.ts';

describe('entries of the same database', () => {
  const entry = (no: number, capture: 'triggers' | 'replication', place = {}): CatalogDatabase =>
    ({
      no,
      settings: { capture },
      address: () => ({ host: 'db', port: 5432, database: 'shop', user: `role_${no}`, password: 'x', ...place }),
    }) as unknown as CatalogDatabase;
  const own = entry(1, 'replication');
  const isNoted = (...others: CatalogDatabase[]): boolean => isNotedElsewhere([own, ...others], own);

  it('are those of one address, whoever logs in, and triggers of one are not left over by another', () => {
    expect(isNoted()).to.equal(false);
    expect(isNoted(entry(2, 'triggers'))).to.equal(true);
    expect(isNoted(entry(2, 'replication'))).to.equal(false);
    for (const place of [{ host: 'other' }, { port: 5433 }, { database: 'other' }])
      expect(isNoted(entry(2, 'triggers', place))).to.equal(false);
    expect(isNotedElsewhere([entry(1, 'triggers')], entry(1, 'triggers'))).to.equal(false);
  });
});
