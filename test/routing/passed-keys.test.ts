import { expect } from 'chai';
import { compileRelation } from '../../src/codec/row.ts';
import type { RelationMessage } from '../../src/codec/row-message.ts';
import { tupleOf } from '../../src/codec/tuple.ts';
import { MOST_TAKEN, PassedKeys } from '../../src/routing/passed-keys.ts';

const OID = 7;
const MESSAGE: RelationMessage = {
  ...{ tag: 'relation', oid: OID, schema: 'public', name: 'items', identity: 'full' },
  columns: [{ name: 'id', typeOid: 23, typmod: -1, key: true }],
};
const RELATION = { oid: OID, codec: compileRelation(new Map(), MESSAGE, { keyColumns: ['id'] }) };

describe('keys that rows pass on', () => {
  it('are not followed beyond a number that fits into memory, and then their table is told', () => {
    const passed = new PassedKeys();
    const insert = (key: number): void =>
      passed.changed(RELATION, { tag: 'insert', oid: OID, new: tupleOf([String(key)]) });
    const remove = (key: number): void =>
      passed.changed(RELATION, { tag: 'delete', oid: OID, old: tupleOf([String(key)]), oldKind: 'full' });
    for (let key = 1; key < MOST_TAKEN; key++) insert(key);
    remove(1);
    remove(0);
    expect([...passed.keys]).to.deep.equal([{ oid: OID, key: ['1'] }]);
    expect([...passed.lost]).to.deep.equal([]);
    for (let key = 0; key < 2; key++) insert(MOST_TAKEN + key);
    remove(MOST_TAKEN + 1);
    expect([...passed.lost]).to.deep.equal([OID]);
  });
});
