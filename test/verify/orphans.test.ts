import { expect } from 'chai';
import type { TableColumn } from '../../src/backfill/table.ts';
import { keysOf } from '../../src/verify/orphans.ts';

const column = (name: string): TableColumn => ({
  ...{ name, typeOid: 25, typmod: -1, type: 'text', key: true, keyPlace: 0, long: true, text: true },
});
const table = (count: number) => ({ keys: Array.from({ length: count }, (_, n) => column(`k${n}`)) });

describe('verify/orphans', () => {
  it('reads an _id as every key that it can be', () => {
    expect(keysOf(table(1), 'a-b')).to.deep.equal([['a-b']]);
    expect(keysOf(table(2), 'a-b')).to.deep.equal([['a', 'b']]);
    expect(keysOf(table(2), 'a-b--1')).to.deep.equal([
      ['a', 'b--1'],
      ['a-b', '-1'],
      ['a-b-', '1'],
    ]);
    expect(keysOf(table(3), 'a-b')).to.deep.equal([]);
    expect(keysOf(table(2), '')).to.deep.equal([]);
    expect(keysOf(table(1), '')).to.deep.equal([['']]);
  });

  it('finds every key again that it was made of', () => {
    for (const key of [
      ['-', '-'],
      ['', ''],
      ['a-', '-b-', ''],
      ['f3b1c6de-0000-4000-8000-000000000001', 'f3b1c6de-0000-4000-8000-000000000002'],
    ]) {
      expect(keysOf(table(key.length), key.join('-'))).to.deep.include(key);
    }
  });

  it('does not try thousands of them', () => {
    expect(keysOf(table(4), 'x-'.repeat(60))).to.equal(undefined);
  });
});
