import { expect } from 'chai';
import type { TableColumn } from '../../src/source/describe-table.ts';
import { keyOf } from '../../src/verify/orphans.ts';

const column = (name: string): TableColumn => ({
  ...{
    name,
    typeOid: 25,
    typmod: -1,
    type: 'text',
    operators: 'pg_catalog',
    names: null,
    cast: false,
    key: true,
    keyPlace: 0,
    long: true,
    text: true,
  },
});
const table = (count: number) => ({ keys: Array.from({ length: count }, (_, n) => column(`k${n}`)) });

describe('verify/orphans', () => {
  it('reads an _id as the key that it is made of', () => {
    expect(keyOf(table(1), 'a-b')).to.deep.equal(['a-b']);
    expect(keyOf(table(2), 'a-b')).to.deep.equal(['a', 'b']);
    expect(keyOf(table(2), 'a-b-c')).to.deep.equal(['a', 'b-c']);
    expect(keyOf(table(2), 'a\\-b-c')).to.deep.equal(['a-b', 'c']);
    expect(keyOf(table(1), '')).to.deep.equal(['']);
  });

  it('an _id that no key of the table has is nobody’s', () => {
    expect(keyOf(table(3), 'a-b')).to.equal(undefined);
    expect(keyOf(table(2), 'a\\b-c-d')).to.equal(undefined);
    expect(keyOf(table(2), '')).to.equal(undefined);
  });
});
