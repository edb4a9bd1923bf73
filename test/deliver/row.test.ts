import { expect } from 'chai';
import { deliveryOf, type LaneRow } from '../../src/deliver/row.ts';

describe('a row on its way out', () => {
  it('names its key as the table does, whatever the key holds', () => {
    const keys = [
      [],
      [''],
      ['1'],
      ['a', 'b'],
      ['say "no"'],
      ['back\\slash'],
      ['line\nbreak'],
      ['","'],
      ['Zażółć 東京'],
    ];
    const row = (recordPks: string[]): LaneRow => ({
      id: 1,
      action: 'insert',
      group_key: 0,
      group_key2: 0,
      record_pks: JSON.stringify(recordPks),
      oid: 1,
      schema_name: 'public',
      table_name: 'products',
      record: '{}',
      changes: null,
      metadata: '{}',
      committed_at: '',
      partial: false,
      attempts: 0,
      state: null,
      error: null,
      behind: false,
    });
    expect(keys.map((key) => deliveryOf(row(key)).recordPks)).to.deep.equal(keys);
  });
});
