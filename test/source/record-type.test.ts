import { expect } from 'chai';
import type { TypeInfo } from '../../src/codec/types.ts';
import { recordType } from '../../src/source/record-type.ts';

describe('the type of a row', () => {
  it('ends where types of many attributes are made of each other', () => {
    const types = new Map<number, TypeInfo>();
    for (let n = 0; n < 9; n += 1) {
      const attributes = Array.from({ length: 1_000 }, (_, at) => ({
        ...{ name: `a${at}`, typeOid: n === 0 ? 23 : 20_000 + n - 1, typmod: -1 },
      }));
      const names = { schema: 'public', name: `t${n}`, category: 'C', delimiter: ',', extension: null };
      const oids = { oid: 20_000 + n, elementOid: null, baseOid: null, subtypeOid: null };
      types.set(20_000 + n, { ...names, ...oids, kind: 'composite', attributes });
    }
    const column = (name: string, typeOid: number) => ({ name, typeOid, type: 't', notNull: false });
    const columns = [column('id', 23), column('wide', 20_008), column('narrow', 23)];
    const { record } = recordType({ columns, types, labels: new Map() } as unknown as Parameters<typeof recordType>[0]);
    expect(record.length).to.be.within(1_000, 1_000_000);
    expect(record).to.contain('a999: any | null').and.to.contain('narrow: number | null;');
  });
});
